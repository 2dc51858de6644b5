// Whether a watch that failed is worth another try.
#pragma once

#include <kcontrol/base/error.hpp>

namespace kcontrol::inline v0_1::detail {

inline bool may_watch_again(const error& why) {
    if (why == condition::expired || why == errc::stopped) return false;
    return why.code() == condition::retryable || why.code() == condition::unreachable;
}

}  // namespace kcontrol::detail
