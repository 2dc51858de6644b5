// Waiting that a stop token can interrupt: sleeps, and an event that tasks on one strand can wait for.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <list>
#include <memory>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1 {

/// Why a wait ended.
enum class wake { notified, timeout, stopped };

namespace detail {
struct waiter;
}

/// An event that coroutines wait for. It has no memory: check the condition, then wait, in a loop, all on one
/// strand; a notification without a waiter is lost.
///
/// Thread-safety: shared objects unsafe; waiters, notify_one() and notify_all() belong to one strand.
/// Object lifetime: destroying an event ends its waits with `stopped`. A context that goes takes the waits that have a
/// deadline along; others go with their event, so a coroutine that owns the event it waits for gives a deadline.
class async_event {
public:
    async_event() = default;
    async_event(const async_event&) = delete;
    async_event& operator=(const async_event&) = delete;
    KCONTROL_DECL ~async_event();

    KCONTROL_DECL void notify_one();  ///< ends the wait of who has waited longest; without waiters nothing
    KCONTROL_DECL void notify_all();  ///< ends all waits that there are; what waits again meanwhile goes on waiting
    bool has_waiters() const noexcept { return !waiters_.empty(); }  ///< at this moment

    /// Waits for a notification, for `deadline` (none by default) or for `stop`, whichever comes first.
    KCONTROL_DECL awaitable<wake> wait(environment& env, std::stop_token stop,
                                       std::optional<time_point> deadline = std::nullopt);

private:
    friend struct detail::waiter;
    std::list<detail::waiter*> waiters_;
};

/// Sleeps until `when` (`timeout`) or until `stop` is triggered (`stopped`).
KCONTROL_DECL awaitable<wake> sleep_until(environment& env, time_point when, std::stop_token stop);

/// Sleeps for `delay`; see sleep_until.
KCONTROL_DECL awaitable<wake> sleep_for(environment& env, duration delay, std::stop_token stop);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/wait.ipp>
#endif
