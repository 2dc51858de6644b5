// Questions about schemas and values that several of a structural schema's parts ask.
#pragma once

#include <kcontrol/cel/value.hpp>
#include <kcontrol/cel/value_schema.hpp>
#include <kcontrol/documents/value.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

using cel::additional_schema;
using cel::declared_member;
using cel::member_schema;
using cel::schema_flag;

inline std::string below_path(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}
inline std::string item_path(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
}

/// As the API server's messages show a value.
inline std::string shown_value(const json::value& v) {
    return v.is_double() ? cel::to_text(v.get_double()) : json::serialize(v);
}

inline bool is_whole(const json::value& v) {
    if (v.is_int64() || v.is_uint64()) return true;
    return v.is_double() && std::fabs(v.get_double()) <= 9007199254740991.0 &&
           std::floor(v.get_double()) == v.get_double();
}

/// As kube-openapi calls the types of values.
inline std::string_view schema_type_of(const json::value& v) {
    if (v.is_null()) return "null";
    if (v.is_bool()) return "boolean";
    if (v.is_int64()) return "integer";
    if (v.is_number()) return "number";
    if (v.is_string()) return "string";
    return v.is_array() ? "array" : "object";
}

}  // namespace kcontrol::testing::detail
