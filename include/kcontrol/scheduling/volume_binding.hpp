// VolumeBinding: pods go to nodes where their volumes are, or can be made.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses nodes from which a bound volume cannot be reached, and where an unbound claim of a class with
/// WaitForFirstConsumer finds no volume and none can be provided. A pod with a claim of another class waits until the
/// claim is bound.
///
/// Volumes of drivers inside Kubernetes are taken as they are: kube-scheduler looks at the CSI driver's view of them.
/// Nodes are better where less of a volume, or of what a driver has left, is taken: kube-scheduler 1.37's default
/// shape.
///
/// Thread-safety: shared objects safe while the catalog is not changed.
/// Object lifetime: the catalog outlives it.
class volume_binding {
public:
    static constexpr std::string_view name = "VolumeBinding";

    static KCONTROL_DECL std::vector<event_kind> events();

    /// The claims of the pod. Of no use after a change of the catalog.
    class state {
    private:
        friend class volume_binding;
        struct unbound {
            const volume_catalog::known_claim* claim;
            quantity size;  // that is requested
        };
        std::vector<const volume_catalog::known_claim*> bound_;
        std::vector<unbound> unbound_;  // by size
    };

    /// Decides on what the catalog has at each call.
    explicit volume_binding(const volume_catalog& objects) : objects_(&objects) {}

    KCONTROL_DECL status pre_filter(state& of_pod, const pod_info& pod, const snapshot&) const;
    KCONTROL_DECL status filter(const state& of_pod, const pod_info&, const node_info& node) const;
    KCONTROL_DECL status pre_score(state& of_pod, const pod_info&, const snapshot&,
                                   std::span<const node_info* const> feasible) const;
    KCONTROL_DECL std::int64_t score(const state& of_pod, const pod_info&, const node_info& node) const;
    /// What is to be written if the pod goes to that node, which filter did not refuse.
    KCONTROL_DECL volume_decision decide(const state& of_pod, const node_info& node) const;

private:
    KCONTROL_DECL status take_claim(state& of_pod, const pod_info& pod, const api::core::v1::volume& volume) const;
    // What speaks against the node for unbound claims; `to` is what is to be written if nothing does.
    KCONTROL_DECL status find(const state& of_pod, const node_info& node, volume_decision& to) const;

    const volume_catalog* objects_;
    interned_name unbound_{"pod has unbound immediate PersistentVolumeClaims"};
    interned_name unreachable_{"node(s) didn't match PersistentVolume's node affinity"};
    interned_name no_volume_{"node(s) didn't find available persistent volumes to bind"};
    interned_name no_space_{"node(s) did not have enough free storage"};
    interned_name no_such_volume_{"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/volume_binding.ipp>
#endif
