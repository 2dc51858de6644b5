// claim_catalog: the ResourceClaims, DeviceClasses and devices that DynamicResources decides on.
#pragma once

#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/scheduling/device_allocator.hpp>
#include <kcontrol/scheduling/device_inventory.hpp>
#include <kcontrol/scheduling/extended_claim.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The objects as a scheduler knows them, and the allocations that it has decided and the API server has not shown yet.
///
/// Thread-safety: distinct objects safe; shared objects unsafe. Object lifetime: results of assume() may outlive it.
class claim_catalog {
public:
    using claim = api::resource::v1::resource_claim;          ///< a ResourceClaim
    using device_class = api::resource::v1::device_class;     ///< a DeviceClass
    using slice = api::resource::v1::resource_slice;          ///< a ResourceSlice
    using allocation = api::resource::v1::allocation_result;  ///< what a claim gets
    using assumption = std::shared_ptr<const allocation>;     ///< an allocation that is decided; null: none
    /// The claim that has changed, or what it has by assume(). Null: slices or classes have.
    using change_function = std::function<void(const namespaced_name* claim)>;

    /// Whether a device satisfies a CEL expression. It is asked once for each expression until slices change.
    explicit claim_catalog(device_allocator_options::selects_function selects)
        : selects_(std::move(selects)), books_(std::make_shared<books>()) {}
    claim_catalog(const claim_catalog&) = delete;
    claim_catalog& operator=(const claim_catalog&) = delete;

    /// A version of a claim, as an event has it. One that is older than what is known changes nothing.
    KCONTROL_DECL void set(std::shared_ptr<const claim> object);
    /// The same as an answer has it: nothing changes if the claim is not there any more.
    KCONTROL_DECL void set_answer(std::shared_ptr<const claim> object);
    KCONTROL_DECL void set(std::shared_ptr<const device_class> object);  ///< it was added or modified
    KCONTROL_DECL void set(std::shared_ptr<const slice> object);         ///< the same
    KCONTROL_DECL void remove(const claim& object);                      ///< it was deleted
    KCONTROL_DECL void remove(const device_class& object);               ///< the same
    KCONTROL_DECL void remove(const slice& object);                      ///< the same
    KCONTROL_DECL void clear();                                          ///< forgets all but what is assumed

    /// Also one that only assume() knows.
    KCONTROL_DECL std::shared_ptr<const claim> find_claim(std::string_view namespace_, std::string_view name) const;
    /// The claim that was made for extended resources of the pod, or null: of the API server, or else by assume().
    KCONTROL_DECL std::shared_ptr<const claim> find_extended_claim(const api::core::v1::pod& of) const;
    /// What the claim has, by the API server or by assume(); null: nothing.
    KCONTROL_DECL assumption allocation_of(const std::shared_ptr<const claim>& of) const;
    KCONTROL_DECL std::shared_ptr<const device_class> find_class(std::string_view name) const;
    /// The class that stands for an extended resource, or null: by implicit_resource_of(), or by
    /// spec.extendedResourceName. Of several, the newest one, then the first by name.
    KCONTROL_DECL std::shared_ptr<const device_class> find_class_for(std::string_view resource) const;
    /// "deviceclass.resource.kubernetes.io/NAME", for which each class stands.
    static KCONTROL_DECL std::string implicit_resource_of(const device_class& of);
    /// The devices of all slices. Valid until slices change.
    KCONTROL_DECL const device_inventory& devices() const;
    /// What claims hold, assumed allocations included.
    const held_devices& held() const noexcept { return books_->held; }
    /// For allocate_devices().
    KCONTROL_DECL device_allocator_options options() const;

    /// Calls it after each change from now on, for those who keep sums. It must not throw, nor change the catalog. The
    /// destruction of the last copy of a result of assume() is a change, too, also once the catalog is destroyed.
    void on_change(change_function f) { books_->listeners.push_back(std::move(f)); }

    /// An allocation is decided, for a claim or for a draft of an extended_claim. Its devices are held until the last
    /// copy of the result is destroyed.
    KCONTROL_DECL assumption assume(const std::shared_ptr<const claim>& of, allocation decided);

private:
    // What assumptions need when the catalog is gone.
    struct books {
        held_devices held;
        std::map<std::string, std::weak_ptr<const allocation>, std::less<>> assumed;  // by uid
        std::map<namespaced_name, std::shared_ptr<const claim>> drafts;               // that are assumed
        std::vector<change_function> listeners;

        KCONTROL_DECL void hold(const allocation& of);
        KCONTROL_DECL void free(const allocation& of);
        KCONTROL_DECL void tell(const namespaced_name* claim) const;
    };

    device_allocator_options::selects_function selects_;
    std::shared_ptr<books> books_;
    std::map<namespaced_name, std::shared_ptr<const claim>> claims_;
    std::set<std::pair<std::string, namespaced_name>> extended_;  // claims by the uid of their pod
    std::map<std::string, std::shared_ptr<const device_class>, std::less<>> classes_;
    // By spec.extendedResourceName; none: classes have changed.
    mutable std::optional<std::map<std::string, std::shared_ptr<const device_class>, std::less<>>> stands_for_;
    std::map<std::string, std::shared_ptr<const slice>, std::less<>> slices_;
    mutable std::optional<device_inventory> devices_;  // none: slices have changed
    mutable std::map<std::pair<const device_inventory::known_device*, std::string>, result<bool>> selected_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/claim_catalog.ipp>
#endif
