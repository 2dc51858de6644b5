// A histogram of durations as a plain value: what a part counts by itself, for a collector to show.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace kcontrol {

/// How often durations fell below each of some bounds.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class duration_histogram {
public:
    /// Upper bounds in seconds, ascending; the last bucket, above them all, is implied.
    explicit duration_histogram(std::span<const double> bounds)
        : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1) {}

    /// A duration below zero, of a clock that went back, counts as zero.
    KCONTROL_DECL void observe(duration d);

    const std::vector<double>& bounds() const noexcept { return bounds_; }
    /// One count a bucket, not cumulative.
    const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }
    /// How many durations there were.
    std::uint64_t count() const noexcept { return count_; }
    /// Of all durations, in seconds.
    double sum() const noexcept { return sum_; }

private:
    std::vector<double> bounds_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/metrics/impl/histogram.ipp>
#endif
