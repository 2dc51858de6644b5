#pragma once

#include <kcontrol/runtime/time_after.hpp>
#include <kcontrol/workqueue/detail/queue_core.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL queue_core::queue_core(rate_limiter limiter, duration starvation_limit, bool priorities)
    : limiter_(std::move(limiter)), levels_(starvation_limit), priorities_(priorities) {}

KCONTROL_DECL queue_core::~queue_core() = default;

KCONTROL_DECL std::size_t queue_core::delayed() const noexcept { return delays_.size(); }

KCONTROL_DECL duration queue_core::add(queue_node& n, time_point now, const add_options& options, const cause& why,
                                       double unit) {
    duration wait = std::max(options.after(), duration::zero());
    if (options.rate_limited()) {
        const duration limited = backoff(n, now, unit);
        if (wait == duration::zero() || limited < wait) wait = limited;
        n.retry_at = time_after(now, wait);
    }
    enqueue(n, options.priority().value_or(0), why);
    if (wait == duration::zero()) {
        make_ready(n, now);
    } else {
        delay(n, time_after(now, wait));
    }
    return wait;
}

// Events neither use up a key's retries nor put the next one off: what fails before its retry was due waits for that.
inline duration queue_core::backoff(queue_node& n, time_point now, double unit) {
    if (n.processing && n.early && n.failures > 0 && n.retry_at > now) return n.retry_at - now;
    const duration limited = limiter_.next(rate_limit_attempt(n.failures, now, unit));
    ++n.failures;
    n.early = false;
    return limited;
}

KCONTROL_DECL void queue_core::add_at(queue_node& n, time_point when, int priority, const cause& why) {
    enqueue(n, priority, why);
    delay(n, when);
}

// Source: controller-runtime, pkg/controller/priorityqueue: of a queued item the higher priority counts; one that is
// raised goes to the end of its new level.
inline void queue_core::enqueue(queue_node& n, int priority, const cause& why) {
    n.causes.add(why);
    if (!priorities_) priority = 0;
    if (!n.ready && !n.is_delayed()) {
        n.priority = priority;
    } else if (priority > n.priority) {
        const bool moves = n.level != nullptr;
        if (moves) levels_.erase(n, false);
        n.priority = priority;
        if (moves) levels_.push(n, lane_of(n));
    }
}

inline void queue_core::delay(queue_node& n, time_point when) {
    ++counters_.retries;
    levels_.count_retry(n.priority);
    if (n.ready) return;
    if (n.is_delayed()) {
        if (delays_.time_of(n) <= when) return;
        delays_.erase(n);
    }
    delays_.push(n, when);
}

inline void queue_core::make_ready(queue_node& n, time_point since) {
    if (n.ready) return;
    if (n.is_delayed()) delays_.erase(n);
    n.ready = true;
    n.ready_since = since;
    ++counters_.adds;
    levels_.count_add(n.priority);
    if (!n.processing) levels_.push(n, lane_of(n));
}

KCONTROL_DECL queue_node* queue_core::take(time_point now, admission let) {
    while (!delays_.empty() && delays_.first_time() <= now) make_ready(delays_.first(), delays_.first_time());
    queue_node* const next = levels_.choose(now, let);
    if (!next) return nullptr;
    levels_.erase(*next, true);
    next->ready = false;
    next->processing = true;
    next->early = next->failures > 0 && next->retry_at > now;
    next->taken_at = now;
    next->taken_priority = next->priority;
    processing_.push_back(*next);
    ++processing_count_;
    return next;
}

KCONTROL_DECL void queue_core::finish(queue_node& n) {
    n.processing = false;
    processing_.erase(n);
    --processing_count_;
    if (n.ready) levels_.push(n, lane_of(n));
}

KCONTROL_DECL std::optional<time_point> queue_core::next_deadline(admission let) const {
    std::optional<time_point> first;
    if (!delays_.empty()) first = delays_.first_time();
    if (let.allows_all()) return first;
    const std::optional<time_point> starved = levels_.next_starved(let);
    if (starved && (!first || *starved < *first)) first = starved;
    return first;
}

KCONTROL_DECL std::vector<unfinished_work> queue_core::unfinished(time_point now) const {
    std::vector<unfinished_work> out;
    out.reserve(processing_count_);
    for (const queue_node* n = processing_.front(); n != nullptr; n = processing_.next(*n)) {
        out.emplace_back(n->taken_priority, now - n->taken_at);
    }
    return out;
}

KCONTROL_DECL void queue_core::drop_delayed() { delays_.clear(); }

KCONTROL_DECL void queue_core::drop_queued() {
    drop_delayed();
    levels_.clear();
}

}  // namespace kcontrol::detail
