#pragma once

#include <kcontrol/scheduling/node_unschedulable.hpp>
#include <kcontrol/scheduling/tolerations.hpp>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::vector<event_kind> node_unschedulable::events() {
    return {{interned_name("Node"), event_actions::add | event_actions::update_node_taint},
            {interned_name("Pod"), event_actions::update_pod_toleration}};
}

namespace detail {

inline bool tolerates_cordon(const pod_info& pod) {
    api::core::v1::taint cordon;
    cordon.key = "node.kubernetes.io/unschedulable";
    cordon.effect = "NoSchedule";
    return tolerates(pod.pod().spec.tolerations, cordon);
}

}  // namespace detail

KCONTROL_DECL bool node_unschedulable::may_help(const pod_info& waiting, const cluster_event& event) const {
    const auto node = event.after.as<api::core::v1::node>();
    return node == nullptr || !node->spec.unschedulable.value_or(false) || detail::tolerates_cordon(waiting);
}

KCONTROL_DECL status node_unschedulable::filter(const pod_info& pod, const node_info& node) const {
    if (!node.is_unschedulable() || detail::tolerates_cordon(pod)) return status();
    return status::unresolvable(unschedulable_);
}

}  // namespace kcontrol::scheduling
