#pragma once

#include <kcontrol/controllerutil/retry.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL retry_policy::retry_policy()
    : delay_(backoff_policy().initial(std::chrono::milliseconds(10)).factor(1.0).jitter(0.1)) {}

KCONTROL_DECL retry_policy retry_policy::contended() {
    // The wide jitter is what lets a writer into the gaps of another one that never pauses.
    const backoff_policy delay = backoff_policy().initial(std::chrono::milliseconds(10)).factor(1.0).jitter(1.0);
    return retry_policy().attempts(200).delay(delay);
}

namespace detail {

KCONTROL_DECL awaitable<bool> retry_state::wait(environment& env, std::stop_token stop) {
    if (left_ <= 1) co_return false;
    --left_;
    const duration delay = delays_.next(env.now(), random_unit(env));
    const wake woken = co_await sleep_for(env, delay, std::move(stop));
    co_return woken != wake::stopped;
}

}  // namespace detail
}  // namespace kcontrol
