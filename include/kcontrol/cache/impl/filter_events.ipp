#pragma once

#include <kcontrol/cache/filter_events.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

inline awaitable<void> call_filtered(async_event_handler handler, any_event e) { co_await handler(e); }

inline awaitable<void> call_nothing() { co_return; }

}  // namespace detail

KCONTROL_DECL std::optional<any_event> filter_event(const any_event& e, const object_filter& selects) {
    const bool is_selected = selects(e.object());
    if (e.type != event_type::updated) return is_selected ? std::optional(e) : std::nullopt;
    const bool was_selected = selects(e.old_object);
    if (was_selected == is_selected) return is_selected ? std::optional(e) : std::nullopt;
    any_event flip = e;
    flip.type = is_selected ? event_type::added : event_type::deleted;
    (is_selected ? flip.old_object : flip.new_object) = any_object();
    return flip;
}

KCONTROL_DECL event_consumer filter_events(object_filter selects, event_consumer handler) {
    if (handler.coroutine()) {
        return [selects = std::move(selects), f = handler.coroutine()](const any_event& e) {
            auto wanted = filter_event(e, selects);
            return wanted ? detail::call_filtered(f, std::move(*wanted)) : detail::call_nothing();
        };
    }
    return [selects = std::move(selects), f = handler.function()](const any_event& e) {
        if (const auto wanted = filter_event(e, selects)) f(*wanted);
    };
}

}  // namespace kcontrol
