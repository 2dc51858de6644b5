// How a controller behaves.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/workqueue/rate_limit.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace kcontrol {

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
    /// How long a stop waits for running reconciles, whose stop tokens are triggered at once. Default 30 s.
    controller_options& graceful_stop_timeout(duration d) { return graceful_stop_timeout_ = d, *this; }
    /// The backoff of a request that fails. The default is default_rate_limit().
    controller_options& rate_limit(backoff_policy p) { return rate_limit_ = p, *this; }
    controller_options& log(logger l) { return log_ = std::move(l), *this; }

    std::size_t max_concurrent_reconciles() const noexcept { return concurrency_; }
    duration cache_sync_timeout() const noexcept { return cache_sync_timeout_; }
    const std::optional<duration>& reconciliation_timeout() const noexcept { return reconciliation_timeout_; }
    duration graceful_stop_timeout() const noexcept { return graceful_stop_timeout_; }
    const backoff_policy& rate_limit() const noexcept { return rate_limit_; }
    /// Nothing if it was not set: the manager's logger is used then.
    const std::optional<logger>& log() const noexcept { return log_; }

private:
    std::size_t concurrency_ = 1;
    duration cache_sync_timeout_ = std::chrono::minutes(2);
    std::optional<duration> reconciliation_timeout_;
    duration graceful_stop_timeout_ = std::chrono::seconds(30);
    backoff_policy rate_limit_ = default_rate_limit();
    std::optional<logger> log_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/options.ipp>
#endif
