#pragma once

#include <kcontrol/model/detail/selector_parts.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/required_node_affinity.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

template <class Fulfils>
result<bool> fulfils_any(const std::vector<result<node_selector>>& terms, Fulfils&& fulfils) {
    const error* wrong = nullptr;
    for (const auto& term : terms) {
        if (!term) {
            if (wrong == nullptr) wrong = &term.error();
        } else if (fulfils(*term)) {
            return true;
        }
    }
    if (wrong != nullptr) return *wrong;
    return false;
}

}  // namespace detail

KCONTROL_DECL required_node_affinity::required_node_affinity(
    const std::map<std::string, std::string>& node_labels, const std::optional<std::vector<node_selector_term>>& terms)
    : has_terms_(terms.has_value()) {
    // Not checked, as in Go: what can't be a label is on no node.
    std::vector<label_requirement> wanted;
    for (const auto& [key, value] : node_labels) {
        wanted.emplace_back(key, label_operator::equals, std::vector<std::string>(1, value));
    }
    labels_ = label_selector(std::move(wanted));
    if (!terms) return;
    for (std::size_t i = 0; i < terms->size(); ++i) {
        terms_.push_back(node_selector::make_term((*terms)[i], "nodeSelectorTerms[" + std::to_string(i) + "]"));
    }
}

KCONTROL_DECL result<bool> required_node_affinity::matches(const object_meta& node) const {
    if (!labels_.selects(node)) return false;
    if (!has_terms_) return true;
    return detail::fulfils_any(terms_, [&](const node_selector& term) { return term.selects(node); });
}

KCONTROL_DECL result<bool> required_node_affinity::matches(const std::map<std::string, std::string>& labels,
                                                           std::string_view node_name) const {
    if (!labels_.matches(labels)) return false;
    if (!has_terms_) return true;
    return detail::fulfils_any(terms_, [&](const node_selector& term) { return term.matches(labels, node_name); });
}

}  // namespace kcontrol
