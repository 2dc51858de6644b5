#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/impl/quoted_values.hpp>
#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline result<field_requirement> node_field_requirement(const label_expression& from) {
    if (from.op != "In" && from.op != "NotIn") {
        return error(errc::invalid_argument,
                     "operator \"" + escape_control(from.op.substr(0, 80)) + "\" is neither In nor NotIn");
    }
    if (from.values.size() != 1) {
        return error(errc::invalid_argument, quoted_values(from.values) + "values must have one element");
    }
    return field_requirement(from.key, from.values.front(), from.op == "In");
}

template <class Terms, class Selected>
bool fulfils_term(const Terms& terms, Selected&& selected, std::string_view node_name) {
    // metadata.name is the only field there is; a node without a name is not asked for it.
    const auto fulfils = [&](const field_requirement& field) {
        const auto found = field.field == "metadata.name" ? node_name : std::string_view();
        return (found == field.value) == field.equals;
    };
    return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
        return selected(term.labels) &&
               (node_name.empty() || std::all_of(term.fields.begin(), term.fields.end(), fulfils));
    });
}

}  // namespace detail

KCONTROL_DECL result<node_selector> node_selector::make_term(const node_selector_term& from, const std::string& path) {
    node_selector out;
    if (from.match_expressions.empty() && from.match_fields.empty()) return out;
    std::vector<label_requirement> labels;
    term ready;
    for (std::size_t n = 0; n < from.match_expressions.size(); ++n) {
        auto made = label_requirement::make(from.match_expressions[n]);
        if (!made) return made.error().with_context(path + ".matchExpressions[" + std::to_string(n) + "]");
        labels.push_back(std::move(*made));
    }
    for (std::size_t n = 0; n < from.match_fields.size(); ++n) {
        auto made = detail::node_field_requirement(from.match_fields[n]);
        if (!made) return made.error().with_context(path + ".matchFields[" + std::to_string(n) + "]");
        ready.fields.push_back(std::move(*made));
    }
    ready.labels = label_selector(std::move(labels));
    out.terms_.push_back(std::move(ready));
    return out;
}

KCONTROL_DECL result<node_selector> node_selector::make(const std::vector<node_selector_term>& terms) {
    node_selector out;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        auto made = make_term(terms[i], "nodeSelectorTerms[" + std::to_string(i) + "]");
        if (!made) return made.error();
        for (term& one : made->terms_) out.terms_.push_back(std::move(one));
    }
    return out;
}

KCONTROL_DECL bool node_selector::matches(const std::map<std::string, std::string>& labels,
                                          std::string_view node_name) const {
    return detail::fulfils_term(
        terms_, [&](const label_selector& of) { return of.matches(labels); }, node_name);
}

KCONTROL_DECL bool node_selector::selects(const object_meta& node) const {
    return detail::fulfils_term(
        terms_, [&](const label_selector& of) { return of.selects(node); }, node.name);
}

}  // namespace kcontrol
