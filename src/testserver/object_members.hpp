// Members of an object that gets its defaults.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {

inline json::object* object_at(json::object& of, std::string_view name) {
    json::value* found = of.if_contains(name);
    return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}

inline json::array* array_at(json::object& of, std::string_view name) {
    json::value* found = of.if_contains(name);
    return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

inline std::string text_at(const json::object& of, std::string_view name) {
    const json::value* found = of.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

inline bool lacks(const json::object& of, std::string_view name) {
    const json::value* found = of.if_contains(name);
    return found == nullptr || found->is_null();
}

inline void set_missing(json::object& of, std::string_view name, json::value value) {
    if (lacks(of, name)) of[name] = std::move(value);
}

}  // namespace kcontrol::testing::detail
