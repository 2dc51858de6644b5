// A time after another, at most the last one that there is.
#pragma once

#include <kcontrol/runtime/time.hpp>

namespace kcontrol::inline v0_1::scheduling::detail {

inline time_point later(time_point now, duration by) {
    return by > time_point::max() - now ? time_point::max() : now + by;
}

}  // namespace kcontrol::scheduling::detail
