// The two clocks of the library and the types of their points. Reading them is environment's business.
#pragma once

#include <kcontrol/base/chrono.hpp>

#include <cstdint>
#include <string>

namespace kcontrol::inline v0_1 {

using duration = std::chrono::nanoseconds;

/// Names the monotonic time line; it has no now(), because only an environment may read a clock.
struct monotonic_clock {
    using rep = std::int64_t;                                     ///< nanoseconds, 292 years of them
    using period = std::nano;                                     ///< one tick is a nanosecond
    using duration = kcontrol::duration;                          ///< the library's own, as everywhere
    using time_point = std::chrono::time_point<monotonic_clock>;  ///< since a beginning of the environment's own
    static constexpr bool is_steady = true;                       ///< it never goes back
};

/// A point on the monotonic time line: for deadlines, delays and intervals.
using time_point = monotonic_clock::time_point;

/// A point of civil time (UTC): for timestamps in objects and for people, never for a delay.
using wall_time = std::chrono::time_point<std::chrono::system_clock, duration>;

}  // namespace kcontrol
