#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/node_selector.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline result<field_requirement> node_field_requirement(const label_expression& from) {
    if (from.op != "In" && from.op != "NotIn") {
        return error(errc::invalid_argument,
                     "operator \"" + escape_control(from.op.substr(0, 80)) + "\" is neither In nor NotIn");
    }
    if (from.values.size() != 1) return error(errc::invalid_argument, "values must have one element");
    return field_requirement(from.key, from.values.front(), from.op == "In");
}

}  // namespace detail

KCONTROL_DECL result<node_selector> node_selector::make(const std::vector<node_selector_term>& terms) {
    node_selector out;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (terms[i].match_expressions.empty() && terms[i].match_fields.empty()) continue;
        const std::string path = "nodeSelectorTerms[" + std::to_string(i) + "].";
        std::vector<label_requirement> labels;
        term ready;
        for (std::size_t n = 0; n < terms[i].match_expressions.size(); ++n) {
            auto made = label_requirement::make(terms[i].match_expressions[n]);
            if (!made) return made.error().with_context(path + "matchExpressions[" + std::to_string(n) + "]");
            labels.push_back(std::move(*made));
        }
        for (std::size_t n = 0; n < terms[i].match_fields.size(); ++n) {
            auto made = detail::node_field_requirement(terms[i].match_fields[n]);
            if (!made) return made.error().with_context(path + "matchFields[" + std::to_string(n) + "]");
            ready.fields.push_back(std::move(*made));
        }
        ready.labels = label_selector(std::move(labels));
        out.terms_.push_back(std::move(ready));
    }
    return out;
}

KCONTROL_DECL bool node_selector::matches(const std::map<std::string, std::string>& labels,
                                          std::string_view node_name) const {
    // metadata.name is the only field there is; a node without a name is not asked for it.
    const auto fulfils = [&](const field_requirement& field) {
        const auto found = field.field == "metadata.name" ? node_name : std::string_view();
        return (found == field.value) == field.equals;
    };
    return std::any_of(terms_.begin(), terms_.end(), [&](const term& t) {
        return t.labels.matches(labels) &&
               (node_name.empty() || std::all_of(t.fields.begin(), t.fields.end(), fulfils));
    });
}

}  // namespace kcontrol
