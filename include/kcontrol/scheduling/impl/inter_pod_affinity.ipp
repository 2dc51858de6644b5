#pragma once

#include <kcontrol/scheduling/impl/inter_pod_affinity_score.ipp>
#include <kcontrol/scheduling/impl/inter_pod_terms.hpp>
#include <kcontrol/scheduling/inter_pod_affinity.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

KCONTROL_DECL void sums_by_label::add(const interned_name& label, const node_info& node, std::int64_t amount) {
    auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.nodes->key() == label; });
    if (found == all_.end()) {
        label_sums made{round_topology(*nodes_, label), {}};
        made.sums.assign(made.nodes->size(), 0);
        found = all_.insert(all_.end(), std::move(made));
    }
    const std::int32_t domain = found->nodes->domain_of(node);
    if (domain == topology::none) return;
    found->sums[static_cast<std::size_t>(domain)] += amount;
    was_added_to_ = true;
}

KCONTROL_DECL std::int64_t sums_by_label::at(const interned_name& label, const node_info& node) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.nodes->key() == label; });
    return found == all_.end() ? 0 : found->at(node);
}

KCONTROL_DECL std::int64_t sums_by_label::sum_at(const node_info& node) const noexcept {
    std::int64_t sum = 0;
    for (const auto& one : all_) sum += one.at(node);
    return sum;
}

KCONTROL_DECL bool sums_by_label::any_at(const node_info& node) const noexcept {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.at(node) > 0; });
}

}  // namespace detail

// Counts a pod if all terms of the required affinity of `pod` select it.
KCONTROL_DECL void inter_pod_affinity::state::count_near(const pod_info& pod, const pod_info& other,
                                                         const node_info& node, std::int64_t by) {
    if (!detail::all_select_pod(pod.terms().affinity, other, *nodes_)) return;
    for (const auto& term : pod.terms().affinity) {
        if (node.label(term.topology_key.view()) == nullptr) continue;
        near_.add(term.topology_key, node, by);
        near_count_ += by;
    }
}

// Counts a pod if the term of required anti-affinity selects it.
KCONTROL_DECL void inter_pod_affinity::state::count_apart(const affinity_term& term, const pod_info& other,
                                                          const node_info& node, std::int64_t by) {
    if (detail::selects_pod(term, other, *nodes_)) apart_.add(term.topology_key, node, by);
}

// Counts a pod for each term of its required anti-affinity that selects `pod`.
KCONTROL_DECL void inter_pod_affinity::state::count_against(const pod_info& pod, const pod_info& other,
                                                            const node_info& node, std::int64_t by) {
    for (const auto& term : other.terms().anti_affinity) {
        if (detail::selects_pod(term, pod, *nodes_)) against_.add(term.topology_key, node, by);
    }
}

KCONTROL_DECL void inter_pod_affinity::state::count(const pod_info& pod, const pod_info& other, const node_info& node,
                                                    std::int64_t by) {
    count_near(pod, other, node, by);
    for (const auto& term : pod.terms().anti_affinity) count_apart(term, other, node, by);
    count_against(pod, other, node, by);
}

KCONTROL_DECL std::vector<event_kind> inter_pod_affinity::events() {
    return {{interned_name("Pod"), event_actions::add | event_actions::delete_ | event_actions::update_pod_label},
            {interned_name("Node"), event_actions::add | event_actions::update_node_label},
            {interned_name("Namespace"), event_actions::add | event_actions::update_other}};
}

KCONTROL_DECL status inter_pod_affinity::pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const {
    of_pod.nodes_ = &nodes;
    for (auto* sums : {&of_pod.near_, &of_pod.apart_, &of_pod.against_}) sums->clear(nodes);
    of_pod.near_count_ = 0;
    for (const auto* node : nodes.nodes_with_required_anti_affinity()) {
        if (!node->exists()) continue;
        for (const auto* other : node->pods_with_required_anti_affinity()) {
            of_pod.count_against(pod, *other, *node, 1);
        }
    }
    const auto& near = pod.terms().affinity;
    const auto& apart = pod.terms().anti_affinity;
    if (near.empty() && apart.empty() && of_pod.against_.empty()) return status::skip();
    if (!near.empty()) {
        detail::each_candidate(near.front(), nodes, [&](const pod_info& other, const node_info& node) {
            of_pod.count_near(pod, other, node, 1);
        });
    }
    for (const auto& term : apart) {
        detail::each_candidate(term, nodes, [&](const pod_info& other, const node_info& node) {
            of_pod.count_apart(term, other, node, 1);
        });
    }
    return status();
}

KCONTROL_DECL status inter_pod_affinity::filter(const state& of_pod, const pod_info& pod, const node_info& node) const {
    const auto& terms = pod.terms();
    bool is_near = true;
    for (const auto& term : terms.affinity) {
        if (node.label(term.topology_key.view()) == nullptr) return status::unresolvable(not_near_);
        is_near = is_near && of_pod.near_.at(term.topology_key, node) > 0;
    }
    // The first of pods that are to be near each other finds none, and may go anywhere.
    const auto is_first = [&] {
        return of_pod.near_count_ == 0 && detail::all_select_pod(terms.affinity, pod, *of_pod.nodes_);
    };
    if (!is_near && !is_first()) return status::unresolvable(not_near_);
    if (of_pod.apart_.any_at(node)) return status::unschedulable(not_apart_);
    if (of_pod.against_.any_at(node)) return status::unschedulable(against_);
    return status();
}

KCONTROL_DECL void inter_pod_affinity::add_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                               const node_info& node) const {
    of_pod.count(pod, other, node, 1);
}

KCONTROL_DECL void inter_pod_affinity::remove_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                                  const node_info& node) const {
    of_pod.count(pod, other, node, -1);
}

}  // namespace kcontrol::scheduling
