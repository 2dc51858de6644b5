#pragma once

#include <kcontrol/workqueue/backpressure.hpp>

#include <algorithm>
#include <cmath>

namespace kcontrol::inline v0_1 {

// One value in eight: a single slow one does not count for much, ten do.
inline void backpressure::observe(sign& s, duration value, duration target, time_point now, std::uint64_t times) {
    if (times == 0) return;
    const auto last = static_cast<double>(value.count());
    s.average = last + (s.average - last) * std::pow(7.0 / 8, static_cast<double>(times));
    if (s.average > static_cast<double>(target.count())) s.until = now + targets_.hold();
}

KCONTROL_DECL void backpressure::observe_wait(work_class c, duration wait, time_point now) {
    if (c == work_class::medium) observe(medium_waits_, wait, targets_.queue_wait(), now, 1);
    if (c == work_class::high) observe(high_waits_, wait, targets_.queue_wait(), now, 1);
}

KCONTROL_DECL void backpressure::observe_throttled(time_point now, std::uint64_t times) {
    if (times == 0) return;
    if (throttled_count_ == 0 || now - throttled_since_ >= targets_.hold()) {
        throttled_since_ = now;
        throttled_count_ = 0;
    }
    throttled_count_ += times;
    if (throttled_count_ > targets_.throttled()) throttled_.until = now + targets_.hold();
}

KCONTROL_DECL void backpressure::observe_write(duration latency, time_point now, std::uint64_t times) {
    observe(writes_, latency, targets_.write_latency(), now, times);
}

KCONTROL_DECL bool backpressure::medium_yields(time_point now) const {
    return high_waits_.holds(now) || writes_.holds(now) || throttled_.holds(now);
}

KCONTROL_DECL bool backpressure::low_is_parked(time_point now) const {
    return medium_waits_.holds(now) || medium_yields(now);
}

KCONTROL_DECL admission backpressure::admit(time_point now, std::size_t workers, std::size_t busy_with_medium) const {
    if (!low_is_parked(now)) return {};
    const std::size_t share = std::max<std::size_t>(1, workers / 2);
    return admission(false, !medium_yields(now) || busy_with_medium < share);
}

KCONTROL_DECL std::optional<time_point> backpressure::next_change(time_point now) const {
    std::optional<time_point> first;
    for (const sign* s : {&medium_waits_, &high_waits_, &writes_, &throttled_}) {
        if (s->holds(now) && (!first || *s->until < *first)) first = s->until;
    }
    return first;
}

}  // namespace kcontrol
