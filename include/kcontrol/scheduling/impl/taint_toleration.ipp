#pragma once

#include <kcontrol/scheduling/node_scores.hpp>
#include <kcontrol/scheduling/taint_toleration.hpp>
#include <kcontrol/scheduling/tolerations.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::vector<event_kind> taint_toleration::events() {
    return {{interned_name("Node"), event_actions::add | event_actions::update_node_taint},
            {interned_name("Pod"), event_actions::update_pod_toleration}};
}

KCONTROL_DECL bool taint_toleration::may_help(const pod_info& waiting, const cluster_event& event) const {
    const auto node = event.after.as<api::core::v1::node>();
    return node == nullptr || untolerated_taint(*node, waiting.pod()) == nullptr;
}

KCONTROL_DECL status taint_toleration::filter(const pod_info& pod, const node_info& node) const {
    if (!node.has_taints()) return status();
    return untolerated_taint(node.node(), pod.pod()) == nullptr ? status() : status::unresolvable(untolerated_);
}

KCONTROL_DECL std::int64_t taint_toleration::score(const pod_info& pod, const node_info& node) const {
    if (!node.has_taints()) return 0;
    const auto& taints = node.node().spec.taints;
    return std::count_if(taints.begin(), taints.end(), [&](const auto& taint) {
        return taint.effect == "PreferNoSchedule" && !tolerates(pod.pod().spec.tolerations, taint);
    });
}

KCONTROL_DECL void taint_toleration::normalize_score(std::span<std::int64_t> scores) const {
    normalize_by_greatest(scores, score_order::fewer_is_better);
}

}  // namespace kcontrol::scheduling
