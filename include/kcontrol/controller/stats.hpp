// What a controller has counted, as plain values.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kcontrol {

/// How often durations fell below each of some bounds.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class duration_histogram {
public:
    /// Upper bounds in seconds, ascending; the last bucket, above them all, is implied.
    explicit duration_histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

    void observe(duration d) {
        const double seconds = std::chrono::duration<double>(d).count();
        // A bound belongs to its bucket (Prometheus' "le").
        const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), seconds) - bounds_.begin();
        ++counts_[static_cast<std::size_t>(at)];
        sum_ += seconds;
    }

    const std::vector<double>& bounds() const noexcept { return bounds_; }
    /// One count a bucket, not cumulative.
    const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }
    /// Of all durations, in seconds.
    double sum() const noexcept { return sum_; }

private:
    std::vector<double> bounds_;
    std::vector<std::uint64_t> counts_;
    double sum_ = 0;
};

/// The bounds of controller_runtime_reconcile_time_seconds.
inline std::vector<double> reconcile_time_bounds() {
    return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
            0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
            6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

/// The bounds of workqueue_queue_duration_seconds and workqueue_work_duration_seconds: 10 ns to 1000 s.
inline std::vector<double> queue_time_bounds() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

/// The life of a controller so far; restarts do not reset it.
class controller_stats {
public:
    // Reconciles that have ended, by how: controller_runtime_reconcile_total.
    std::uint64_t succeeded = 0;
    std::uint64_t requeued = 0;
    std::uint64_t requeued_after = 0;
    std::uint64_t errors = 0;

    // Of the errors:
    std::uint64_t terminal_errors = 0;
    std::uint64_t exceptions = 0;
    std::uint64_t timeouts = 0;  ///< the reconcile's time was up

    std::size_t active_workers = 0;
    std::size_t max_concurrent_reconciles = 0;

    std::size_t queue_depth = 0;
    std::size_t queue_delayed = 0;
    std::uint64_t queue_adds = 0;
    std::uint64_t queue_retries = 0;

    duration_histogram reconcile_time{reconcile_time_bounds()};
    duration_histogram work_duration{queue_time_bounds()};   ///< the same, in the queue's buckets
    duration_histogram queue_duration{queue_time_bounds()};  ///< from ready to the start of the reconcile

    std::uint64_t reconciles() const noexcept { return succeeded + requeued + requeued_after + errors; }
};

}  // namespace kcontrol
