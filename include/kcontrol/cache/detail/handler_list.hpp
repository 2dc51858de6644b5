// The handlers of an informer: which of them gets which event, also when some subscribe or leave during a delivery.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/cache/informer.hpp>

#include <exception>
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

template <class Entry>
class observed_list {
public:
    void add(const std::shared_ptr<Entry>& entry) { entries_.push_back(entry); }

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
    explicit handler_list(logger log) : log_(std::move(log)) {}

    void add(const std::shared_ptr<handler_entry>& entry) { events_.add(entry); }
    void add(const std::shared_ptr<invalid_entry>& entry) { invalid_.add(entry); }

    std::vector<std::weak_ptr<handler_entry>> present() { return events_.present(); }

    // A handler that is subscribed when the delivery begins gets all of it, unless it unsubscribes meanwhile. A handler
    // that subscribes meanwhile has got the present state already, which includes these events.
    void deliver(const std::vector<any_event>& events) {
        const auto audience = events_.present();
        for (const auto& event : events) {
            for (const auto& weak : audience) {
                if (const auto entry = weak.lock()) call(*entry, event);
            }
        }
    }
    void deliver(const std::vector<std::shared_ptr<const invalid_object>>& objects) {
        if (objects.empty()) return;
        const auto audience = invalid_.present();
        for (const auto& object : objects) {
            for (const auto& weak : audience) {
                if (const auto entry = weak.lock()) call(*entry, *object);
            }
        }
    }

    void call(const handler_entry& entry, const any_event& event) {
        guarded([&] { entry.handler(event); }, [&] { return to_string(event.object().key()); });
    }
    void call(const invalid_entry& entry, const invalid_object& object) {
        guarded([&] { entry.handler(object); }, [&] { return object.describe(); });
    }

private:
    template <class Call, class About>
    void guarded(Call call, About about) {
        try {
            call();
        } catch (const std::exception& e) {
            log_.error("an event handler threw", {{"object", about()}, {"error", e.what()}});
        }
    }

    logger log_;
    observed_list<handler_entry> events_;
    observed_list<invalid_entry> invalid_;
};

}  // namespace kcontrol::detail
