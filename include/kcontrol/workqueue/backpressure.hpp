// Back-pressure: when less urgent work is held back for the sake of the more urgent, and of the server.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/workqueue/admission.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {

/// What is meant to hold. Where it does not, less urgent work is held back.
class backpressure_targets {
public:
    /// How long work may wait in the queue, on the average of the last ones. Default 5 s.
    backpressure_targets& queue_wait(duration d) { return queue_wait_ = d, *this; }
    /// How long a write to the server may take, likewise. Default 1 s.
    backpressure_targets& write_latency(duration d) { return write_latency_ = d, *this; }
    /// How many answers 429 there may be within the hold. Default 0.
    backpressure_targets& throttled(std::uint64_t n) { return throttled_ = n, *this; }
    /// How long work is held back after the last sign that a target is missed. Default 10 s.
    backpressure_targets& hold(duration d) { return hold_ = d, *this; }

    duration queue_wait() const noexcept { return queue_wait_; }
    duration write_latency() const noexcept { return write_latency_; }
    std::uint64_t throttled() const noexcept { return throttled_; }
    duration hold() const noexcept { return hold_; }

private:
    duration queue_wait_ = std::chrono::seconds(5);
    duration write_latency_ = std::chrono::seconds(1);
    std::uint64_t throttled_ = 0;
    duration hold_ = std::chrono::seconds(10);
};

/// The policy as a plain state machine: what was observed in, what may be handed out out.
///
/// - Work that waits too long holds back what is less urgent than itself, and nothing else: slow medium work parks low
///   work, slow high work parks low work and makes medium yield.
/// - A server that answers 429 or writes slowly parks low work and makes medium yield.
/// - Parked: none is handed out. To yield: at most half of the workers, but one at least, are busy with it.
///
/// What is held back is handed out once it has waited for the queue's starvation limit (60 s by default), and how long
/// it waited is no sign of anything.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class backpressure {
public:
    explicit backpressure(backpressure_targets targets = {}) : targets_(targets) {}  ///< no target is missed yet

    /// Work of that class was handed out after so long a wait.
    KCONTROL_DECL void observe_wait(work_class c, duration wait, time_point now);
    /// The server answered 429, so many times.
    KCONTROL_DECL void observe_throttled(time_point now, std::uint64_t times = 1);
    /// The server answered so many writes, each after so long.
    KCONTROL_DECL void observe_write(duration latency, time_point now, std::uint64_t times = 1);

    /// What may be handed out while so many of the workers are busy with medium work.
    KCONTROL_DECL admission admit(time_point now, std::size_t workers, std::size_t busy_with_medium) const;
    KCONTROL_DECL bool low_is_parked(time_point now) const;  ///< whether low work is held back
    KCONTROL_DECL bool medium_yields(time_point now) const;  ///< whether medium work gets half of the workers only
    /// When less is held back than at `now`, if nothing is observed until then; nothing if nothing is held back.
    KCONTROL_DECL std::optional<time_point> next_change(time_point now) const;

private:
    // A sign that a target is missed; it holds for a while after the last time it was seen.
    struct sign {
        std::optional<time_point> until;
        double average = 0;  // in nanoseconds
        bool holds(time_point now) const { return until && now < *until; }
    };
    void observe(sign& s, duration value, duration target, time_point now, std::uint64_t times);

    backpressure_targets targets_;
    sign medium_waits_, high_waits_, writes_, throttled_;
    time_point throttled_since_{};
    std::uint64_t throttled_count_ = 0;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/workqueue/impl/backpressure.ipp>
#endif
