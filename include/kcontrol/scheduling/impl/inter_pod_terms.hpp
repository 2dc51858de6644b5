// Which pods the terms of pod affinity and anti-affinity select.
#pragma once

#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/pod_terms.hpp>
#include <kcontrol/scheduling/snapshot.hpp>

#include <algorithm>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

inline bool selects_pod(const affinity_term& term, const pod_info& pod, const snapshot& nodes) {
    return term.matches(pod.pod().metadata, nodes.namespace_labels(pod.namespace_()));
}

inline bool all_select_pod(const std::vector<affinity_term>& terms, const pod_info& pod, const snapshot& nodes) {
    return !terms.empty() && std::all_of(terms.begin(), terms.end(),
                                         [&](const affinity_term& term) { return selects_pod(term, pod, nodes); });
}

// Calls function(pod, node) for each pod on a node that exists.
template <class Function>
void each_pod(const snapshot& nodes, Function&& function) {
    for (const auto* node : nodes.nodes()) {
        for (const auto* pod : node->pods()) function(*pod, *node);
    }
}

// The same for those that a term can select; also for some that it does not.
template <class Function>
void each_candidate(const affinity_term& term, const snapshot& nodes, Function&& function) {
    static const label_selector no_namespace = label_selector::nothing();
    if (!(term.namespace_selector == no_namespace)) return each_pod(nodes, function);
    const auto& all = term.namespaces;
    for (auto one = all.begin(); one != all.end(); one = std::upper_bound(one, all.end(), *one)) {
        for (const auto* placed : nodes.pods_in(*one)) {
            if (placed->node->exists()) function(*placed->pod, *placed->node);
        }
    }
}

}  // namespace kcontrol::scheduling::detail
