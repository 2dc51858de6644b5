// How often something may be opened: a few times at once, then at a steady rate.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <cstdint>

namespace kcontrol {

/// Counts openings: so many at once, then one a period.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class open_limit {
public:
    open_limit(std::uint32_t burst, duration period) : burst_(burst), period_(period) {}

    /// How long to wait before the next one; zero if it may be now, which counts it.
    duration take(time_point now) noexcept {
        // `full_at_` is when all of the burst is there again.
        const time_point earliest = full_at_ - (burst_ - 1) * period_;
        if (now < earliest) return earliest - now;
        full_at_ = std::max(full_at_, now) + period_;
        return duration::zero();
    }

private:
    std::uint32_t burst_;
    duration period_;
    time_point full_at_{};
};

}  // namespace kcontrol
