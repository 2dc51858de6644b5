// The scores of PodTopologySpread.
#pragma once

#include <kcontrol/scheduling/node_scores.hpp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// A pod that is being deleted is not counted. An empty selector counts none.
inline bool is_counted(const pod_info& pod, const spread_constraint& rule) {
    return !pod.pod().metadata.deletion_timestamp && !rule.selector.empty() &&
           rule.selector.selects(pod.pod().metadata);
}

// In how many domains nodes are. Those without the label are one more.
inline std::size_t domains_of(std::span<const node_info* const> nodes, const topology& by) {
    std::vector<bool> seen(by.size() + 1);
    std::size_t count = 0;
    for (const auto* node : nodes) {
        const std::int32_t domain = by.domain_of(*node);
        const std::size_t place = domain == topology::none ? by.size() : static_cast<std::size_t>(domain);
        if (seen[place]) continue;
        seen[place] = true;
        ++count;
    }
    return count;
}

}  // namespace detail

KCONTROL_DECL status pod_topology_spread::pre_score(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                                    std::span<const node_info* const> feasible) const {
    of_pod.preferred_.clear();
    take_constraints(of_pod, pod, nodes, false);
    if (of_pod.constraints_.empty()) return status::skip();
    of_pod.flag_nodes(pod, nodes);
    const auto is_scored = [&](const node_info& node) {
        return !of_pod.needs_all_labels_ || of_pod.has_all_labels(node);
    };
    std::vector<const node_info*> scored;
    std::copy_if(feasible.begin(), feasible.end(), std::back_inserter(scored),
                 [&](const auto* node) { return is_scored(*node); });
    for (const auto& constraint : of_pod.constraints_) {
        state::preferred one{constraint, constraint.rule->topology_key == hostname_, {}};
        one.pods.assign(one.is_by_node ? nodes.slots() : constraint.nodes->size(), 0);
        // A domain of many weighs more, as its pods are fewer.
        const std::size_t size = one.is_by_node ? scored.size() : detail::domains_of(scored, *constraint.nodes);
        one.weight = std::log(static_cast<double>(size + 2));
        of_pod.preferred_.push_back(std::move(one));
    }
    for (const auto* placed : nodes.pods_in(pod.namespace_())) {
        const node_info& node = *placed->node;
        if (!node.exists()) continue;
        for (auto& one : of_pod.preferred_) {
            if (!detail::is_counted(*placed->pod, *one.by.rule)) continue;
            if (one.is_by_node) {
                ++one.pods[node.slot()];
            } else if (is_scored(node) && of_pod.counts(node, *one.by.rule)) {
                const std::int32_t domain = one.by.nodes->domain_of(node);
                if (domain != topology::none) ++one.pods[static_cast<std::size_t>(domain)];
            }
        }
    }
    return status();
}

KCONTROL_DECL std::int64_t pod_topology_spread::score(const state& of_pod, const pod_info&,
                                                      const node_info& node) const {
    if (of_pod.needs_all_labels_ && !of_pod.has_all_labels(node)) return 0;
    double sum = 0;
    for (const auto& one : of_pod.preferred_) {
        const std::int32_t domain = one.by.nodes->domain_of(node);
        if (domain == topology::none) continue;
        const std::int64_t there = one.pods[one.is_by_node ? node.slot() : static_cast<std::size_t>(domain)];
        sum += static_cast<double>(there) * one.weight + static_cast<double>(one.by.rule->max_skew - 1);
    }
    return static_cast<std::int64_t>(std::round(sum));
}

KCONTROL_DECL void pod_topology_spread::normalize_score(const state& of_pod, std::span<std::int64_t> scores,
                                                        std::span<const node_info* const> nodes) const {
    const auto is_ignored = [&](const node_info& node) {
        return of_pod.needs_all_labels_ && !of_pod.has_all_labels(node);
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (is_ignored(*nodes[i])) continue;
        least = std::min(least, scores[i]);
        most = std::max(most, scores[i]);
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (is_ignored(*nodes[i])) {
            scores[i] = 0;
        } else {
            scores[i] = most == 0 ? max_node_score : max_node_score * (most + least - scores[i]) / most;
        }
    }
}

}  // namespace kcontrol::scheduling
