// How a controller behaves.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/trace.hpp>
#include <kcontrol/workqueue/backpressure.hpp>
#include <kcontrol/workqueue/rate_limiter.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Whose requests take turns in a controller's queue, so that none fills it for all others.
enum class fairness {
    none,
    by_namespace,  ///< `namespace_` of the request; without one all are equal
    by_cluster,    ///< `cluster` of the request, of a type that has one; without one all are equal
};

/// Options of a controller; the defaults are controller-runtime's.
class controller_options {
public:
    // Not inline, and so compiled once: nearly every file of a user copies, moves and destroys some.
    KCONTROL_DECL controller_options();
    KCONTROL_DECL controller_options(const controller_options&);
    KCONTROL_DECL controller_options(controller_options&&) noexcept;
    KCONTROL_DECL controller_options& operator=(const controller_options&);
    KCONTROL_DECL controller_options& operator=(controller_options&&) noexcept;
    KCONTROL_DECL ~controller_options();

    /// Reconciles that may run at a time, each for another request. Default 1, at least 1.
    controller_options& max_concurrent_reconciles(std::size_t n) { return concurrency_ = n == 0 ? 1 : n, *this; }
    /// How long the sources may take to sync before the start fails. Default 2 min; zero: for ever.
    controller_options& cache_sync_timeout(duration d) { return cache_sync_timeout_ = d, *this; }
    /// How long a reconcile may take: its stop token is triggered then, and its error counts as a timeout. Default: no
    /// limit.
    controller_options& reconciliation_timeout(duration d) { return reconciliation_timeout_ = d, *this; }
    /// Triggers a reconcile's stop token when its object is deleted (not when its deletion is asked for: then there may
    /// be finalizers to see to), or replaced by another of its name. What that reconcile fails with then is no error,
    /// and not tried again. Which object that is says basic_controller::watch_primary; builders do. Default false.
    controller_options& cancel_on_delete(bool yes) { return cancel_on_delete_ = yes, *this; }
    /// Runs reconcilers on another executor, a thread pool for one, that they may compute as long as they like; see
    /// docs/controllers.md for what they may touch there. All else stays on the controller's executor. It outlives the
    /// controller's reconciles. Default: the controller's executor.
    controller_options& run_on(executor ex) { return run_on_ = std::move(ex), *this; }
    /// How long a daemon waits that failed (reconcile_context::daemon). Default: 0.8 s, doubled up to 30 s, with
    /// jitter.
    controller_options& daemon_backoff(backoff_policy p) { return daemon_backoff_ = p, *this; }
    /// After a reconcile, the next one of the same request waits until the caches have what the first one wrote, for no
    /// longer than `limit` (some seconds); then it runs anyway, which is logged and counted. Other requests do not
    /// wait. What counts are writes through the cluster's client (docs/cache.md), made by the reconcile's coroutine and
    /// what it spawns on its executor or on reconcile_context::get_executor(). Default: it does not wait.
    controller_options& read_own_writes(duration limit) { return read_own_writes_ = limit, *this; }
    /// How many daemons may be alive at a time, of all objects: one more is refused, told and counted, and started by
    /// a later reconcile that finds room. Default 10,000.
    controller_options& max_daemons(std::size_t n) { return max_daemons_ = n, *this; }
    /// How many one object may have, those that are done included: names that are ever new are a mistake. Default 16.
    controller_options& max_daemons_per_object(std::size_t n) { return max_daemons_per_object_ = n, *this; }
    /// How long a stop waits for running reconciles and daemons, whose stop tokens are triggered at once. Default 30 s.
    controller_options& graceful_stop_timeout(duration d) { return graceful_stop_timeout_ = d, *this; }
    /// How long a request waits that fails: a rate limiter, or a backoff policy. Default: 5 ms, doubling up to 1000 s.
    controller_options& rate_limit(rate_limiter r) { return rate_limit_ = std::move(r), *this; }
    /// Default none: first in, first out.
    controller_options& fair(fairness f) { return fairness_ = f, *this; }
    /// A request that has been ready for so long is reconciled although others are more urgent, as one of four. Default
    /// 60 s; zero: never.
    controller_options& starvation_limit(duration d) { return starvation_limit_ = d, *this; }
    /// false: all requests are equally urgent, those of first lists and resyncs as well. Default true.
    controller_options& priorities(bool yes) { return priorities_ = yes, *this; }
    /// Holds back less urgent requests while these targets are missed; see docs/workqueue.md. Default: never.
    controller_options& hold_back(backpressure_targets t) { return backpressure_ = t, *this; }
    /// Is told a span "queue" and a span "reconcile" for each reconcile; see docs/observability.md. Default: none.
    controller_options& trace(trace_sink s) { return trace_ = std::move(s), *this; }
    /// Which reconciles are recorded; their spans say so, and so do the requests under them. Default: those under a
    /// recorded span, and those under none.
    controller_options& sample_traces(trace_sampler s) { return trace_sampler_ = std::move(s), *this; }
    /// The annotation of the object in which somebody else has put the span (a W3C traceparent) that its reconciles are
    /// under. Default: none. It takes a controller that knows the objects of its requests, as those of builders do.
    controller_options& trace_annotation(std::string name) { return trace_annotation_ = std::move(name), *this; }
    /// Default: where a builder makes the controller, that of its host's cluster; else none.
    controller_options& log(logger l) { return log_ = std::move(l), *this; }

    std::size_t max_concurrent_reconciles() const noexcept { return concurrency_; }
    duration cache_sync_timeout() const noexcept { return cache_sync_timeout_; }
    const std::optional<duration>& reconciliation_timeout() const noexcept { return reconciliation_timeout_; }
    bool cancel_on_delete() const noexcept { return cancel_on_delete_; }
    const std::optional<executor>& run_on() const noexcept { return run_on_; }
    const backoff_policy& daemon_backoff() const noexcept { return daemon_backoff_; }
    const std::optional<duration>& read_own_writes() const noexcept { return read_own_writes_; }
    std::size_t max_daemons() const noexcept { return max_daemons_; }
    std::size_t max_daemons_per_object() const noexcept { return max_daemons_per_object_; }
    duration graceful_stop_timeout() const noexcept { return graceful_stop_timeout_; }
    const rate_limiter& rate_limit() const noexcept { return rate_limit_; }
    fairness fair() const noexcept { return fairness_; }
    duration starvation_limit() const noexcept { return starvation_limit_; }
    bool priorities() const noexcept { return priorities_; }
    const std::optional<backpressure_targets>& hold_back() const noexcept { return backpressure_; }
    const trace_sink& trace() const noexcept { return trace_; }
    const trace_sampler& sample_traces() const noexcept { return trace_sampler_; }
    const std::string& trace_annotation() const noexcept { return trace_annotation_; }
    /// Nothing if it was not set: a builder takes the logger of its host's cluster then, and without one there is none.
    const std::optional<logger>& log() const noexcept { return log_; }

private:
    std::size_t concurrency_ = 1;
    duration cache_sync_timeout_ = std::chrono::minutes(2);
    std::optional<duration> reconciliation_timeout_;
    bool cancel_on_delete_ = false;
    std::optional<executor> run_on_;
    backoff_policy daemon_backoff_;
    std::optional<duration> read_own_writes_;
    std::size_t max_daemons_ = 10'000;
    std::size_t max_daemons_per_object_ = 16;
    duration graceful_stop_timeout_ = std::chrono::seconds(30);
    rate_limiter rate_limit_;
    fairness fairness_ = fairness::none;
    duration starvation_limit_ = std::chrono::seconds(60);
    bool priorities_ = true;
    std::optional<backpressure_targets> backpressure_;
    trace_sink trace_;
    trace_sampler trace_sampler_;
    std::string trace_annotation_;
    std::optional<logger> log_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/options.ipp>
#endif
