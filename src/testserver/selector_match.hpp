// Selectors in objects that are JSON, as the library's own.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/label_selector.hpp>

#include "testserver/json_values.hpp"

#include <map>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

// A map of texts, such as metadata.labels, matchLabels and nodeSelector; empty if it is absent or no map.
inline std::map<std::string, std::string> texts_by_name(const json::value* map) {
    std::map<std::string, std::string> out;
    if (map == nullptr || !map->is_object()) return out;
    for (const auto& one : map->get_object()) {
        if (one.value().is_string()) out.emplace(one.key(), one.value().get_string());
    }
    return out;
}

// matchExpressions, and matchFields of nodes.
inline std::vector<label_expression> expressions_of(const json::value* list) {
    std::vector<label_expression> out;
    if (list == nullptr || !list->is_array()) return out;
    for (const auto& one : list->get_array()) {
        out.push_back({std::string(json::get_string(one, {"key"})), std::string(json::get_string(one, {"operator"})),
                       strings_of(json::find(one, {"values"}))});
    }
    return out;
}

// Whether a metav1.LabelSelector selects these labels. An empty one selects everything. An absent one selects nothing,
// nor does one that is wrong, which a server without validation may have stored.
inline bool selector_selects(const json::value* selector, const std::map<std::string, std::string>& labels) {
    if (selector == nullptr || !selector->is_object()) return false;
    const auto made = label_selector::make(texts_by_name(json::find(*selector, {"matchLabels"})),
                                           expressions_of(json::find(*selector, {"matchExpressions"})));
    return made && made->matches(labels);
}

}  // namespace kcontrol::testing::detail
