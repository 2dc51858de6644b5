// device_allocator: which devices ResourceClaims get on a node.
#pragma once

#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/scheduling/device_inventory.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// What an allocator asks, and how it chooses.
class device_allocator_options {
public:
    /// Whether a device satisfies a CEL expression of a selector. Errors: it can't be read, or fails when it runs.
    using selects_function =
        std::function<result<bool>(const device_inventory::known_device& of, std::string_view expression)>;
    /// The DeviceClass of that name, or null.
    using class_function = std::function<std::shared_ptr<const api::resource::v1::device_class>(std::string_view name)>;
    /// Brings the devices of a node into another order: earlier ones are preferred.
    using order_function = std::function<void(std::vector<const device_inventory::known_device*>&)>;

    /// Both are required.
    device_allocator_options(selects_function selects, class_function class_of)
        : selects_(std::move(selects)), class_of_(std::move(class_of)) {}

    /// Default: by driver, pool, and their order in slices.
    device_allocator_options& order(order_function f) { return order_ = std::move(f), *this; }
    /// How many devices are tried until the search gives up with an error. Default 100,000.
    device_allocator_options& most_steps(std::size_t count) { return most_steps_ = count, *this; }

    const selects_function& selects() const noexcept { return selects_; }
    const class_function& class_of() const noexcept { return class_of_; }
    const order_function& order() const noexcept { return order_; }
    std::size_t most_steps() const noexcept { return most_steps_; }

private:
    selects_function selects_;
    class_function class_of_;
    order_function order_;
    std::size_t most_steps_ = 100'000;
};

/// The devices that allocations take; one that is given twice by mistake is there twice.
using held_devices = std::multiset<device_id>;

/// The devices that an allocation takes from others: all but those with admin access.
KCONTROL_DECL std::vector<device_id> devices_of(const api::resource::v1::allocation_result& allocated);

/// An allocation for each claim, all of which are possible together on that node, or none if there is none. `held`:
/// what other allocations take. If there is none, `missing`, unless it is null, is set to the first request that can't
/// be fulfilled, and what it lacks: "claim nlp/c, request r: 2 devices are needed, 1 of 8 is free".
///
/// The search is depth first, in the order of requests, alternatives and devices, and tries all combinations: of
/// `firstAvailable` the first is taken that fits beside the devices of the requests before it. There are: ExactCount,
/// All, selectors of class and request, tolerations, admin access, matchAttribute, distinctAttribute, shared counters,
/// and capacity as a minimum. Not there: devices that are allocated several times (they are given once), devices with
/// binding conditions (they are not given), derived attributes (an error). Source:
/// https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
///
/// Errors: invalid_argument with the claim, the field and its value; what is wrong with a selector; the search is too
/// long.
KCONTROL_DECL result<std::optional<std::vector<api::resource::v1::allocation_result>>> allocate_devices(
    std::span<const std::shared_ptr<const api::resource::v1::resource_claim>> claims, const device_inventory& in,
    const held_devices& held, const api::core::v1::node& node, const device_allocator_options& how,
    std::string* missing = nullptr);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/device_allocator.ipp>
#endif
