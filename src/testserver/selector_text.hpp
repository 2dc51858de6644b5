// Selectors as one line of text, as scales and tables show them.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "testserver/json_values.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

// "a=b,t in (x,y)": a selector as text, if it is not one already.
inline std::string text_of_selector(const json::value* selector) {
    if (selector == nullptr) return {};
    if (selector->is_string()) return std::string(selector->get_string());
    std::vector<std::pair<std::string, std::string>> parts;  // by key
    const auto add = [&parts](const std::string& key, std::string part) { parts.emplace_back(key, std::move(part)); };
    const json::value* labels = json::find(*selector, {"matchLabels"});
    const json::value* expressions = json::find(*selector, {"matchExpressions"});
    if (labels == nullptr && expressions == nullptr) labels = selector;
    if (labels != nullptr && labels->is_object()) {
        for (const auto& one : labels->get_object()) {
            if (one.value().is_string())
                add(one.key(), std::string(one.key()) + "=" + std::string(one.value().get_string()));
        }
    }
    if (expressions != nullptr && expressions->is_array()) {
        for (const auto& one : expressions->get_array()) {
            const std::string key(json::get_string(one, {"key"}));
            const std::string_view how = json::get_string(one, {"operator"});
            auto wanted = strings_of(json::find(one, {"values"}));
            std::sort(wanted.begin(), wanted.end());
            std::string values;
            for (const auto& value : wanted) values += (values.empty() ? "" : ",") + value;
            if (how == "Exists") add(key, key);
            if (how == "DoesNotExist") add(key, "!" + key);
            if (how == "In") add(key, key + " in (" + values + ")");
            if (how == "NotIn") add(key, key + " notin (" + values + ")");
        }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string out;
    for (const auto& [key, part] : parts) out += (out.empty() ? "" : ",") + part;
    return out;
}

}  // namespace kcontrol::testing::detail
