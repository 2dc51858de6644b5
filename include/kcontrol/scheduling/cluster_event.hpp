// cluster_event: what happened in the cluster, as plugins name the events that may change their answer.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <cstdint>

namespace kcontrol::inline v0_1::scheduling {

/// A set of actions, by kube-scheduler's names. Sets are joined by `|`.
enum class event_actions : std::uint32_t {
    none = 0,
    add = 1U << 0U,                           ///< it was added; of a pod on a node: it was bound, too
    delete_ = 1U << 1U,                       ///< it was deleted; of a pod on a node: it ended, too
    update_node_allocatable = 1U << 2U,       ///< status.allocatable changed
    update_node_label = 1U << 3U,             ///< labels changed
    update_node_taint = 1U << 4U,             ///< spec.taints or spec.unschedulable changed
    update_node_condition = 1U << 5U,         ///< a condition has another status
    update_node_annotation = 1U << 6U,        ///< annotations changed
    update_pod_label = 1U << 7U,              ///< labels changed
    update_pod_scale_down = 1U << 8U,         ///< the pod requests less of a resource
    update_pod_toleration = 1U << 9U,         ///< tolerations were added
    update_pod_scheduling_gates = 1U << 10U,  ///< the last scheduling gate was removed
    update_pod_annotation = 1U << 11U,        ///< annotations changed
    update_other = 1U << 12U,                 ///< an object of another kind was modified
    update = ((1U << 13U) - 1U) & ~3U,        ///< all that begin with "update"
    all = (1U << 13U) - 1U,                   ///< everything
};

constexpr event_actions operator|(event_actions a, event_actions b) noexcept {
    return static_cast<event_actions>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr event_actions operator&(event_actions a, event_actions b) noexcept {
    return static_cast<event_actions>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}

/// Objects of a kind, and what happens to them.
struct event_kind {
    interned_name resource;                      ///< "Pod", "Node", "storage.k8s.io/CSINode"; "*": any
    event_actions actions = event_actions::all;  ///< one of these suffices

    /// Whether an event is of this kind.
    bool matches(const event_kind& event) const noexcept {
        return (actions & event.actions) != event_actions::none &&
               (resource == event.resource || resource == std::string_view("*"));
    }
    friend bool operator==(const event_kind&, const event_kind&) = default;
};

/// Something happened to an object.
struct cluster_event {
    event_kind kind;    ///< which object, and what
    any_object before;  ///< the object before; empty if it was added
    any_object after;   ///< the object now; empty if it was deleted
};

/// What changed of a node that schedulers look at; none for a heartbeat.
KCONTROL_DECL event_actions changes_of(const api::core::v1::node& before, const api::core::v1::node& after);
/// What changed of a pod that schedulers look at; none if only its status did.
KCONTROL_DECL event_actions changes_of(const pod_info& before, const pod_info& after);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/cluster_event.ipp>
#endif
