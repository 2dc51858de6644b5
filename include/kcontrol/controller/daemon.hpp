// Daemons: work of one object that goes on between its reconciles.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/reasoned_stop.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The circumstances of one run of a daemon.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access, but for reconcile().
class daemon_context {
public:
    /// The controller makes it; `reconcile` may be empty; the environment outlives it.
    daemon_context(environment& env, reasoned_token stop, logger log, std::uint64_t failures,
                   std::function<void()> reconcile)
        : env_(&env),
          stop_(std::move(stop)),
          log_(std::move(log)),
          failures_(failures),
          reconcile_(std::move(reconcile)) {}

    /// Triggered when the object is gone, the controller stops, or reconcile_context::stop_daemon is called.
    const std::stop_token& stop() const noexcept { return stop_.token(); }
    /// Why stop() was triggered; none as long as it was not.
    kcontrol::stop_reason stop_reason() const noexcept { return stop_.reason(); }
    /// Both in one, to be the parent of another reasoned_stop.
    const reasoned_token& reasoned() const noexcept { return stop_; }

    /// Its records carry the controller's name, the request and the daemon's name.
    const logger& log() const noexcept { return log_; }

    /// How often it failed so far, and was run again.
    std::uint64_t failures() const noexcept { return failures_; }

    /// Has the object reconciled: the daemon has seen something. On the controller's executor, where daemons run.
    void reconcile() const {
        if (reconcile_) reconcile_();
    }

    environment& env() const noexcept { return *env_; }  ///< the controller's; its clock, timers and randomness

private:
    environment* env_;
    reasoned_token stop_;
    logger log_;
    std::uint64_t failures_;
    std::function<void()> reconcile_;
};

/// Runs on the controller's executor until it returns, at the latest soon after its token is triggered. An error or an
/// exception has it run again after a backoff. The function object lives as long as its coroutines, so a coroutine
/// lambda may capture.
using daemon_function = std::function<awaitable<result<void>>(daemon_context)>;

/// A daemon that calls `f` at once and then again and again, `period` (at least 1 ms) after it has returned. Where it
/// fails, the backoff takes the place of the period.
KCONTROL_DECL daemon_function periodically(duration period, daemon_function f);
/// A daemon that has its object reconciled once a period, for the first time after one.
KCONTROL_DECL daemon_function reconcile_periodically(duration period);

namespace detail {

template <class F>
concept runs_as_daemon = std::same_as<std::invoke_result_t<F&, daemon_context>, awaitable<result<void>>>;

/// Who keeps the daemons of a reconcile's object. From any thread.
class daemon_keeper {
public:
    virtual ~daemon_keeper() = default;
    virtual void start(std::string name, daemon_function f) = 0;
    virtual void stop(std::string name) = 0;
};

}  // namespace detail
}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controller/impl/daemon.ipp>
#endif
