#pragma once

#include <kcontrol/runtime/backoff.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL duration backoff::next(time_point now, double unit) {
    if (last_ != time_point{} && now - last_ > policy_.reset_after()) next_ = policy_.initial();
    last_ = now;
    const auto base = next_;
    const auto grown = std::chrono::duration<double, std::nano>(static_cast<double>(base.count()) * policy_.factor());
    next_ = std::min(policy_.cap(), std::chrono::duration_cast<duration>(grown));
    const double stretch = 1.0 + policy_.jitter() * unit;
    return duration(static_cast<duration::rep>(static_cast<double>(base.count()) * stretch));
}

}  // namespace kcontrol
