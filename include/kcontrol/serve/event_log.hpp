// The events that the clients of a stream have yet to receive, kept once for all of them.
#pragma once

#include <kcontrol/config.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// One server-sent event as it goes on the wire. `data` has no line break.
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
KCONTROL_DECL std::string format_event(std::uint64_t id, std::string_view name, std::string_view data);

/// Each client has a position in it; what all have passed is dropped by forget_before(). So a thousand clients that
/// are far behind cost no more than the one that is furthest.
///
/// Thread-safety: shared objects unsafe.
class event_log {
public:
    /// Bytes of events since the log was made. The difference of two is what lies between them.
    using position = std::uint64_t;

    KCONTROL_DECL void push(std::string event);  ///< at the end, as format_event() writes it; nothing of an empty one

    /// The next events from `at` on, in order, joined: at least one if there is one, then as many as fit into
    /// `max_bytes`. Moves `at` behind them. `at` is a position that end() or take() gave, and not forgotten.
    KCONTROL_DECL std::string take(position& at, std::size_t max_bytes) const;

    /// Drops the events before a position.
    KCONTROL_DECL void forget_before(position at);

    position end() const noexcept { return end_; }
    /// What it keeps, in bytes of events.
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

private:
    struct kept {
        position at;
        std::string text;
    };
    position begin_ = 0, end_ = 0;
    std::deque<kept> events_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/serve/impl/event_log.ipp>
#endif
