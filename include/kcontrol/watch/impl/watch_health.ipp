#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/watch/detail/watch_health.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::detail {

// Many proxies cut quiet connections after a minute; a watch that lasted half of that is in order.
inline constexpr duration healthy_watch = std::chrono::seconds(30);
// Signs that versions went back are held against a consistent list no more often than this.
inline constexpr duration probe_pause = std::chrono::seconds(30);
// So many watches in a row that bring nothing are a failure, however they end.
inline constexpr std::uint32_t watch_patience = 3;

KCONTROL_DECL void watch_health::opened(time_point now, duration asked, bool odd) {
    opened_ = now;
    asked_ = asked;
    open_ = true;
    progressed_ = false;
    plan_look(now, odd);
}

KCONTROL_DECL bool watch_health::progressed() {
    progressed_ = true;
    expired_ = false;
    const bool trouble = suspected_ || fruitless_ > 0;
    suspected_ = false;
    fruitless_ = 0;
    return trouble;
}

KCONTROL_DECL void watch_health::ended() noexcept {
    open_ = false;
    due_.reset();
}

KCONTROL_DECL bool watch_health::was_asked_to_end(time_point now) const noexcept {
    return asked_ > duration::zero() && age(now) >= asked_ - asked_ / 10;
}

KCONTROL_DECL bool watch_health::is_healthy(time_point now) const noexcept { return age(now) >= healthy_watch; }

KCONTROL_DECL void watch_health::plan_look(time_point now, bool odd) {
    due_.reset();
    const time_point healthy = opened_ + healthy_watch;
    if ((fruitless_ > 0 || expired_ || odd) && now < healthy) due_ = healthy;
    if (!suspected_) return;
    const time_point silent = std::max(opened_, probed_.value_or(opened_)) + 2 * silence_;
    due_ = due_ ? std::min(*due_, silent) : silent;
}

KCONTROL_DECL bool watch_health::take_silence(time_point now) {
    if (!suspected_ || age(now) < 2 * silence_) return false;
    suspected_ = false;
    probed_ = now;
    return true;
}

KCONTROL_DECL bool watch_health::take_sign(time_point now) {
    if (probed_ && now - *probed_ < probe_pause) return false;
    probed_ = now;
    return true;
}

KCONTROL_DECL bool watch_health::is_out_of_patience() const noexcept { return fruitless_ >= watch_patience; }

}  // namespace kcontrol::detail
