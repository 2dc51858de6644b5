// A handler of events, and what keeps it subscribed.
#pragma once

#include <kcontrol/cache/event.hpp>
#include <kcontrol/client/invalid_object.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace kcontrol {

/// Is called for changes, once an event, in order for each object, on the informer's executor. It must not block; an
/// exception that leaves it is logged and swallowed.
using any_event_handler = std::function<void(const any_event&)>;

/// Is called for objects that can't be decoded, in the same way.
using invalid_handler = std::function<void(const invalid_object&)>;

/// Keeps a handler subscribed; destruction unsubscribes, and no call begins after that.
///
/// Thread-safety: shared objects unsafe; destroy it on the informer's executor.
class [[nodiscard]] subscription {
public:
    subscription() = default;
    explicit subscription(std::shared_ptr<void> hold) : hold_(std::move(hold)) {}
    void reset() { hold_.reset(); }

private:
    std::shared_ptr<void> hold_;
};

}  // namespace kcontrol
