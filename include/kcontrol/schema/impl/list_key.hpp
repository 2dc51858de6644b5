// Which elements of a list the API server takes for the same one: those with an equal key.
#pragma once

#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/model/rules.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <map>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

inline std::string join_members(const std::map<std::string_view, std::string>& members) {
    json::writer out;
    out.begin_object();
    for (const auto& [name, text] : members) {
        out.key(name);
        out.raw(text);
    }
    out.end_object();
    return out.take();
}

/// A text that is the same for what the server takes for equal: objects without regard to order.
inline std::string go_key(json::node value) {
    if (!value.is_object()) return value.to_json();
    std::map<std::string_view, std::string> members;
    for (const auto member : value.members()) members[member.name] = go_key(member.value);
    return join_members(members);
}

inline std::string default_of(const type_descriptor& type, std::string_view name) {
    for (std::size_t i = 0; i < type.field_count; ++i) {
        if (type.fields[i].name != name || type.fields[i].rules == nullptr) continue;
        const field_rules& r = *type.fields[i].rules;
        if (r.default_is != default_kind::string) return std::string(r.default_text);
        json::writer out;
        out.value(r.default_text);
        return out.take();
    }
    return {};
}

/// The key of an element of a list of list-type map: its key fields, absent ones by their defaults.
inline std::string key_of_element(const type_descriptor& element, const field_rules& list, json::node entry) {
    std::map<std::string_view, std::string> keys;
    if (entry.is_null()) return join_members(keys);  // without defaults
    for (const std::string_view name : list.list_keys) {
        const json::node value = entry[name];
        if (!value.is_null()) {
            keys[name] = go_key(value);
        } else if (std::string text = default_of(element, name); !text.empty()) {
            keys[name] = std::move(text);
        }
    }
    return join_members(keys);
}

}  // namespace kcontrol::detail
