// The events that one client of a stream has yet to receive: bounded, so that a slow client costs its own connection
// only.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::http {

/// One server-sent event as it goes on the wire. `data` has no line break.
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
KCONTROL_DECL std::string format_event(std::uint64_t id, std::string_view name, std::string_view data);

/// Thread-safety: shared objects unsafe.
class event_queue {
public:
    explicit event_queue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Appends an event, whose text clients share. What does not fit marks the queue as overflowed: it is emptied,
    /// takes nothing more, and its client has to start over.
    KCONTROL_DECL void push(std::shared_ptr<const std::string> event);

    /// The next events, in order, joined: at least one if there is one, then as many as fit into `max_bytes`.
    KCONTROL_DECL std::string take(std::size_t max_bytes);

    bool empty() const noexcept { return events_.empty(); }
    bool overflowed() const noexcept { return overflowed_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    bool overflowed_ = false;
    std::deque<std::shared_ptr<const std::string>> events_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/event_queue.ipp>
#endif
