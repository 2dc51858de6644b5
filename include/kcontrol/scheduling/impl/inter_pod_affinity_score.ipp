// The scores of InterPodAffinity.
#pragma once

#include <kcontrol/scheduling/impl/inter_pod_terms.hpp>
#include <kcontrol/scheduling/inter_pod_affinity.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL status inter_pod_affinity::pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                                   std::span<const node_info* const> feasible) const {
    of_pod.scores_.clear(nodes);
    const auto& wanted = pod.terms().preferred_affinity;
    const auto& avoided = pod.terms().preferred_anti_affinity;
    const bool prefers_any = !wanted.empty() || !avoided.empty();
    if (feasible.empty() || (options_.ignores_preferred_terms_of_existing_pods() && !prefers_any)) {
        return status::skip();
    }
    const auto add = [&](const affinity_term& term, const pod_info& selected, const node_info& at,
                         std::int64_t weight) {
        if (detail::selects_pod(term, selected, nodes)) of_pod.scores_.add(term.topology_key, at, weight);
    };
    const auto add_own = [&](const weighted_affinity_term& one, std::int64_t sign) {
        detail::each_candidate(one.term, nodes, [&](const pod_info& other, const node_info& node) {
            add(one.term, other, node, sign * one.weight);
        });
    };
    for (const auto& one : wanted) add_own(one, 1);
    for (const auto& one : avoided) add_own(one, -1);
    const std::int32_t hard = options_.hard_pod_affinity_weight();
    for (const auto* node : nodes.nodes_with_affinity()) {
        if (!node->exists()) continue;
        for (const auto* other : node->pods_with_affinity()) {
            const auto& terms = other->terms();
            if (hard > 0) {
                for (const auto& term : terms.affinity) add(term, pod, *node, hard);
            }
            for (const auto& one : terms.preferred_affinity) add(one.term, pod, *node, one.weight);
            for (const auto& one : terms.preferred_anti_affinity) add(one.term, pod, *node, -one.weight);
        }
    }
    return of_pod.scores_.empty() ? status::skip() : status();
}

KCONTROL_DECL std::int64_t inter_pod_affinity::score(const state& of_pod, const pod_info&,
                                                     const node_info& node) const {
    return of_pod.scores_.sum_at(node);
}

KCONTROL_DECL void inter_pod_affinity::normalize_score(const state&, std::span<std::int64_t> scores) const {
    if (scores.empty()) return;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    const std::int64_t from = *least, span = *most - *least;
    for (auto& score : scores) {
        // With a double, as kube-scheduler: 100 * (29 / 100) is 28.
        const double part = span == 0 ? 0 : static_cast<double>(score - from) / static_cast<double>(span);
        score = static_cast<std::int64_t>(static_cast<double>(max_node_score) * part);
    }
}

}  // namespace kcontrol::scheduling
