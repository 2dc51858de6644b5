#pragma once

#include <kcontrol/service/detail/freshness_machine.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

// While the watch is broken, or mute: from the end of one request to the next, and how long one is waited for. Together
// they are shorter than the two seconds in which a server that is back shall be noticed.
inline constexpr duration outage_pause = std::chrono::milliseconds(700);
inline constexpr duration outage_limit = std::chrono::seconds(1);
// A server that is starting may refuse until it has read its roles: the time counts from its first answer.
inline constexpr duration outage_patience = std::chrono::seconds(30);
inline constexpr duration refused_pause = std::chrono::seconds(15);
inline constexpr duration answered_pause = std::chrono::seconds(5);

KCONTROL_DECL freshness freshness_facts::state(time_point now, duration stale_after) const {
    if (!sign || now - *sign >= stale_after) return freshness::stale;
    return watched ? freshness::live : freshness::resuming;
}

KCONTROL_DECL duration freshness_facts::age(time_point now) const {
    if (sign) return std::max(now - *sign, duration::zero());
    return saved ? std::max(now - *saved, duration::zero()) : duration::max();
}

KCONTROL_DECL void freshness_machine::started(time_point now) {
    facts_.watched = false;
    may_ask_at_ = now + outage_pause;
    last_ = sign_reply::answered;
    asking_ = resume_ = false;
    answering_since_.reset();
    resumed_at_.reset();
}

KCONTROL_DECL void freshness_machine::brought(time_point now) {
    facts_.watched = true;
    facts_.sign = now;
    last_ = sign_reply::answered;
    resume_ = false;
}

KCONTROL_DECL void freshness_machine::listed(time_point now) {
    facts_.sign = now;
    resume_ = false;
}

KCONTROL_DECL void freshness_machine::closed(time_point now) {
    if (!facts_.watched) return;
    facts_.watched = false;
    answering_since_.reset();
    may_ask_at_ = now + outage_pause;
}

KCONTROL_DECL void freshness_machine::replied(sign_reply how, time_point now, double unit) {
    asking_ = false;
    duration pause = outage_pause;
    if (how == sign_reply::none) {
        answering_since_.reset();
    } else {
        if (!answering_since_) answering_since_ = now;
        if (now - *answering_since_ >= outage_patience) {
            pause = how == sign_reply::refused ? refused_pause : answered_pause;
        }
    }
    may_ask_at_ = now + std::chrono::duration_cast<duration>(pause * (0.7 + 0.6 * unit));
    const sign_reply before = std::exchange(last_, how);
    if (facts_.watched && !is_mute(now)) {
        if (how != sign_reply::none) facts_.sign = now;
        return;
    }
    if (how != sign_reply::answered) return;
    const bool mute = std::exchange(facts_.watched, false);
    const bool may = !resumed_at_ || now - *resumed_at_ >= stale_after_;
    if (!mute && (before == sign_reply::answered || !may)) return;
    resume_ = true;
    resumed_at_ = now;
}

KCONTROL_DECL time_point freshness_machine::ask_at(time_point now) const {
    if (!facts_.watched) return may_ask_at_;
    if (is_mute(now) || last_ == sign_reply::none) return may_ask_at_;
    return *facts_.sign + stale_after_ / 2;
}

KCONTROL_DECL freshness_step freshness_machine::next(time_point now) {
    freshness_step out;
    out.resume = std::exchange(resume_, false);
    // The state changes by itself when the last sign of life is too old.
    const bool turns = facts_.sign && now - *facts_.sign < stale_after_;
    const time_point turn = turns ? *facts_.sign + stale_after_ : time_point::max();
    out.until = turn;
    if (asking_) return out;
    const time_point due = ask_at(now);
    if (now < due) {
        out.until = std::min(out.until, due);
        return out;
    }
    asking_ = out.ask = true;
    out.limit = facts_.watched && !is_mute(now) ? std::max<duration>(stale_after_ / 4, std::chrono::milliseconds(200))
                                                : outage_limit;
    return out;
}

}  // namespace kcontrol::service::detail
