// Selectors as objects have them, held against labels.
#pragma once

#include <kcontrol/documents/value.hpp>

#include "testserver/json_values.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

// Whether a selector of labels selects an object. One that is empty selects everything.
inline bool selector_selects(const json::value* selector, const std::map<std::string, std::string>& labels) {
    if (selector == nullptr || !selector->is_object()) return false;
    const json::value* equal = json::find(*selector, {"matchLabels"});
    if (equal != nullptr && equal->is_object()) {
        for (const auto& one : equal->get_object()) {
            const auto found = labels.find(one.key());
            if (found == labels.end() || !one.value().is_string() ||
                one.value().get_string() != found->second.c_str()) {
                return false;
            }
        }
    }
    const json::value* expressions = json::find(*selector, {"matchExpressions"});
    if (expressions == nullptr || !expressions->is_array()) return true;
    for (const auto& one : expressions->get_array()) {
        const auto found = labels.find(std::string(json::get_string(one, {"key"})));
        const std::string_view how = json::get_string(one, {"operator"});
        const auto values = strings_of(json::find(one, {"values"}));
        const bool listed =
            found != labels.end() && std::find(values.begin(), values.end(), found->second) != values.end();
        if (how == "In" && !listed) return false;
        if (how == "NotIn" && listed) return false;
        if (how == "Exists" && found == labels.end()) return false;
        if (how == "DoesNotExist" && found != labels.end()) return false;
    }
    return true;
}

}  // namespace kcontrol::testing::detail
