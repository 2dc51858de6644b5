// How far a followed value can be relied on, decided from what happened and when: without a clock or a request.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/service/freshness.hpp>

#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1::service::detail {

/// What counts for the state: at most two facts and one setting, so that it can be computed on any thread.
class freshness_facts {
public:
    bool watched = false;             ///< the watch is open and was not mute for too long
    std::optional<time_point> sign;   ///< when the server last confirmed the value
    std::optional<time_point> saved;  ///< when it last did so, of a value from a file

    KCONTROL_DECL freshness state(time_point now, duration stale_after) const;
    /// duration::max(): it never did.
    KCONTROL_DECL duration age(time_point now) const;
};

/// How the small request ended that asks for a sign of life.
enum class sign_reply {
    answered,  ///< as it should
    refused,   ///< by the API server itself: forbidden, too many requests
    none,      ///< nothing came, or not from an API server that can work
};

/// What to do now.
class freshness_step {
public:
    bool ask = false;     ///< send the small request, bounded by `limit`; its end is told by replied()
    duration limit{};     ///< of `ask`
    bool resume = false;  ///< resume the watch at once: the server is back, or the open watch can't be relied on
    time_point until{};   ///< nothing is to do before, unless something happens
};

/// The rules:
/// - While the watch is open, everything that it brings confirms the value. After half of `stale_after` without that, a
///   small request asks for a sign of life, and once more after three quarters.
/// - A watch that is open while the value became stale is mute: its connection may be dead, and what it missed would
///   never come. So the first sign of life after that does not confirm the value. The watch is resumed instead.
/// - While the watch is broken, only a complete list confirms the value. The small request is repeated about every
///   second. When it is answered after a failure, the server is back, and the watch is resumed without waiting for the
///   reflector's backoff; but no more than once per `stale_after`, for lists are dear to a server that is overloaded.
/// - A server that answers all the while, or refuses to, has a reason that time does not cure: after half a minute of
///   that it is asked every 5 s, or every 15 s.
///
/// Times are of a clock that counts suspension. Thread-safety: distinct objects safe; shared objects unsafe.
class freshness_machine {
public:
    explicit freshness_machine(duration stale_after) : stale_after_(stale_after) {}

    /// The value comes from a file: the server confirmed it at `saved`.
    void loaded(time_point saved) noexcept { facts_.saved = saved; }
    KCONTROL_DECL void started(time_point now);  ///< nothing is open yet
    KCONTROL_DECL void brought(time_point now);  ///< the watch opened, or brought something
    KCONTROL_DECL void listed(time_point now);   ///< a complete list came
    KCONTROL_DECL void closed(time_point now);   ///< the watch ended, however; idempotent
    /// The request of next() has ended. `unit` in [0, 1) spreads the clients of a server that is down.
    KCONTROL_DECL void replied(sign_reply how, time_point now, double unit);

    /// What to do at `now`. After `ask` no other is asked for until replied().
    KCONTROL_DECL freshness_step next(time_point now);

    const freshness_facts& facts() const noexcept { return facts_; }
    freshness state(time_point now) const { return facts_.state(now, stale_after_); }

private:
    bool is_mute(time_point now) const { return facts_.watched && state(now) == freshness::stale; }
    KCONTROL_DECL time_point ask_at(time_point now) const;

    duration stale_after_;
    freshness_facts facts_;
    time_point may_ask_at_{};
    sign_reply last_ = sign_reply::answered;     // since the watch closed, or was confirmed
    std::optional<time_point> answering_since_;  // without a failure between, since the watch closed
    bool asking_ = false;
    bool resume_ = false;
    std::optional<time_point> resumed_at_;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/freshness_machine.ipp>
#endif
