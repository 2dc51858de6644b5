// A histogram of durations for /metrics, as a plain value.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace training_monitor {

/// Counts durations by upper bounds in seconds, which ascend.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
template <std::size_t Size>
class histogram {
public:
    constexpr explicit histogram(const std::array<double, Size>& bounds) : bounds_(bounds) {}

    void observe(kcontrol::duration value) {
        const double seconds = std::max(0.0, std::chrono::duration<double>(value).count());
        const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
        if (static_cast<std::size_t>(at) < Size) ++counts_[static_cast<std::size_t>(at)];
        ++count_;
        sum_ += seconds;
    }

    const std::array<double, Size>& bounds() const noexcept { return bounds_; }
    /// Of each bound alone: not yet added up.
    const std::array<std::uint64_t, Size>& counts() const noexcept { return counts_; }
    std::uint64_t count() const noexcept { return count_; }
    double sum() const noexcept { return sum_; }

private:
    std::array<double, Size> bounds_;
    std::array<std::uint64_t, Size> counts_{};
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

/// From the sight of a change to its delivery.
using latency_histogram = histogram<12>;
inline constexpr std::array<double, 12> latency_bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600};

/// How long a job was in a state.
using state_histogram = histogram<10>;
inline constexpr std::array<double, 10> state_bounds{1, 10, 60, 300, 1800, 3600, 21600, 86400, 259200, 604800};

}  // namespace training_monitor
