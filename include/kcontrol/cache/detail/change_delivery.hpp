// The change of a store on its way to the handlers of an informer.
#pragma once

#include <kcontrol/cache/detail/handler_list.hpp>
#include <kcontrol/cache/store.hpp>

#include <new>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Notifies all handlers of one change after another. The store has a change already when it comes here, so the server
/// would not send it again: where memory runs out, the rest of it is pending, and no handler misses any.
///
/// Thread-safety: shared objects unsafe. Object lifetime: the handlers outlive it.
class change_delivery {
public:
    explicit change_delivery(handler_list& handlers) noexcept : handlers_(handlers) {}

    /// The next change, when nothing is pending. With that of the `first_list` each handler has all of it.
    void add(store_change change, bool first_list) noexcept {
        pending_.events = delivery<any_event, handler_entry>(std::move(change.events));
        pending_.invalid = handler_list::invalid_delivery(std::move(change.invalid));
        pending_.first_list = first_list;
    }

    /// Delivers what is pending. Throws std::bad_alloc where there is no memory: the next run delivers the rest.
    void run() {
        if (pending_.events.over() && pending_.invalid.over() && !pending_.first_list) return;
        // A handler may end or change anything meanwhile.
        pending now = std::exchange(pending_, {});
        try {
            handlers_.deliver(now.events);
            handlers_.deliver(now.invalid);
            if (now.first_list) handlers_.for_each([](handler_entry& entry) { entry.mark_complete(); });
        } catch (const std::bad_alloc&) {
            pending_ = std::move(now);
            throw;
        }
    }

private:
    struct pending {
        delivery<any_event, handler_entry> events;
        handler_list::invalid_delivery invalid;
        bool first_list = false;
    };

    handler_list& handlers_;
    pending pending_;
};

}  // namespace kcontrol::detail
