#pragma once

#include <kcontrol/controller/dynamic_predicate.hpp>

#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline json::value value_in(const dynamic_object& object, const std::vector<std::string>& path) {
    if (path.empty()) return object.content.tree();
    json::value out = object.content.get({std::string_view(path.front())});
    for (std::size_t i = 1; i < path.size(); ++i) {
        const json::value* const next = json::find(out, {std::string_view(path[i])});
        json::value found = next == nullptr ? json::value() : *next;
        out = std::move(found);
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL predicate content_changed(std::vector<std::string> path) {
    return [path = std::move(path)](const any_event& e) {
        if (e.type != event_type::updated || !e.old_object || !e.new_object) return true;
        const json::value before = detail::value_in(e.old_object.get<dynamic_object>(), path);
        const json::value after = detail::value_in(e.new_object.get<dynamic_object>(), path);
        return !json::equal(before, after);
    };
}

}  // namespace kcontrol
