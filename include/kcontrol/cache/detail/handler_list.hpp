// The handlers of an informer: which of them gets which event, also when some subscribe or leave during a delivery.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace kcontrol::detail {

// One subscribed handler. Its subscription owns it; the list only observes.
struct handler_entry {
    any_event_handler handler;
    duration resync_period{};
    time_point next_resync{};
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
    void add(const std::shared_ptr<handler_entry>& entry) { events_.add(entry); }
    void add(const std::shared_ptr<invalid_entry>& entry) { invalid_.add(entry); }
    void add(const std::shared_ptr<status_entry>& entry) { status_.add(entry); }
    void forget_status() { status_.clear(); }

    std::vector<std::weak_ptr<handler_entry>> present() { return events_.present(); }

    // A handler that is subscribed when the delivery begins gets all of it, unless it unsubscribes meanwhile. A handler
    // that subscribes meanwhile has got the present state already, which includes these events.
    void deliver(const std::vector<any_event>& events, guarded_calls& calls) {
        if (events.empty()) return;
        const auto audience = events_.present();
        for (const auto& event : events) {
            for (const auto& weak : audience) {
                if (const auto entry = weak.lock()) call(*entry, event, calls);
            }
        }
    }
    void deliver(const std::vector<std::shared_ptr<const invalid_object>>& objects, guarded_calls& calls) {
        if (objects.empty()) return;
        const auto audience = invalid_.present();
        for (const auto& object : objects) {
            for (const auto& weak : audience) {
                if (const auto entry = weak.lock()) call(*entry, *object, calls);
            }
        }
    }
    void deliver(const informer_status& status, guarded_calls& calls) {
        const informer_status told = status;  // a callback may change it
        for (const auto& weak : status_.present()) {
            const auto entry = weak.lock();
            if (entry) calls.call("a status callback of an informer", [&] { entry->handler(told); });
        }
    }

    static void call(const handler_entry& entry, const any_event& event, guarded_calls& calls) {
        calls.call(
            "an event handler", [&] { entry.handler(event); }, [&] { return to_string(event.object().key()); });
    }
    static void call(const invalid_entry& entry, const invalid_object& object, guarded_calls& calls) {
        calls.call(
            "a handler of invalid objects", [&] { entry.handler(object); }, [&] { return object.describe(); });
    }

private:
    observed_list<handler_entry> events_;
    observed_list<invalid_entry> invalid_;
    observed_list<status_entry> status_;
};

}  // namespace kcontrol::detail
