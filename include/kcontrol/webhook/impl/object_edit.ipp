#pragma once

#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/object_edit.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// Carries the differences of two encodings over to a document of which they show a part.
class edit_carrier {
public:
    static void carry(json::value& onto, const json::value& from, const json::value& to) {
        if (from == to) return;
        if (from.is_object() && to.is_object()) {
            if (!onto.is_object()) onto.emplace_object();  // it was null or absent, and is read as if it were empty
            carry_members(onto.get_object(), from.get_object(), to.get_object());
        } else if (from.is_array() && to.is_array() && onto.is_array() &&
                   onto.get_array().size() == from.get_array().size()) {
            carry_elements(onto.get_array(), from.get_array(), to.get_array());
        } else {
            onto = to;
        }
    }

private:
    static void carry_members(json::object& onto, const json::object& from, const json::object& to) {
        for (const auto& member : from) {
            if (!to.contains(member.key())) onto.erase(member.key());
        }
        for (const auto& member : to) {
            const auto* old = from.if_contains(member.key());
            if (old == nullptr) {
                onto[member.key()] = member.value();
            } else if (*old != member.value()) {
                carry(onto[member.key()], *old, member.value());
            }
        }
    }

    static void carry_elements(json::array& onto, const json::array& from, const json::array& to) {
        const std::string_view identity = identity_in(from, to);
        const json::array before = onto;
        onto.clear();
        if (identity.empty()) return carry_by_place(onto, before, from, to);
        std::map<std::string_view, std::size_t> places;
        for (std::size_t i = 0; i < from.size(); ++i) places.emplace(name_of(from[i], identity), i);
        for (const json::value& element : to) {
            const auto known = places.find(name_of(element, identity));
            if (known == places.end()) {
                onto.push_back(element);
            } else {
                onto.push_back(before[known->second]);
                carry(onto.back(), from[known->second], element);
            }
        }
    }

    // What is equal at both ends has not moved; between them the elements are the same by their places.
    static void carry_by_place(json::array& onto, const json::array& before, const json::array& from,
                               const json::array& to) {
        const std::size_t most = std::min(from.size(), to.size());
        std::size_t head = 0, tail = 0;
        while (head < most && from[head] == to[head]) ++head;
        while (tail < most - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) ++tail;
        for (std::size_t i = 0; i < to.size(); ++i) {
            const bool at_end = i >= to.size() - tail;
            const std::size_t old = at_end ? i + from.size() - to.size() : i;
            if (at_end || old < from.size() - tail) {
                onto.push_back(before[old]);
                carry(onto.back(), from[old], to[i]);
            } else {
                onto.push_back(to[i]);
            }
        }
    }

    static std::string_view name_of(const json::value& element, std::string_view identity) {
        return element.get_object().at(identity).get_string();
    }

    // The member whose string tells elements apart, in both lists; empty if there is none.
    static std::string_view identity_in(const json::array& a, const json::array& b) {
        for (const std::string_view name : {"name", "type", "key", "uid"}) {
            if (tells_apart(a, name) && tells_apart(b, name)) return name;
        }
        return {};
    }
    static bool tells_apart(const json::array& list, std::string_view name) {
        std::vector<std::string_view> seen;
        for (const json::value& element : list) {
            const auto* members = element.if_object();
            const auto* value = members != nullptr ? members->if_contains(name) : nullptr;
            if (value == nullptr || !value->is_string()) return false;
            seen.emplace_back(value->get_string());
        }
        std::sort(seen.begin(), seen.end());
        return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    }
};

}  // namespace detail

KCONTROL_DECL result<std::string> json_patch_of_edit(json::node original, std::string_view before,
                                                     std::string_view after) {
    if (before == after) return std::string();
    const auto from = json::parse(before);
    if (!from) return from.error();
    const auto to = json::parse(after);
    if (!to) return to.error();
    const auto whole = json::to_value(original);
    if (!whole) return whole.error();
    json::value edited = *whole;
    detail::edit_carrier::carry(edited, *from, *to);
    const json::array operations = json::diff(*whole, edited);
    if (operations.empty()) return std::string();
    return json::serialize(operations);
}

}  // namespace kcontrol
