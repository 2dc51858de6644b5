// TaintToleration: pods stay away from nodes whose taints they do not tolerate.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses nodes with an untolerated taint of effect NoSchedule or NoExecute. Nodes with few untolerated taints of
/// effect PreferNoSchedule are better.
///
/// Thread-safety: shared objects safe.
class taint_toleration {
public:
    static constexpr std::string_view name = "TaintToleration";

    static KCONTROL_DECL std::vector<event_kind> events();
    /// Whether the node of the event, if it is one of a node, would not be refused.
    KCONTROL_DECL bool may_help(const pod_info& waiting, const cluster_event& event) const;

    KCONTROL_DECL status filter(const pod_info& pod, const node_info& node) const;
    /// The number of untolerated taints of effect PreferNoSchedule.
    KCONTROL_DECL std::int64_t score(const pod_info& pod, const node_info& node) const;
    KCONTROL_DECL void normalize_score(std::span<std::int64_t> scores) const;

private:
    interned_name untolerated_{"node(s) had untolerated taint(s)"};
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/taint_toleration.ipp>
#endif
