// The handlers of an informer: which of them gets which event, also when some subscribe or leave during a delivery.
#pragma once

#include <kcontrol/cache/detail/delivery.hpp>
#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/cache/detail/handler_progress.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// One subscribed handler. Its subscription owns it; the list only observes.
struct handler_entry {
    handler_entry() = default;
    ~handler_entry() { end(); }
    handler_entry(const handler_entry&) = delete;
    handler_entry& operator=(const handler_entry&) = delete;

    // All of the first list has been delivered, or is on its way to the handler.
    void mark_complete() {
        if (std::exchange(complete, true)) return;
        if (progress->lane) return progress->lane->push_synced();
        progress->synced = true;
        progress->changed.notify_all();
    }
    void end() {
        if (progress->ended) return;
        progress->ended = true;
        if (progress->lane) progress->lane->close();
        progress->changed.notify_all();
    }
    bool has_full_queue() const { return progress->lane && progress->lane->full(); }

    any_event_handler handler;  // of one without a queue
    std::shared_ptr<handler_progress> progress = std::make_shared<handler_progress>();
    duration resync_period{};
    time_point next_resync{};
    bool complete = false;
};
struct invalid_entry {
    invalid_handler handler;
};
struct status_entry {
    status_handler handler;
};

template <class Entry>
class observed_list {
public:
    void add(const std::shared_ptr<Entry>& entry) { entries_.push_back(entry); }
    void clear() { entries_.clear(); }

    // Those that are subscribed now, in order of subscription.
    std::vector<std::weak_ptr<Entry>> present() {
        std::erase_if(entries_, [](const auto& entry) { return entry.expired(); });
        return entries_;
    }

private:
    std::vector<std::weak_ptr<Entry>> entries_;
};

class handler_list {
public:
    void add(const std::shared_ptr<handler_entry>& entry) {
        events_.add(entry);
        if (entry->progress->lane && entry->progress->lane->every_version()) bounded_.push_back(entry->progress->lane);
    }
    void add(const std::shared_ptr<invalid_entry>& entry) { invalid_.add(entry); }
    void add(const std::shared_ptr<status_entry>& entry) { status_.add(entry); }
    // Nobody is called any more.
    void end_all() {
        for_each([](handler_entry& entry) { entry.end(); });
        events_.clear();
        invalid_.clear();
        status_.clear();
    }

    std::vector<std::weak_ptr<handler_entry>> present() { return events_.present(); }
    template <class Do>
    void for_each(Do act) {
        for (const auto& weak : events_.present()) {
            if (const auto entry = weak.lock()) act(*entry);
        }
    }

    // A handler whose queue is full, so that nothing more may come; usually none. It is asked before each event.
    std::shared_ptr<const handler_lane> full() const {
        for (const auto& weak : bounded_) {
            auto lane = weak.lock();
            if (lane && lane->full()) return lane;
        }
        return nullptr;
    }
    std::vector<handler_lag> lags() {
        std::vector<handler_lag> out;
        for_each([&](const handler_entry& entry) {
            if (entry.progress->lane) out.push_back(entry.progress->lane->lag());
        });
        std::erase_if(bounded_, [](const auto& lane) { return lane.expired(); });
        return out;
    }

    // A handler that is subscribed when the delivery begins gets all of it, unless it unsubscribes meanwhile. A handler
    // that subscribes meanwhile has got the present state already, which includes these events. Throws std::bad_alloc
    // where there is no memory: what is left is told by the next call.
    void deliver(delivery<any_event, handler_entry>& events, guarded_calls& calls) {
        events.run([this] { return events_.present(); }, [&](const handler_entry& entry, const any_event& event,
                                                             bool again) { call(entry, event, calls, again); });
    }
    using invalid_delivery = delivery<std::shared_ptr<const invalid_object>, invalid_entry>;
    void deliver(invalid_delivery& objects, guarded_calls& calls) {
        objects.run([this] { return invalid_.present(); },
                    [&](const invalid_entry& entry, const std::shared_ptr<const invalid_object>& object, bool again) {
                        call(entry, *object, calls, again);
                    });
    }
    void deliver(const informer_status& status, guarded_calls& calls) {
        const informer_status told = status;  // a callback may change it
        for (const auto& weak : status_.present()) {
            const auto entry = weak.lock();
            if (entry) calls.call("a status callback of an informer", [&] { entry->handler(told); });
        }
    }

    // With `again` it throws std::bad_alloc, so that the caller calls again.
    static void call(const handler_entry& entry, const any_event& event, guarded_calls& calls, bool again = false) {
        if (entry.progress->ended) return;
        const auto about = [&] { return to_string(event.object().key()); };
        if (const auto& lane = entry.progress->lane) {
            call_guarded(
                calls, again, "the queue of an event handler", [&] { lane->push(event); }, about);
        } else {
            call_guarded(
                calls, again, "an event handler", [&] { entry.handler(event); }, about);
        }
    }
    static void call(const invalid_entry& entry, const invalid_object& object, guarded_calls& calls,
                     bool again = false) {
        call_guarded(
            calls, again, "a handler of invalid objects", [&] { entry.handler(object); },
            [&] { return object.describe(); });
    }

private:
    template <class F, class About>
    static void call_guarded(guarded_calls& calls, bool again, std::string_view what, F f, About about) {
        if (again) {
            calls.call_or_exhaust(what, f, about);
        } else {
            calls.call(what, f, about);
        }
    }

    observed_list<handler_entry> events_;
    std::vector<std::weak_ptr<handler_lane>> bounded_;  // those that nothing may be left out of
    observed_list<invalid_entry> invalid_;
    observed_list<status_entry> status_;
};

}  // namespace kcontrol::detail
