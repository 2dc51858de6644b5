// A histogram as a plain value: what a part counts by itself, for a collector to show.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace kcontrol::inline v0_1 {

/// How often values fell below each of some bounds.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class value_histogram {
public:
    /// Upper bounds, ascending; the last bucket, above them all, is implied.
    explicit value_histogram(std::span<const double> bounds)
        : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1) {}

    KCONTROL_DECL void observe(double value);  ///< one that equals a bound belongs to the bucket below it
    /// What another one of the same bounds has counted.
    KCONTROL_DECL void add(const value_histogram& other);

    const std::vector<double>& bounds() const noexcept { return bounds_; }  ///< as given, without +Inf
    /// One count a bucket, not cumulative.
    const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }
    /// How many values there were.
    std::uint64_t count() const noexcept { return count_; }
    /// Of all values.
    double sum() const noexcept { return sum_; }

private:
    std::vector<double> bounds_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

/// The same of durations, in seconds.
class duration_histogram : public value_histogram {
public:
    using value_histogram::value_histogram;

    /// A duration below zero, of a clock that went back, counts as zero.
    KCONTROL_DECL void observe(duration d);
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/metrics/impl/histogram.ipp>
#endif
