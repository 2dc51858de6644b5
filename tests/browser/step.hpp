// The members of a script's step. Those that are missing are empty.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

inline std::string text(const kcontrol::json::object& at, std::string_view name) {
    const auto* found = at.if_contains(name);
    return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

inline std::int64_t number(const kcontrol::json::object& at, std::string_view name) {
    const auto* found = at.if_contains(name);
    return found && found->is_number() ? found->to_number<std::int64_t>() : 0;
}

// Calls `visit` with each element that is an object.
template <class Visit>
void each(const kcontrol::json::object& at, std::string_view name, Visit visit) {
    const auto* found = at.if_contains(name);
    if (!found || !found->is_array()) return;
    for (const auto& element : found->as_array()) visit(element.as_object());
}

inline std::uint64_t count(const kcontrol::json::object& at, std::string_view name) {
    return static_cast<std::uint64_t>(number(at, name));
}
