#pragma once

#include <kcontrol/controller/controller.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>

namespace kcontrol::detail {

inline void write_histogram(metrics_writer& out, const std::string& name, const std::string& help,
                            const metric_labels& labels, const duration_histogram& h) {
    out.histogram(name, help, labels, h.bounds(), h.counts(), h.sum());
}

// Names, help texts and labels: controller-runtime pkg/internal/controller/metrics and pkg/internal/metrics
// (workqueue).
inline void write_controller_metrics(metrics_writer& out, const any_controller& c) {
    const controller_stats stats = c.stats();
    const metric_labels by_controller{{"controller", c.name()}};
    const auto total = [&](const char* outcome, std::uint64_t value) {
        out.counter("controller_runtime_reconcile_total", "Total number of reconciliations per controller",
                    {{"controller", c.name()}, {"result", outcome}}, static_cast<double>(value));
    };
    const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
        out.counter(name, help, by_controller, static_cast<double>(value));
    };
    const auto gauge = [&](const char* name, const char* help, std::size_t value) {
        out.gauge(name, help, by_controller, static_cast<double>(value));
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
    gauge("controller_runtime_active_workers", "Number of currently used workers per controller", stats.active_workers);
    gauge("controller_runtime_max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller",
          stats.max_concurrent_reconciles);
    write_histogram(out, "controller_runtime_reconcile_time_seconds",
                    "Length of time per reconciliation per controller", by_controller, stats.reconcile_time);

    const metric_labels by_queue{{"controller", c.name()}, {"name", c.name()}};
    out.gauge("workqueue_depth", "Current depth of workqueue by workqueue and priority", by_queue,
              static_cast<double>(stats.queue_depth));
    out.counter("workqueue_adds_total", "Total number of adds handled by workqueue", by_queue,
                static_cast<double>(stats.queue_adds));
    out.counter("workqueue_retries_total", "Total number of retries handled by workqueue", by_queue,
                static_cast<double>(stats.queue_retries));
    write_histogram(out, "workqueue_queue_duration_seconds",
                    "How long in seconds an item stays in workqueue before being requested", by_queue,
                    stats.queue_duration);
    write_histogram(out, "workqueue_work_duration_seconds",
                    "How long in seconds processing an item from workqueue takes.", by_queue, stats.work_duration);
}

}  // namespace kcontrol::detail
