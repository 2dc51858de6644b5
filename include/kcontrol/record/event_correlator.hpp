// Which Events are worth a write: repeats are counted, floods of similar ones become one, and nobody may write too
// many.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/record/detail/lru_map.hpp>
#include <kcontrol/record/event_note.hpp>
#include <kcontrol/runtime/burst_limit.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace kcontrol::inline v0_1 {

/// The bounds of Events; the defaults are client-go's.
class event_limits {
public:
    event_limits() = default;
    /// From the n-th different message of one reason about one object on, each within `window` of the one before, all
    /// are one Event. At least 1.
    event_limits& similar(std::size_t n, duration window) { return similar_ = n, window_ = window, *this; }
    /// Writes about one object: so many at once, then one a period.
    event_limits& spam(std::uint32_t burst, duration period) { return burst_ = burst, period_ = period, *this; }
    /// How many Events, reasons and objects are remembered, at least 1.
    event_limits& remembered(std::size_t n) { return remembered_ = n, *this; }

    std::size_t similar() const noexcept { return similar_; }
    duration window() const noexcept { return window_; }     ///< of similar(); default 10 min
    std::uint32_t burst() const noexcept { return burst_; }  ///< writes about one object at once; default 25
    duration period() const noexcept { return period_; }     ///< until one more may be written; default 5 min
    std::size_t remembered() const noexcept { return remembered_; }

private:
    std::size_t similar_ = 10;
    duration window_ = std::chrono::minutes(10);
    std::uint32_t burst_ = 25;
    duration period_ = std::chrono::minutes(5);
    std::size_t remembered_ = 4096;
};

/// What becomes of a note.
class event_decision {
public:
    bool write = true;        ///< false: too many were written about that object
    std::string key;          ///< of the Event it belongs to, for event_correlator
    std::string name;         ///< of that Event on the server; empty: it is to be created
    std::string message;      ///< of the note, or of all that are similar
    std::uint64_t count = 1;  ///< how often, this time included
    wall_time first{};        ///< when it was first seen
};

/// Decides with client-go's rules, as a plain state machine:
///
/// - A note like an earlier one (same object, type, reason, message) is that Event again, with a higher count.
/// - From the tenth different message with one reason about one object on, each within ten minutes of the one before,
///   all are one Event whose message says that it stands for several.
/// - About one object 25 writes are let through at once and then one in five minutes.
///
/// Source: client-go tools/record/events_cache.go.
/// Thread-safety: distinct objects safe; shared objects unsafe.
class event_correlator {
public:
    KCONTROL_DECL explicit event_correlator(event_limits limits = {});  ///< remembers nothing yet

    /// Counts the note, written or not. Limits go by `now`; `at` is when the Event was first seen, if it is new.
    KCONTROL_DECL event_decision take(const object_reference& regarding, const event_note& note, time_point now,
                                      wall_time at);
    /// The Event of a decision is on the server under that name: repeats are written to it.
    KCONTROL_DECL void stored(const std::string& key, std::string name);
    /// It is no longer there: the next one is created.
    KCONTROL_DECL void forget(const std::string& key);

private:
    struct similar_notes {
        std::set<std::string> messages;
        time_point last{};
    };
    struct seen_event {
        std::uint64_t count = 0;
        wall_time first{};
        std::string name;
    };

    KCONTROL_DECL bool combine(const std::string& key, const std::string& message, time_point now);
    KCONTROL_DECL bool take_token(const std::string& object, time_point now);

    event_limits limits_;
    detail::lru_map<similar_notes> similar_;
    detail::lru_map<seen_event> seen_;
    detail::lru_map<std::optional<burst_limit>> spam_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/record/impl/event_correlator.ipp>
#endif
