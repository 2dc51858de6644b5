// Whether a write changes an object, and what of it. Pure.
#pragma once

#include "testserver/write_rules.hpp"

#include <algorithm>
#include <cstddef>

namespace kcontrol::inline v0_1::testing {
namespace detail {

// Everything but metadata and status: what metadata.generation counts the changes of.
inline bool is_specification(std::string_view member) {
    return member != "apiVersion" && member != "kind" && member != "metadata" && member != "status";
}

inline bool same_specification(const json::object& a, const json::object& b) {
    std::ptrdiff_t more = 0;
    for (const auto& [name, value] : a) {
        if (!is_specification(name)) continue;
        const json::value* other = b.if_contains(name);
        if (other == nullptr || !json::equal(*other, value)) return false;
        ++more;
    }
    for (const auto& [name, value] : b) more -= is_specification(name) ? 1 : 0;
    return more == 0;
}

// managedFields as a server compares them: when a manager wrote last is no difference.
inline bool same_managed_fields(const json::value& a, const json::value& b) {
    if (!a.is_array() || !b.is_array() || a.get_array().size() != b.get_array().size()) return a == b;
    const auto without_time = [](const json::value& entry) {
        json::value out = entry;
        if (out.is_object()) out.get_object().erase("time");
        return out;
    };
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(),
                      [&](const json::value& x, const json::value& y) { return without_time(x) == without_time(y); });
}

inline bool same_metadata(const json::object& a, const json::object& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&b](const auto& member) {
        const json::value* other = b.if_contains(member.key());
        if (other == nullptr) return false;
        return member.key() == "managedFields" ? same_managed_fields(member.value(), *other)
                                               : json::equal(member.value(), *other);
    });
}

inline void count_generation(json::object& metadata) {
    const json::value* found = metadata.if_contains("generation");
    metadata["generation"] = (found != nullptr && found->is_int64() ? found->get_int64() : 0) + 1;
}

}  // namespace detail

/// Counts metadata.generation on if a body differs from `before` in more than metadata and status. The body has its
/// defaults: a default that is said is no change.
inline void follow_generation(const resource_type& type, const write_target& target, const json::object& before,
                              json::object& body) {
    const std::string_view part = target.subresource;
    if (!type.generation || part == "status" || part == "finalize" || part == "binding") return;
    if (!detail::same_specification(before, body)) detail::count_generation(metadata_of(body));
}

/// Whether a completed body is `before` in other words, so that there is nothing to write. The times of managedFields
/// do not count: without a change they stay.
inline bool changes_nothing(const json::object& before, const json::object& body) {
    if (before.size() != body.size()) return false;
    for (const auto& [name, value] : before) {
        const json::value* other = body.if_contains(name);
        if (other == nullptr) return false;
        if (name == "metadata" && value.is_object() && other->is_object()) {
            if (!detail::same_metadata(value.get_object(), other->get_object())) return false;
        } else if (!json::equal(value, *other)) {
            return false;
        }
    }
    return true;
}

}  // namespace kcontrol::testing
