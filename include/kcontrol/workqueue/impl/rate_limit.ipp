#pragma once

#include <kcontrol/workqueue/rate_limit.hpp>

#include <cmath>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL backoff_policy default_rate_limit() {
    return backoff_policy().initial(std::chrono::milliseconds(5)).cap(std::chrono::seconds(1000)).jitter(0.0);
}

KCONTROL_DECL duration rate_limit_delay(const backoff_policy& policy, std::uint64_t failures, double unit) {
    const auto cap = static_cast<double>(policy.cap().count());
    const double grown =
        static_cast<double>(policy.initial().count()) * std::pow(policy.factor(), static_cast<double>(failures));
    const double base = grown < cap ? grown : cap;  // an infinite `grown` falls to the cap as well
    return duration(static_cast<duration::rep>(base * (1.0 + policy.jitter() * unit)));
}

}  // namespace kcontrol
