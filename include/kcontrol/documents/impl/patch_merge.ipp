#pragma once

#include <kcontrol/documents/patch.hpp>

namespace kcontrol::inline v0_1::json {

KCONTROL_DECL void apply_merge_patch(value& target, const value& patch) {
    const auto* members = patch.if_object();
    if (!members) {
        target = patch;
        return;
    }
    if (!target.is_object()) target = object();
    auto& into = target.get_object();
    for (const auto& [name, member_patch] : *members) {
        if (member_patch.is_null()) {
            into.stable_erase(name);
        } else {
            apply_merge_patch(into[name], member_patch);
        }
    }
}

KCONTROL_DECL value merge_diff(const value& from, const value& to) {
    if (!from.is_object() || !to.is_object()) return equal(from, to) ? value(object()) : to;
    object out;
    const auto& old_members = from.get_object();
    const auto& new_members = to.get_object();
    for (const auto& [name, old_value] : old_members) {
        const value* new_value = new_members.if_contains(name);
        if (!new_value) {
            out.emplace(name, nullptr);
        } else if (!equal(old_value, *new_value)) {
            out.emplace(name, merge_diff(old_value, *new_value));
        }
    }
    for (const auto& [name, new_value] : new_members) {
        if (!old_members.contains(name)) out.emplace(name, new_value);
    }
    return out;
}

}  // namespace kcontrol::json
