// How often something may happen: a few times at once, then at a steady rate.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {

/// Counts what happens: `burst` times at once, at least 1, then once a period.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class burst_limit {
public:
    /// The whole burst is there from the start.
    burst_limit(std::uint32_t burst, duration period) : burst_(burst), period_(period) {}

    /// How long to wait before the next time; zero if it may be now, which counts it.
    duration take(time_point now) noexcept {
        // `full_at_` is when all of the burst is there again.
        const time_point earliest = full_at_ - (burst_ - 1) * period_;
        if (now < earliest) return earliest - now;
        full_at_ = (full_at_ < now ? now : full_at_) + period_;
        return duration::zero();
    }

    /// The same for who waits in turn: how long, which counts him. Nothing, and he is not counted, if that is longer
    /// than `most`.
    std::optional<duration> reserve(time_point now, duration most) noexcept {
        const time_point earliest = full_at_ - (burst_ - 1) * period_;
        const duration wait = now < earliest ? earliest - now : duration::zero();
        if (wait > most) return std::nullopt;
        full_at_ = (full_at_ < now ? now : full_at_) + period_;
        return wait;
    }

private:
    std::uint32_t burst_;
    duration period_;
    time_point full_at_{};
};

}  // namespace kcontrol
