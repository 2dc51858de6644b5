#pragma once

#include <kcontrol/apiserver/watch_cursor.hpp>

#include <algorithm>

namespace kcontrol::testing {
namespace detail {

inline object_ptr at_version(const stored_object& object, std::uint64_t version) {
    json::object content = object.content();
    set_resource_version(content, version);
    return std::make_shared<const stored_object>(std::move(content));
}

}  // namespace detail

KCONTROL_DECL std::optional<seen_event> as_seen(const store_event& event, const object_filter& filter) {
    const bool was = event.previous != nullptr && filter.matches(event.key, *event.previous);
    if (event.what == change::deleted) {
        if (!was) return std::nullopt;
        return seen_event{"DELETED", event.object};
    }
    const bool is = filter.matches(event.key, *event.object);
    if (is) return seen_event{was ? "MODIFIED" : "ADDED", event.object};
    if (was) return seen_event{"DELETED", detail::at_version(*event.previous, event.version)};
    return std::nullopt;
}

KCONTROL_DECL std::optional<seen_event> watch_cursor::next(std::uint64_t latest) {
    const auto& history = table_->history();
    for (std::size_t i = table_->first_after(position_); i < history.size() && history[i].version <= latest; ++i) {
        position_ = history[i].version;
        if (auto seen = as_seen(history[i], filter_)) return seen;
    }
    position_ = std::max(position_, latest);
    return std::nullopt;
}

}  // namespace kcontrol::testing
