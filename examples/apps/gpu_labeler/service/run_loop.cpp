#include "service/run_loop.hpp"

#include <algorithm>
#include <utility>

namespace gpu_labeler {
namespace {

using kcontrol::duration;
using kcontrol::time_point;

constexpr auto never = time_point::max();
constexpr auto least_gap = std::chrono::seconds(1);    // between two reads: events come in storms
constexpr auto longest_nap = std::chrono::minutes(1);  // a clock that was set is noticed so soon

kcontrol::backoff_policy policy(duration cap) {
    return kcontrol::backoff_policy()
        .initial(std::chrono::seconds(1))
        .cap(cap)
        .jitter(1.0)
        .reset_after(duration::max());
}

duration share(duration whole, double unit) {
    return duration(static_cast<duration::rep>(static_cast<double>(whole.count()) * unit));
}

}  // namespace

run_loop::run_loop(loop_settings settings, time_point now, double unit)
    : settings_(std::move(settings)),
      read_at_(now),
      store_at_(settings_.once() ? now : now + share(settings_.start_jitter(), unit)),
      read_backoff_(policy(std::chrono::minutes(1))),
      store_backoff_(policy(std::chrono::minutes(5))) {}

time_point run_loop::next_read(time_point now, kcontrol::wall_time wall) const {
    auto at = read_at_;
    if (due_) at = std::min(at, now + std::max(*due_ - wall, duration::zero()));
    if (event_ && last_read_) at = std::min(at, *last_read_ + least_gap);
    return at;
}

// A clock that was set back comes to times that were due once more.
void run_loop::follow_clock(kcontrol::wall_time wall) {
    if (due_ && clock_ && wall < *clock_) due_ = settings_.schedule().next(wall);
    clock_ = wall;
}

loop_step run_loop::wait(time_point now, time_point until) const {
    if (due_) until = std::min<time_point>(until, now + longest_nap);
    return {loop_action::wait, until};
}

loop_step run_loop::next(time_point now, kcontrol::wall_time wall, double unit) {
    if (stopping_) return {loop_action::end, {}};
    follow_clock(wall);
    if (std::exchange(renewed_, false)) {
        plan_.doubt();
        store_backoff_.reset();
        store_at_ = now + share(settings_.start_jitter(), unit);
    }
    if (resync_at_ && now >= *resync_at_) {
        resync_at_.reset();
        plan_.doubt();
    }
    const auto read_at = next_read(now, wall);
    if (now >= read_at) {
        event_ = false;
        return {loop_action::read, {}};
    }
    const auto step = wanted_ ? plan_.next(*wanted_) : write_step::nothing;
    if (step == write_step::nothing) {
        if (settings_.once() && wanted_) {
            succeeded_ = true;
            return {loop_action::end, {}};
        }
        if (wanted_ && !resync_at_ && settings_.resync() > duration::zero()) {
            // Somewhere in the second half, so that a fleet that started together drifts apart.
            resync_at_ = now + settings_.resync() / 2 + share(settings_.resync() / 2, unit);
        }
        return wait(now, std::min(read_at, resync_at_.value_or(never)));
    }
    if (now < store_at_) return wait(now, std::min(read_at, store_at_));
    return {step == write_step::look ? loop_action::look : loop_action::write, {}};
}

void run_loop::change(loop_settings settings, time_point now) {
    settings_ = std::move(settings);
    read_at_ = now;
    resync_at_.reset();
}

void run_loop::schedule_read(time_point now, kcontrol::wall_time wall) {
    last_read_ = now;
    read_at_ = never;
    due_.reset();
    const auto fires = settings_.once() ? std::nullopt : settings_.schedule().next(wall);
    if (!fires) return;
    if (settings_.schedule().follows_clock()) {
        due_ = fires;
    } else {
        read_at_ = now + (*fires - wall);
    }
}

void run_loop::read(time_point now, kcontrol::wall_time wall, node_marks wanted) {
    schedule_read(now, wall);
    read_backoff_.reset();
    failing_since_.reset();
    given_up_ = false;
    wanted_ = std::move(wanted);
}

void run_loop::read_failed(time_point now, kcontrol::wall_time wall, double unit) {
    if (settings_.once()) return stop();
    schedule_read(now, wall);
    read_at_ = std::min(read_at_, now + read_backoff_.next(now, unit));
    if (!failing_since_) failing_since_ = now;
    if (settings_.keep() > duration::zero() && now >= *failing_since_ + settings_.keep()) {
        given_up_ = true;
        wanted_ = node_marks();
    }
}

void run_loop::looked(node_marks there) {
    plan_.found(std::move(there));
    if (settled()) store_backoff_.reset();
}

void run_loop::wrote() {
    plan_.found(*wanted_);
    store_backoff_.reset();
}

void run_loop::store_failed(time_point now, double unit) {
    if (settings_.once()) return stop();
    plan_.doubt();
    store_at_ = now + store_backoff_.next(now, unit);
}

}  // namespace gpu_labeler
