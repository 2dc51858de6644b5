#pragma once

#include <kcontrol/scheduling/impl/node_requirements.hpp>
#include <kcontrol/scheduling/impl/pod_topology_spread_score.ipp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>
#include <kcontrol/scheduling/tolerations.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// kube-scheduler's: nodes without a zone count, and only scores are given.
inline std::vector<spread_constraint> system_spread_constraints() {
    spread_constraint by_node, by_zone;
    by_node.topology_key = interned_name("kubernetes.io/hostname");
    by_node.max_skew = 3;
    by_zone.topology_key = interned_name("topology.kubernetes.io/zone");
    by_zone.max_skew = 5;
    by_node.is_required = by_zone.is_required = false;
    return {by_node, by_zone};
}

}  // namespace detail

KCONTROL_DECL pod_topology_spread::pod_topology_spread(pod_topology_spread_options options)
    : options_(std::move(options)),
      defaults_(options_.default_constraints() ? *options_.default_constraints()
                                               : detail::system_spread_constraints()) {}

// The pod's constraints of one sort; those of the profile if it has none of any sort.
KCONTROL_DECL void pod_topology_spread::take_constraints(state& of_pod, const pod_info& pod, const snapshot& nodes,
                                                         bool is_required) const {
    of_pod.constraints_.clear();
    const auto* from = &pod.terms().spread;
    of_pod.needs_all_labels_ = !from->empty() || options_.default_constraints().has_value();
    if (from->empty()) {
        const auto is_of_sort = [&](const spread_constraint& rule) { return rule.is_required == is_required; };
        if (!options_.default_selector() || std::none_of(defaults_.begin(), defaults_.end(), is_of_sort)) return;
        const auto selector = options_.default_selector()(pod);
        if (selector.empty()) return;
        auto made = std::make_shared<std::vector<spread_constraint>>(defaults_);
        for (auto& rule : *made) rule.selector = selector;
        of_pod.defaults_[is_required ? 0 : 1] = made;
        from = made.get();
    }
    for (const auto& rule : *from) {
        if (rule.is_required != is_required) continue;
        of_pod.constraints_.push_back({&rule, detail::round_topology(nodes, rule.topology_key)});
    }
}

KCONTROL_DECL void pod_topology_spread::state::flag_nodes(const pod_info& pod, const snapshot& nodes) {
    const auto any = [&](bool spread_constraint::*policy) {
        return std::any_of(constraints_.begin(), constraints_.end(),
                           [&](const auto& one) { return one.rule->*policy; });
    };
    const bool by_affinity = any(&spread_constraint::honors_affinity) && detail::requires_labels(pod);
    const bool by_taints = any(&spread_constraint::honors_taints);
    flags_.assign(nodes.slots(), 0);
    for (const auto* node : nodes.nodes()) {
        const bool has_all = std::all_of(constraints_.begin(), constraints_.end(), [&](const auto& one) {
            return one.nodes->domain_of(*node) != topology::none;
        });
        auto& flags = flags_[node->slot()];
        if (has_all) flags |= has_labels;
        if (!by_affinity || detail::fulfils_requirements(*node, pod)) flags |= fulfils_affinity;
        if (!by_taints || untolerated_taint(node->node(), pod.pod()) == nullptr) flags |= tolerated;
    }
}

// Whether the pods of a node count for a rule, whatever labels the node has.
KCONTROL_DECL bool pod_topology_spread::state::counts(const node_info& node,
                                                      const spread_constraint& rule) const noexcept {
    const auto flags = flags_[node.slot()];
    return (!rule.honors_affinity || (flags & fulfils_affinity) != 0) &&
           (!rule.honors_taints || (flags & tolerated) != 0);
}

KCONTROL_DECL void pod_topology_spread::state::required::add_domain(std::int32_t domain) noexcept {
    auto& count = pods[static_cast<std::size_t>(domain)];
    if (count >= 0) return;
    count = 0;
    ++domains;
}

KCONTROL_DECL void pod_topology_spread::state::required::find_least() noexcept {
    least = std::numeric_limits<std::int32_t>::max();
    for (const auto count : pods) {
        if (count < 0 || count > least) continue;
        with_least = count == least ? with_least + 1 : 1;
        least = count;
    }
}

// Keeps the least without looking at all domains, as victims of an eviction are taken away one by one.
KCONTROL_DECL void pod_topology_spread::state::required::change(std::int32_t domain, std::int32_t difference) noexcept {
    auto& count = pods[static_cast<std::size_t>(domain)];
    const bool was_least = count == least;
    count += difference;
    if (count < least) {
        least = count;
        with_least = 1;
    } else if (count == least) {
        ++with_least;
    } else if (was_least && --with_least == 0) {
        find_least();
    }
}

KCONTROL_DECL std::vector<event_kind> pod_topology_spread::events() {
    return {{interned_name("Pod"), event_actions::add | event_actions::delete_ | event_actions::update_pod_label},
            {interned_name("Node"), event_actions::add | event_actions::delete_ | event_actions::update_node_label |
                                        event_actions::update_node_taint}};
}

KCONTROL_DECL status pod_topology_spread::pre_filter(state& of_pod, const pod_info& pod, const snapshot& nodes) const {
    of_pod.required_.clear();
    take_constraints(of_pod, pod, nodes, true);
    if (of_pod.constraints_.empty()) return status::skip();
    of_pod.flag_nodes(pod, nodes);
    for (const auto& constraint : of_pod.constraints_) {
        state::required one{constraint, {}};
        one.pods.assign(constraint.nodes->size(), -1);
        one.counts_itself = constraint.rule->selector.selects(pod.pod().metadata);
        for (const auto* node : nodes.nodes()) {
            if (!of_pod.has_all_labels(*node) || !of_pod.counts(*node, *constraint.rule)) continue;
            one.add_domain(constraint.nodes->domain_of(*node));
        }
        of_pod.required_.push_back(std::move(one));
    }
    for (const auto* placed : nodes.pods_in(pod.namespace_())) {
        const node_info& node = *placed->node;
        if (!node.exists() || !of_pod.has_all_labels(node)) continue;
        for (auto& one : of_pod.required_) {
            if (!of_pod.counts(node, *one.by.rule) || !detail::is_counted(*placed->pod, *one.by.rule)) continue;
            ++one.pods[static_cast<std::size_t>(one.by.nodes->domain_of(node))];
        }
    }
    for (auto& one : of_pod.required_) one.find_least();
    return status();
}

KCONTROL_DECL status pod_topology_spread::filter(const state& of_pod, const pod_info&, const node_info& node) const {
    for (const auto& one : of_pod.required_) {
        const auto& rule = *one.by.rule;
        const std::int32_t domain = one.by.nodes->domain_of(node);
        if (domain == topology::none) return status::unresolvable(no_label_);
        const std::int64_t there = std::max(0, one.pods[static_cast<std::size_t>(domain)]);
        const std::int64_t least = one.domains < rule.min_domains ? 0 : one.least;
        if (there + (one.counts_itself ? 1 : 0) - least > rule.max_skew) return status::unschedulable(uneven_);
    }
    return status();
}

KCONTROL_DECL void pod_topology_spread::change(state& of_pod, const pod_info& pod, const pod_info& other,
                                               const node_info& node, std::int32_t by) const {
    if (other.namespace_() != pod.namespace_()) return;
    for (auto& one : of_pod.required_) {
        const auto& rule = *one.by.rule;
        if (!of_pod.has_all_labels(node) || !of_pod.counts(node, rule) || !detail::is_counted(other, rule)) continue;
        one.change(one.by.nodes->domain_of(node), by);
    }
}

KCONTROL_DECL void pod_topology_spread::add_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                                const node_info& node) const {
    change(of_pod, pod, other, node, 1);
}

KCONTROL_DECL void pod_topology_spread::remove_pod(state& of_pod, const pod_info& pod, const pod_info& other,
                                                   const node_info& node) const {
    change(of_pod, pod, other, node, -1);
}

}  // namespace kcontrol::scheduling
