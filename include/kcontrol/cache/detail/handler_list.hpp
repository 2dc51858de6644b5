// The handlers of an informer: which of them gets which event, also when some subscribe or leave during a delivery.
#pragma once

#include <kcontrol/cache/detail/delivery.hpp>
#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/cache/detail/handler_progress.hpp>
#include <kcontrol/cache/detail/resync_schedule.hpp>
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
    resync_schedule resync;
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
    template <class Do>
    void for_each(Do act) {
        for (const auto& weak : present()) {
            if (const auto entry = weak.lock()) act(*entry);
        }
    }

private:
    std::vector<std::weak_ptr<Entry>> entries_;
};

// Object lifetime: the calls, through which all handlers are called, outlive it.
class handler_list {
public:
    explicit handler_list(guarded_calls& calls) noexcept : calls_(calls) {}

    void add(const std::shared_ptr<handler_entry>& entry) {
        events_.add(entry);
        if (entry->progress->lane && entry->progress->lane->every_version()) bounded_.push_back(entry->progress->lane);
    }
    void add(const std::shared_ptr<invalid_entry>& entry) { invalid_.add(entry); }
    void add(const std::shared_ptr<status_entry>& entry) { status_.add(entry); }
    // No handler is called any more.
    void end_all() {
        for_each([](handler_entry& entry) { entry.end(); });
        events_.clear();
        invalid_.clear();
        status_.clear();
    }

    template <class Do>
    void for_each(Do act) {
        events_.for_each(act);
    }
    template <class Do>
    void for_each_lane(Do act) {
        for_each([&](const handler_entry& entry) {
            if (entry.progress->lane) act(*entry.progress->lane);
        });
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
        for_each_lane([&](const handler_lane& lane) { out.push_back(lane.lag()); });
        std::erase_if(bounded_, [](const auto& lane) { return lane.expired(); });
        return out;
    }

    // A handler that is subscribed when the delivery begins gets all of it, unless it unsubscribes meanwhile. A handler
    // that subscribes meanwhile has got the present state already, which includes these events. Throws std::bad_alloc
    // where there is no memory: the next call delivers what is left.
    void deliver(delivery<any_event, handler_entry>& events) { deliver_to(events_, events); }
    using invalid_delivery = delivery<std::shared_ptr<const invalid_object>, invalid_entry>;
    void deliver(invalid_delivery& objects) { deliver_to(invalid_, objects); }
    void deliver(const informer_status& status) {
        const informer_status notified = status;  // a callback may change it
        status_.for_each([&](const status_entry& entry) {
            calls_.call("a status callback of an informer", [&] { entry.handler(notified); });
        });
    }

    // With `again` it throws std::bad_alloc, so that the caller calls again.
    void call(const handler_entry& entry, const any_event& event, bool again = false) {
        if (entry.progress->ended) return;
        const auto& lane = entry.progress->lane;
        call_guarded(
            again, lane ? "the queue of an event handler" : "an event handler",
            [&] { lane ? lane->push(event) : entry.handler(event); }, [&] { return to_string(event.object().key()); });
    }
    void call(const invalid_entry& entry, const std::shared_ptr<const invalid_object>& object, bool again = false) {
        call_guarded(
            again, "a handler of invalid objects", [&] { entry.handler(*object); }, [&] { return object->describe(); });
    }

private:
    template <class Entry, class Thing>
    void deliver_to(observed_list<Entry>& list, delivery<Thing, Entry>& things) {
        things.run([&] { return list.present(); },
                   [&](const Entry& entry, const Thing& thing, bool again) { call(entry, thing, again); });
    }
    template <class F, class About>
    void call_guarded(bool again, std::string_view what, F f, About about) {
        if (again) {
            calls_.call_or_exhaust(what, f, about);
        } else {
            calls_.call(what, f, about);
        }
    }

    guarded_calls& calls_;
    observed_list<handler_entry> events_;
    std::vector<std::weak_ptr<handler_lane>> bounded_;  // of every version
    observed_list<invalid_entry> invalid_;
    observed_list<status_entry> status_;
};

}  // namespace kcontrol::detail
