// The field of a name in a table, fast for members that come in the table's order.
#pragma once

#include <kcontrol/json/lazy.hpp>
#include <kcontrol/model/type_descriptor.hpp>

#include <cstring>
#include <type_traits>

namespace kcontrol::detail {

/// `hint` is where to look first; 0 at the start of an object, kept by the caller in between.
inline const field_descriptor* find_field(const type_descriptor& type, std::string_view name, std::size_t& hint) {
    std::size_t at = hint;
    for (std::size_t tried = 0; tried < type.field_count; ++tried) {
        const field_descriptor& field = type.fields[at];
        at = at + 1 == type.field_count ? 0 : at + 1;
        if (field.name.size() == name.size() && std::memcmp(field.name.data(), name.data(), name.size()) == 0) {
            hint = at;
            return &field;
        }
    }
    return nullptr;
}

/// The same for a member of a node or lazy node, whose name may have escapes.
template <class Member>
const field_descriptor* find_member(const type_descriptor& type, const Member& member, std::size_t& hint) {
    const std::string_view raw = raw_name_of(member);
    if (const auto* field = find_field(type, raw, hint)) return field;
    if (std::is_same_v<Member, json::member> || raw.find('\\') == std::string_view::npos) return nullptr;
    return find_field(type, name_of(member), hint);
}

}  // namespace kcontrol::detail
