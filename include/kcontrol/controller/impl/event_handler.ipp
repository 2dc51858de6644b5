#pragma once

#include <kcontrol/controller/event_handler.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// Source: owner references name a version, but an owner is the same object in all of them.
inline bool refers_to(const owner_reference& reference, const group_version_kind& owner) {
    const std::string_view version = reference.api_version;
    const auto slash = version.find('/');
    const auto group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    return reference.kind == owner.kind && group == owner.group;
}

}  // namespace detail

KCONTROL_DECL void enqueue_for_object(const any_event& e, request_sink<request>& sink) {
    if (e.object()) sink.add(request(e.object().key()));
}

KCONTROL_DECL event_handler<request> enqueue_for_owner(group_version_kind owner, resource_scope scope,
                                                       owner_match match) {
    return [owner = std::move(owner), scope, match](const any_event& e, request_sink<request>& sink) {
        const auto add_owners_of = [&](const any_object& object) {
            if (!object) return;
            for (const owner_reference& reference : object.meta().owner_references) {
                if (match == owner_match::controller && !reference.controller.value_or(false)) continue;
                if (!detail::refers_to(reference, owner)) continue;
                const bool namespaced = scope == resource_scope::namespaced;
                sink.add(request(namespaced ? object.meta().namespace_.str() : std::string(), reference.name));
            }
        };
        add_owners_of(e.old_object);
        if (e.new_object != e.old_object) add_owners_of(e.new_object);
    };
}

}  // namespace kcontrol
