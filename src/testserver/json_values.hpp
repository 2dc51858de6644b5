// What several files ask of JSON values.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

// The texts in a list; none if it is absent or no list.
inline std::vector<std::string> strings_of(const json::value* list) {
    std::vector<std::string> out;
    if (list == nullptr || !list->is_array()) return out;
    for (const auto& item : list->get_array()) {
        if (item.is_string()) out.emplace_back(item.get_string());
    }
    return out;
}

// As Go names the types of JSON.
inline std::string_view json_type(const json::value& v) {
    if (v.is_string()) return "string";
    if (v.is_number()) return "number";
    if (v.is_bool()) return "bool";
    return v.is_array() ? "array" : "object";
}

}  // namespace kcontrol::testing::detail
