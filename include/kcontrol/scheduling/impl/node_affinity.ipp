#pragma once

#include <kcontrol/scheduling/impl/node_requirements.hpp>
#include <kcontrol/scheduling/node_affinity.hpp>
#include <kcontrol/scheduling/node_scores.hpp>

#include <algorithm>
#include <string>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

using node_names = std::vector<std::string_view>;

// The names that a term limits the pod to, sorted; none: it does not.
inline std::optional<node_names> names_in_term(const api::core::v1::node_selector_term& term) {
    std::optional<node_names> out;
    for (const auto& field : term.match_fields) {
        if (field.key != "metadata.name" || field.operator_ != "In") continue;
        node_names named(field.values.begin(), field.values.end());
        std::sort(named.begin(), named.end());
        if (out) {
            std::erase_if(*out, [&](auto one) { return !std::binary_search(named.begin(), named.end(), one); });
        } else {
            out = std::move(named);
        }
    }
    return out;
}

// The names of nodes that any term names; none: one of the terms names no node.
inline std::optional<node_names> names_in_terms(const api::core::v1::node_selector& selector) {
    node_names out;
    for (const auto& term : selector.node_selector_terms) {
        const auto named = names_in_term(term);
        if (!named) return std::nullopt;
        out.insert(out.end(), named->begin(), named->end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

inline std::int64_t preference_for(const node_info& node, const std::vector<preferred_node_term>& terms) {
    std::int64_t sum = 0;
    for (const auto& one : terms) {
        if (one.preference.selects(node.node().metadata)) sum += one.weight;
    }
    return sum;
}

}  // namespace detail

KCONTROL_DECL std::vector<event_kind> node_affinity::events() {
    return {{interned_name("Node"), event_actions::add | event_actions::update_node_label}};
}

KCONTROL_DECL bool node_affinity::may_help(const pod_info& waiting, const cluster_event& event) const {
    const auto node = event.after.as<api::core::v1::node>();
    if (node == nullptr) return true;
    const auto& required = options_.added_required();
    const auto selected = waiting.terms().node_affinity.matches(node->metadata);
    return (!required || required->selects(node->metadata)) && selected && *selected;
}

KCONTROL_DECL pre_filter_result node_affinity::pre_filter(const pod_info& pod, const snapshot& state) const {
    const auto* const required = detail::required_node_terms(pod);
    if (!detail::requires_labels(pod) && !options_.added_required()) return status::skip();
    if (required == nullptr || required->node_selector_terms.empty()) return {};
    const auto named = detail::names_in_terms(*required);
    if (!named) return {};
    if (named->empty()) return status::unresolvable(conflict_);
    std::vector<const node_info*> nodes;
    for (const auto one : *named) {
        if (const auto* const found = state.find(one)) nodes.push_back(found);
    }
    return pre_filter_result(std::move(nodes));
}

KCONTROL_DECL status node_affinity::filter(const pod_info& pod, const node_info& node) const {
    const auto& meta = node.node().metadata;
    if (options_.added_required() && !options_.added_required()->selects(meta)) {
        return status::unresolvable(not_for_profile_);
    }
    return detail::fulfils_requirements(node, pod) ? status() : status::unresolvable(not_for_pod_);
}

KCONTROL_DECL status node_affinity::pre_score(const pod_info& pod, const snapshot&,
                                              std::span<const node_info* const>) const {
    const bool nothing = pod.terms().preferred_nodes.empty() && options_.added_preferred().empty();
    return nothing ? status::skip() : status();
}

KCONTROL_DECL std::int64_t node_affinity::score(const pod_info& pod, const node_info& node) const {
    return detail::preference_for(node, pod.terms().preferred_nodes) +
           detail::preference_for(node, options_.added_preferred());
}

KCONTROL_DECL void node_affinity::normalize_score(std::span<std::int64_t> scores) const {
    normalize_by_greatest(scores, score_order::more_is_better);
}

}  // namespace kcontrol::scheduling
