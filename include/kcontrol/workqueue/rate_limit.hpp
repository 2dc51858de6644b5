// How long a key that keeps failing waits before its next try: exponential in the number of its failures.
#pragma once

#include <kcontrol/runtime/backoff.hpp>

#include <chrono>
#include <cmath>

namespace kcontrol {

/// controller-runtime's default for controllers: 5 ms doubling to 1000 s, no jitter, never reset by time.
inline backoff_policy default_rate_limit() {
    return backoff_policy().initial(std::chrono::milliseconds(5)).cap(std::chrono::seconds(1000)).jitter(0.0);
}

/// The delay after `failures` earlier failures (0 for the first one): initial × factorⁿ, at most the cap, then
/// stretched by jitter × `unit`, a random number in [0, 1). It does not overflow, however many failures there were.
inline duration rate_limit_delay(const backoff_policy& policy, std::uint64_t failures, double unit) {
    const auto cap = static_cast<double>(policy.cap().count());
    const double grown =
        static_cast<double>(policy.initial().count()) * std::pow(policy.factor(), static_cast<double>(failures));
    const double base = grown < cap ? grown : cap;  // an infinite `grown` falls to the cap as well
    return duration(static_cast<duration::rep>(base * (1.0 + policy.jitter() * unit)));
}

}  // namespace kcontrol
