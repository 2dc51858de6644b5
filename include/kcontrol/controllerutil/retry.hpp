// Trying again after a conflict: another writer came first, so what was read is read again.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <stop_token>
#include <utility>

namespace kcontrol::inline v0_1 {

/// How often, and after which delays, something is tried again. The default is client-go's for conflicts: 5 attempts,
/// 10 ms apart, each delay stretched by up to a tenth.
class retry_policy {
public:
    KCONTROL_DECL retry_policy();
    /// For writers that meet each other all the time: up to 200 attempts in about 3 s.
    static KCONTROL_DECL retry_policy contended();

    /// Attempts in all, the first one included. At least one is made.
    retry_policy& attempts(unsigned n) { return attempts_ = n, *this; }
    /// The pauses between the attempts. Default 10 ms each, stretched by up to a tenth.
    retry_policy& delay(backoff_policy p) { return delay_ = p, *this; }

    unsigned attempts() const noexcept { return attempts_; }
    const backoff_policy& delay() const noexcept { return delay_; }

private:
    unsigned attempts_ = 5;
    backoff_policy delay_;
};

namespace detail {

/// The delays between the attempts of one operation.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class retry_state {
public:
    explicit retry_state(const retry_policy& policy) : left_(policy.attempts()), delays_(policy.delay()) {}

    /// Waits before the next attempt. False if there is none: they are used up, or `stop` was triggered.
    KCONTROL_DECL awaitable<bool> wait(environment& env, std::stop_token stop);

private:
    unsigned left_;
    backoff delays_;
};

}  // namespace detail

/// Calls `attempt()`, a function that returns awaitable<result<T>>, until it ends with anything but a conflict, and
/// returns that. Each attempt reads the object anew and then writes it; an attempt that writes what was read before the
/// first one meets the same conflict each time. What is still a conflict after the last attempt, or when `stop` is
/// triggered, is returned.
///
/// `attempt` is moved into the call. Name a lambda that captures by value before the co_await (docs/testing.md).
template <class Attempt>
auto retry_on_conflict(environment& env, Attempt attempt, std::stop_token stop, retry_policy policy = {})
    -> decltype(attempt()) {
    detail::retry_state state(policy);
    for (;;) {
        auto outcome = co_await attempt();
        if (outcome || outcome.error() != condition::conflict) co_return outcome;
        const bool again = co_await state.wait(env, stop);
        if (!again) co_return outcome;
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/retry.ipp>
#endif
