// Questions about schemas and values that several of a structural schema's parts ask.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline bool schema_flag(const json::value& schema, std::string_view name) {
    const json::value* found = json::find(schema, {name});
    return found != nullptr && *found == true;
}

/// What the schema says of a member, or null. A member that is not declared has the schema of additionalProperties.
inline const json::value* declared_member(const json::value& schema, std::string_view name) {
    return json::find(schema, {"properties", name});
}
inline const json::value* additional_schema(const json::value& schema) {
    const json::value* found = json::find(schema, {"additionalProperties"});
    return found != nullptr && found->is_object() ? found : nullptr;
}
inline const json::value* member_schema(const json::value& schema, std::string_view name) {
    const json::value* declared = declared_member(schema, name);
    return declared != nullptr ? declared : additional_schema(schema);
}

inline std::string below_path(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}
inline std::string item_path(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
}

/// As Go's %v shows a float64.
inline std::string shown_number(double value) {
    char digits[64];
    const bool plain = value == 0 || (std::fabs(value) >= 1e-4 && std::fabs(value) < 1e6);
    const auto end = std::to_chars(digits, std::end(digits), value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    return std::string(digits, end.ptr);
}

/// As the API server's messages show a value.
inline std::string shown_value(const json::value& v) {
    return v.is_double() ? shown_number(v.get_double()) : json::serialize(v);
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
