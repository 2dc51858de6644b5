// What a controller has counted, as plain values.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/metrics/histogram.hpp>
#include <kcontrol/metrics/metrics_writer.hpp>
#include <kcontrol/workqueue/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The bounds of controller_runtime_reconcile_time_seconds.
KCONTROL_DECL std::vector<double> reconcile_time_bounds();

/// The bounds of workqueue_queue_duration_seconds and workqueue_work_duration_seconds: 10 ns to 1000 s.
KCONTROL_DECL std::vector<double> queue_time_bounds();

/// How many priorities of one controller are counted by themselves; the others are counted together.
inline constexpr std::size_t most_counted_priorities = 25;

/// What is counted of the requests of one priority.
class priority_stats {
public:
    /// Of a priority of which no time was taken yet.
    explicit priority_stats(const priority_counters& c) : counters(c) {}

    priority_counters counters;                              ///< what the queue counts
    duration_histogram work_duration{queue_time_bounds()};   ///< how long reconciles took, in seconds
    duration_histogram queue_duration{queue_time_bounds()};  ///< from ready to the start of the reconcile, in seconds
    duration unfinished_work{};                              ///< of reconciles that run, the time so far, in all
    duration longest_running{};                              ///< of the one of them that runs longest
};

/// What a metric says of a priority: its number, or "exceeded_cardinality_limit" for all that are counted together.
KCONTROL_DECL std::string priority_label(const priority_counters&);

/// The life of a controller so far; restarts do not reset it.
class controller_stats {
public:
    // Reconciles that have ended, by how: controller_runtime_reconcile_total.
    std::uint64_t succeeded = 0;       ///< reconciles that ended with done()
    std::uint64_t requeued = 0;        ///< reconciles that ended with requeue()
    std::uint64_t requeued_after = 0;  ///< reconciles that ended with requeue_after()
    /// Reconciles that failed, but for those that a stop or the deletion of their object ended.
    std::uint64_t errors = 0;

    // Of the errors:
    std::uint64_t terminal_errors = 0;  ///< errors that are errc::terminal: not tried again
    std::uint64_t exceptions = 0;       ///< reconciles that threw something else than kcontrol::exception
    std::uint64_t timeouts = 0;         ///< the reconcile's time was up

    /// Predicates, event handlers and maps, and sources that threw, and what the last of them was. Those of
    /// reconcilers are `exceptions`.
    std::uint64_t callback_exceptions = 0;
    std::string last_callback_exception;  ///< who threw, about which object, and what it said; empty if none has

    // Of read_own_writes(): reconciles that had written what the caches had yet to see, and those of them that were not
    // waited for to the end.
    std::uint64_t own_write_waits = 0;     ///< reconciles that wrote what the caches had yet to see
    std::uint64_t own_write_timeouts = 0;  ///< those of them whose time to wait ran out
    std::size_t daemons = 0;               ///< daemons and timers of objects that run, or wait after a failure
    std::uint64_t daemon_starts = 0;       ///< without those after a failure
    std::uint64_t daemon_failures = 0;     ///< their errors and exceptions
    std::uint64_t daemons_refused = 0;     ///< asked for while there were as many as there may be

    std::size_t active_workers = 0;             ///< reconciles that run now, those that outlived their run included
    std::size_t max_concurrent_reconciles = 0;  ///< how many may run at a time

    std::size_t queue_depth = 0;      ///< requests that are ready, and not begun
    std::size_t queue_delayed = 0;    ///< requests that wait for a delay to pass
    std::uint64_t queue_adds = 0;     ///< times that a request became ready
    std::uint64_t queue_retries = 0;  ///< adds with a delay

    /// Of each priority that there was, the highest first, and 0 in any case. From the 26th on they are counted
    /// together; that is the last.
    std::vector<priority_stats> by_priority;

    duration_histogram reconcile_time{reconcile_time_bounds()};  ///< how long reconciles took, in seconds
    duration_histogram work_duration{queue_time_bounds()};       ///< the same, in the queue's buckets
    duration_histogram queue_duration{queue_time_bounds()};      ///< from ready to the start of the reconcile

    /// The sum of the four counts above.
    std::uint64_t reconciles() const noexcept { return succeeded + requeued + requeued_after + errors; }

    /// Adds what another controller has counted, of the same name in another cluster for one. Of priorities there are
    /// no more afterwards than one controller has; of what runs longest it is the longest of both.
    KCONTROL_DECL void add(const controller_stats& other);
    /// What is left of a controller that is gone: nothing waits or runs any more.
    KCONTROL_DECL void retire() noexcept;
};

/// controller_runtime_*, workqueue_* and kcontrol_controller_* of a controller of that name.
KCONTROL_DECL void write_controller_metrics(metrics_writer& out, const std::string& name,
                                            const controller_stats& stats);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/stats.ipp>
#include <kcontrol/controller/impl/stats_metrics.ipp>
#endif
