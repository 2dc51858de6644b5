// What an object has that its typed copy does not show.
#pragma once

#include <kcontrol/codec/list_elements.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

/// Whether `original` has members, here or below, that its encoding `shown` does not have and the type does not
/// declare.
inline bool hides_members(const place_in_kind& place, const json::value& original, const json::value& shown) {
    static const json::value nothing;
    if (const auto* members = original.if_object()) {
        const auto* known = shown.if_object();
        return std::any_of(members->begin(), members->end(), [&](const auto& member) {
            const auto* there = known != nullptr ? known->if_contains(member.key()) : nullptr;
            if (there == nullptr && !place.declares(member.key())) return true;
            return hides_members(place.member(member.key()), member.value(), there != nullptr ? *there : nothing);
        });
    }
    const auto* list = original.if_array();
    if (list == nullptr) return false;
    const auto* known = shown.if_array();
    const bool aligned = known != nullptr && known->size() == list->size();
    const place_in_kind element = place.element();
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (hides_members(element, (*list)[i], aligned ? (*known)[i] : nothing)) return true;
    }
    return false;
}

}  // namespace kcontrol::detail
