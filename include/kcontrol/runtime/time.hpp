// The two clocks of the library and the types of their points. Reading them is environment's business.
#pragma once

#include <kcontrol/base/chrono.hpp>

#include <cstdint>
#include <string>

namespace kcontrol::inline v0_1 {

using duration = std::chrono::nanoseconds;

/// Names the monotonic time line; it has no now(), because only an environment may read a clock.
struct monotonic_clock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = kcontrol::duration;
    using time_point = std::chrono::time_point<monotonic_clock>;
    static constexpr bool is_steady = true;
};

/// A point on the monotonic time line: for deadlines, delays and intervals.
using time_point = monotonic_clock::time_point;

/// A point of civil time (UTC): for timestamps in objects and for people, never for a delay.
using wall_time = std::chrono::time_point<std::chrono::system_clock, duration>;

}  // namespace kcontrol
