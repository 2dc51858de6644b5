// A point of time after another, where the delay may be "for ever".
#pragma once

#include <kcontrol/runtime/time.hpp>

namespace kcontrol::inline v0_1 {

/// `from` plus `by`, at most the last point that there is.
constexpr time_point time_after(time_point from, duration by) noexcept {
    return by > time_point::max() - from ? time_point::max() : from + by;
}

}  // namespace kcontrol
