#pragma once

#include <kcontrol/controller/stats.hpp>

#include <chrono>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void write_histogram(metrics_writer& out, const std::string& name, const std::string& help,
                            const metric_labels& labels, const duration_histogram& h) {
    out.histogram(name, help, labels, h.bounds(), h.counts(), h.sum());
}

// Families and help texts: controller-runtime, pkg/internal/metrics/workqueue.go. There only the depth has the label
// `priority`.
inline void write_queue_metrics(metrics_writer& out, const std::string& controller, const priority_stats& of) {
    const metric_labels by{{"controller", controller}, {"name", controller}, {"priority", priority_label(of.counters)}};
    const auto seconds = [](duration d) { return std::chrono::duration<double>(d).count(); };
    out.gauge("workqueue_depth", "Current depth of workqueue by workqueue and priority", by,
              static_cast<double>(of.counters.depth));
    out.counter("workqueue_adds_total", "Total number of adds handled by workqueue", by,
                static_cast<double>(of.counters.adds));
    out.counter("workqueue_retries_total",
                "Total number of items added to the workqueue with a non-zero delay (after failures, by requeue_after, "
                "or with add_after)",
                by, static_cast<double>(of.counters.retries));
    write_histogram(out, "workqueue_queue_duration_seconds",
                    "How long in seconds an item stays in workqueue before being requested", by, of.queue_duration);
    write_histogram(out, "workqueue_work_duration_seconds",
                    "How long in seconds processing an item from workqueue takes.", by, of.work_duration);
    out.gauge("workqueue_unfinished_work_seconds",
              "How many seconds of work is in progress and not yet part of work_duration, in all. One that grows "
              "steadily tells how many reconciles are stuck",
              by, seconds(of.unfinished_work));
    out.gauge("workqueue_longest_running_processor_seconds",
              "How many seconds the work that has been in progress for longest has taken so far", by,
              seconds(of.longest_running));
}

}  // namespace detail

// Names, help texts and labels: controller-runtime, pkg/internal/controller/metrics.
KCONTROL_DECL void write_controller_metrics(metrics_writer& out, const std::string& name,
                                            const controller_stats& stats) {
    const metric_labels by_controller{{"controller", name}};
    const auto total = [&](const char* outcome, std::uint64_t value) {
        out.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller",
                    {{"controller", name}, {"result", outcome}}, static_cast<double>(value));
    };
    const auto counter = [&](const char* family, const char* help, std::uint64_t value) {
        out.counter(family, help, by_controller, static_cast<double>(value));
    };
    const auto gauge = [&](const char* family, const char* help, std::size_t value) {
        out.gauge(family, help, by_controller, static_cast<double>(value));
    };
    total("error", stats.errors);
    total("requeue", stats.requeued);
    total("requeue_after", stats.requeued_after);
    total("success", stats.succeeded);
    counter("controller_runtime_reconcile_errors_total", "Total number of reconciliation errors per controller",
            stats.errors);
    counter("controller_runtime_terminal_reconcile_errors_total",
            "Total number of terminal reconciliation errors per controller", stats.terminal_errors);
    counter("controller_runtime_reconcile_panics_total", "Total number of reconciliation panics per controller",
            stats.exceptions);
    counter("controller_runtime_reconcile_timeouts_total",
            "Total number of reconciliation timeouts due to ReconciliationTimeout per controller", stats.timeouts);
    counter("kcontrol_controller_callback_exceptions_total",
            "Total number of predicates, event handlers, maps and sources that threw per controller",
            stats.callback_exceptions);
    counter("kcontrol_controller_own_write_waits_total",
            "Total number of reconciliations whose writes the caches had yet to see", stats.own_write_waits);
    counter("kcontrol_controller_own_write_timeouts_total",
            "Total number of those that the caches had not seen in time", stats.own_write_timeouts);
    gauge("kcontrol_controller_daemons",
          "Number of daemons and timers of objects that run, or wait after a failure, per controller", stats.daemons);
    counter("kcontrol_controller_daemon_starts_total", "Total number of daemons and timers started per controller",
            stats.daemon_starts);
    counter("kcontrol_controller_daemon_failures_total",
            "Total number of errors and exceptions of daemons and timers per controller", stats.daemon_failures);
    counter("kcontrol_controller_daemons_refused_total",
            "Total number of daemons and timers refused because there were as many as there may be, per controller",
            stats.daemons_refused);
    gauge("controller_runtime_active_workers", "Number of currently used workers per controller", stats.active_workers);
    gauge("controller_runtime_max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller",
          stats.max_concurrent_reconciles);
    detail::write_histogram(out, "controller_runtime_reconcile_time_seconds",
                            "Length of time per reconciliation per controller", by_controller, stats.reconcile_time);
    for (const priority_stats& of : stats.by_priority) detail::write_queue_metrics(out, name, of);
}

}  // namespace kcontrol
