// How often something may happen: a few times at once, then at a steady rate.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstdint>

namespace kcontrol {

/// Counts what happens: `burst` times at once, at least 1, then once a period.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class burst_limit {
public:
    burst_limit(std::uint32_t burst, duration period) : burst_(burst), period_(period) {}

    /// How long to wait before the next time; zero if it may be now, which counts it.
    duration take(time_point now) noexcept {
        // `full_at_` is when all of the burst is there again.
        const time_point earliest = full_at_ - (burst_ - 1) * period_;
        if (now < earliest) return earliest - now;
        full_at_ = (full_at_ < now ? now : full_at_) + period_;
        return duration::zero();
    }

private:
    std::uint32_t burst_;
    duration period_;
    time_point full_at_{};
};

}  // namespace kcontrol
