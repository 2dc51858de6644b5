// NodeUnschedulable: no pod goes to a cordoned node, unless it tolerates that.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses nodes with spec.unschedulable, unless the pod tolerates the taint
/// `node.kubernetes.io/unschedulable:NoSchedule`, which such nodes have.
///
/// Thread-safety: shared objects safe.
class node_unschedulable {
public:
    static constexpr std::string_view name = "NodeUnschedulable";

    static KCONTROL_DECL std::vector<event_kind> events();
    /// Whether the node of the event, if it is one of a node, would not be refused.
    KCONTROL_DECL bool may_help(const pod_info& waiting, const cluster_event& event) const;

    KCONTROL_DECL status filter(const pod_info& pod, const node_info& node) const;

private:
    interned_name unschedulable_{"node(s) were unschedulable"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/node_unschedulable.ipp>
#endif
