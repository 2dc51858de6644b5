// Looking into a JSON document whose shape nobody promises: absent or wrongly typed is empty.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_gen {

namespace json = kcontrol::json;

inline const json::value* member(const json::value& v, std::string_view name) {
    return v.is_object() ? v.get_object().if_contains(name) : nullptr;
}

inline std::string_view text_of(const json::value& v, std::string_view name) {
    const auto* found = member(v, name);
    return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
}

inline bool is_true(const json::value& v, std::string_view name) {
    const auto* found = member(v, name);
    return found != nullptr && found->is_bool() && found->get_bool();
}

/// The members of an object member, or an empty object.
inline const json::object& object_of(const json::value& v, std::string_view name) {
    static const json::object none;
    const auto* found = member(v, name);
    return found != nullptr && found->is_object() ? found->get_object() : none;
}

inline const json::array& array_of(const json::value& v, std::string_view name) {
    static const json::array none;
    const auto* found = member(v, name);
    return found != nullptr && found->is_array() ? found->get_array() : none;
}

/// The strings of an array member; elements that are none are left out.
inline std::vector<std::string> texts_of(const json::value& v, std::string_view name) {
    std::vector<std::string> out;
    for (const auto& element : array_of(v, name)) {
        if (element.is_string()) out.emplace_back(std::string_view(element.get_string()));
    }
    return out;
}

/// A member name as the std::string_view that it is.
inline std::string_view key_of(const boost::json::key_value_pair& entry) {
    return {entry.key().data(), entry.key().size()};
}

}  // namespace kcontrol_gen
