#include "turns/restart_pressure.hpp"

#include <algorithm>
#include <cmath>

namespace training_operator {

using fractional_seconds = std::chrono::duration<double>;

void restart_pressure::requests(std::uint64_t throttled, std::uint64_t writes, double write_seconds,
                                kcontrol::time_point now) {
    constexpr double fades_within = 10;
    const double passed = std::chrono::duration_cast<fractional_seconds>(now - at_).count();
    if (begun_ && passed > 0) {
        const double kept = std::exp(-passed / fades_within);
        throttled_rate_ =
            throttled_rate_ * kept + static_cast<double>(throttled - seen_throttled_) / passed * (1 - kept);
        const auto count = static_cast<double>(writes - seen_writes_);
        const double now_taken = count > 0 ? (write_seconds - seen_seconds_) / count : 0;
        latency_ = count > 0 ? (latency_ + now_taken) / 2 : latency_ * kept;
    }
    begun_ = true;
    at_ = now;
    seen_throttled_ = throttled;
    seen_writes_ = writes;
    seen_seconds_ = write_seconds;
}

double restart_pressure::value() const {
    const double wait =
        fractional_seconds(wait_) / std::max(fractional_seconds(wait_target_), fractional_seconds(0.001));
    return std::max({throttled_rate_, latency_, wait});
}

}  // namespace training_operator
