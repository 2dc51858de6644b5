// What a pod's spec requires of its node's labels.
#pragma once

#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

namespace kcontrol::inline v0_1::scheduling::detail {

// The required terms of node affinity, or null.
inline const api::core::v1::node_selector* required_node_terms(const pod_info& pod) {
    const auto& affinity = pod.pod().spec.affinity;
    if (!affinity || !affinity->node_affinity) return nullptr;
    const auto& required = affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return required ? &*required : nullptr;
}

// Whether it requires anything. Most pods do not.
inline bool requires_labels(const pod_info& pod) {
    return !pod.pod().spec.node_selector.empty() || required_node_terms(pod) != nullptr;
}

// As kube-scheduler, which takes a wrong term for one that the node does not fulfil.
inline bool fulfils_requirements(const node_info& node, const pod_info& pod) {
    const auto held = pod.terms().node_affinity.matches(node.node().metadata);
    return held && *held;
}

}  // namespace kcontrol::scheduling::detail
