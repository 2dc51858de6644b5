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

class handler_list {
public:
    explicit handler_list(logger log) : log_(std::move(log)) {}

    void add(const std::shared_ptr<handler_entry>& entry) { entries_.push_back(entry); }

    // The handlers that are subscribed now, in order of subscription.
    std::vector<std::weak_ptr<handler_entry>> present() {
        std::erase_if(entries_, [](const auto& entry) { return entry.expired(); });
        return entries_;
    }

    // A handler that is subscribed when the delivery begins gets all of it, unless it unsubscribes meanwhile. A handler
    // that subscribes meanwhile has got the present state already, which includes these events.
    void deliver(const std::vector<any_event>& events) {
        const auto audience = present();
        for (const auto& event : events) {
            for (const auto& weak : audience) {
                if (const auto entry = weak.lock()) call(*entry, event);
            }
        }
    }

    void call(const handler_entry& entry, const any_event& event) {
        try {
            entry.handler(event);
        } catch (const std::exception& e) {
            log_.error("an event handler threw", {{"object", to_string(event.object().key())}, {"error", e.what()}});
        }
    }

private:
    logger log_;
    std::vector<std::weak_ptr<handler_entry>> entries_;
};

}  // namespace kcontrol::detail
