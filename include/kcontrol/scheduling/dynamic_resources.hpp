// DynamicResources: pods go to nodes where their ResourceClaims have devices, or can get them.
#pragma once

#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses nodes from which the devices of an allocated claim can't be reached, and those that have no devices for the
/// others. A pod waits until the claims of its templates are made. Members of a gang may share a claim that none of
/// them has yet: it is allocated for the first, and the others go to nodes that reach its devices.
///
/// Where a node does not have an extended resource of the pod, and a DeviceClass stands for it, devices of the class
/// take its place, by an extended_claim. One that was made for the pod before is used again, on nodes that it suits.
///
/// Preemption frees no devices: a refusal for lack of them is unresolvable, as kube-scheduler's is. There are no
/// scores. Source: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
///
/// Thread-safety: shared objects safe while the catalog is not changed. Object lifetime: it shares the catalog.
class dynamic_resources {
public:
    static constexpr std::string_view name = "DynamicResources";

    static KCONTROL_DECL std::vector<event_kind> events();
    /// Whether devices became free, or the event is about what this pod waits for.
    KCONTROL_DECL bool may_help(const pod_info& waiting, const cluster_event& event) const;

    /// The claims of the pod.
    class state {
    public:
        /// A claim of the pod.
        struct use {
            std::shared_ptr<const claim_catalog::claim> object;
            bool is_given = false;  ///< it has an allocation; else it is to be allocated
            /// What it has. Not held here: a state may stay until the next pod is decided.
            std::weak_ptr<const claim_catalog::allocation> given;
            std::optional<node_selector> nodes;  ///< that reach its devices; absent: all
        };
        std::vector<use> uses;  ///< by their order in the pod; from reserve() on, the extended claim is the last one
        /// By uses, from reserve() on: what is given, so that it counts. The program drops it once the API server has
        /// it.
        std::vector<claim_catalog::assumption> assumed;

        /// Extended resources of the pod that a class stands for.
        std::vector<interned_name> extended;
        /// The claim for a node that has none of them; null: there are none.
        std::shared_ptr<const extended_claim> draft;
        /// One that the API server has for the pod.
        std::optional<use> made;
        /// From reserve() on: what stands for extended resources; null: the node has them.
        std::shared_ptr<const extended_claim> chosen;
    };

    /// Decides on what the catalog has at each call.
    explicit dynamic_resources(std::shared_ptr<claim_catalog> objects) : objects_(std::move(objects)) {}

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const;
    KCONTROL_DECL status filter(const state& of_pod, const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL status reserve(state& of_pod, placement&, const node_info& node);
    void unreserve(state& of_pod, const placement&) noexcept { of_pod.assumed.clear(); }
    /// What decide() finds; none: the node can't have the pod.
    using allocations = result<std::optional<std::vector<api::resource::v1::allocation_result>>>;
    /// The allocations of the uses that have none, by their order. None: the node can't have the pod, and
    /// `missing`, unless it is null, says why. Errors: those of allocate_devices().
    /// That of the extended claim is the last one.
    KCONTROL_DECL allocations decide(const state& of_pod, const pod_info& pod, const node_info& node,
                                     std::string* missing) const;

    /// The name of the claim of an entry of the pod's spec.resourceClaims; none: it is not made yet; empty: it needs
    /// none.
    static KCONTROL_DECL std::optional<std::string_view> claim_name(const api::core::v1::pod& pod,
                                                                    const api::core::v1::pod_resource_claim& entry);

private:
    // Null: the node needs none.
    std::shared_ptr<const extended_claim> extended_on(const state& of_pod, const pod_info& pod,
                                                      const node_info& node) const;
    // `extended`: what stands for extended resources on the node; null: nothing does.
    allocations decide(const state& of_pod, const node_info& node, const extended_claim* extended,
                       std::string* missing) const;
    status read_use(state::use& of, const pod_info& pod, const std::string& path) const;
    static status reach(const state::use& of, const pod_info& pod, const node_info& node);

    std::shared_ptr<claim_catalog> objects_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/dynamic_resources.ipp>
#endif
