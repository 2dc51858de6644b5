// Sums that end at 2^63-1.
#pragma once

#include <cstdint>
#include <limits>

namespace kcontrol::inline v0_1::scheduling::detail {

/// False: it does not fit, and the sum is the greatest there is. Neither is negative.
inline bool add_capped(std::int64_t& sum, std::int64_t amount) noexcept {
    if (!__builtin_add_overflow(sum, amount, &sum)) return true;
    sum = std::numeric_limits<std::int64_t>::max();
    return false;
}

}  // namespace kcontrol::scheduling::detail
