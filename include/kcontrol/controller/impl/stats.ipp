#pragma once

#include <kcontrol/controller/stats.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::vector<double> reconcile_time_bounds() {
    return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
            0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
            6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

KCONTROL_DECL std::vector<double> queue_time_bounds() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

KCONTROL_DECL std::string priority_label(const priority_counters& of) {
    return of.others ? "exceeded_cardinality_limit" : std::to_string(of.priority);
}

namespace detail {

inline void add_priority(priority_stats& to, const priority_stats& other) {
    to.counters.depth += other.counters.depth;
    to.counters.adds += other.counters.adds;
    to.counters.retries += other.counters.retries;
    to.work_duration.add(other.work_duration);
    to.queue_duration.add(other.queue_duration);
    to.unfinished_work += other.unfinished_work;
    to.longest_running = std::max(to.longest_running, other.longest_running);
}

// The highest first, what is counted together last. `all` has no more than so many afterwards.
inline void add_priorities(std::vector<priority_stats>& all, const std::vector<priority_stats>& others) {
    for (const priority_stats& one : others) {
        const auto same = std::find_if(all.begin(), all.end(), [&](const priority_stats& known) {
            return known.counters.others == one.counters.others &&
                   (one.counters.others || known.counters.priority == one.counters.priority);
        });
        const bool has_rest = !all.empty() && all.back().counters.others;
        if (same != all.end()) {
            add_priority(*same, one);
        } else if (!one.counters.others && all.size() - (has_rest ? 1 : 0) < most_counted_priorities) {
            const auto before = std::find_if(all.begin(), all.end(), [&](const priority_stats& known) {
                return known.counters.others || known.counters.priority < one.counters.priority;
            });
            all.insert(before, one);
        } else if (has_rest) {
            add_priority(all.back(), one);
        } else {
            all.push_back(one);
            all.back().counters.others = true;
        }
    }
}

}  // namespace detail

KCONTROL_DECL void controller_stats::add(const controller_stats& other) {
    succeeded += other.succeeded;
    requeued += other.requeued;
    requeued_after += other.requeued_after;
    errors += other.errors;
    terminal_errors += other.terminal_errors;
    exceptions += other.exceptions;
    timeouts += other.timeouts;
    callback_exceptions += other.callback_exceptions;
    if (!other.last_callback_exception.empty()) last_callback_exception = other.last_callback_exception;
    own_write_waits += other.own_write_waits;
    own_write_timeouts += other.own_write_timeouts;
    daemons += other.daemons;
    daemon_starts += other.daemon_starts;
    daemon_failures += other.daemon_failures;
    daemons_refused += other.daemons_refused;
    active_workers += other.active_workers;
    max_concurrent_reconciles += other.max_concurrent_reconciles;
    queue_depth += other.queue_depth;
    queue_delayed += other.queue_delayed;
    queue_adds += other.queue_adds;
    queue_retries += other.queue_retries;
    detail::add_priorities(by_priority, other.by_priority);
    reconcile_time.add(other.reconcile_time);
    work_duration.add(other.work_duration);
    queue_duration.add(other.queue_duration);
}

KCONTROL_DECL void controller_stats::retire() noexcept {
    daemons = active_workers = max_concurrent_reconciles = queue_depth = queue_delayed = 0;
    for (priority_stats& one : by_priority) {
        one.counters.depth = 0;
        one.unfinished_work = one.longest_running = duration::zero();
    }
}

}  // namespace kcontrol
