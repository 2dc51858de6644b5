// A histogram of durations for /metrics, as a plain value.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace examples {

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

}  // namespace examples
