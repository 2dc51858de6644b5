#pragma once

#include <kcontrol/client/retry_after.hpp>
#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/watch/detail/failure_meaning.hpp>
#include <kcontrol/watch/reflector_fsm.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// A kind that was served a moment ago and is unknown now: ask once more before its objects are declared gone, since a
// server that is just starting may not know all its kinds yet.
inline constexpr duration missing_confirmation = std::chrono::seconds(2);
// A server that had the namespace kube-system and has none is starting with an empty store, and will make it in a
// moment.
inline constexpr duration nameless_pause = std::chrono::seconds(1);
inline constexpr std::uint32_t nameless_patience = 10;
// One that has told who it is and forbids it may be starting: it does not know its roles yet. Asked so once, until it
// tells again: whose right was taken away is not kept waiting at each failure.
inline constexpr std::uint32_t refused_patience = 3;

inline constexpr std::uint32_t open_burst = 5;
inline constexpr duration open_period = std::chrono::seconds(1);

}  // namespace detail

KCONTROL_DECL reflector_fsm::reflector_fsm(reflector_policy policy)
    : policy_(policy),
      backoff_(policy.backoff()),
      limit_(detail::open_burst, detail::open_period),
      list_(policy.page_size()),
      streams_(policy),
      watches_(policy.silence_period()) {}

KCONTROL_DECL reflector_action reflector_fsm::start(time_point now) {
    backoff_.reset();
    watches_.restart();
    streams_.restart();
    refused_since_.reset();
    allowed_ = false;
    verify_ = true;
    reason_.clear();  // what was wrong before need not be wrong with this generation's client
    if (!synced_ || version_.empty() || list_at_start_ || by_content_) return list_again(now);
    list_.dropped();
    watches_.suspect();  // nobody looked since it was stopped
    become(reflector_state::listing, nullptr);
    return open(next_step::watch, now);
}

KCONTROL_DECL void reflector_fsm::forget_version() {
    version_.clear();
    identity_.clear();
    list_.ask_newest();
    streams_.forget();
    by_content_ = true;
}

// --- ways on

KCONTROL_DECL reflector_action reflector_fsm::open(next_step what, time_point now) {
    then_ = what;
    if (!allowed_ && free_ > 0) {
        --free_;
    } else if (!allowed_) {
        const duration early = limit_.take(now);
        if (early > duration::zero()) {
            if (odd_.empty()) {
                odd_ = "lists and watches of this kind end as soon as they begin; no more than one a second is opened";
            }
            if (reason_.empty()) reason_ = odd_;
            return reflector_action::sleep(early);
        }
    }
    allowed_ = true;
    return go_on(now);
}

KCONTROL_DECL reflector_action reflector_fsm::go_on(time_point now) {
    if (verify_) return reflector_action::identify();
    allowed_ = false;
    switch (then_) {
    case next_step::list:
        if (streams_.usable() && list_.may_stream()) return reflector_action::stream(list_.stream_version());
        return list_.page();
    case next_step::watch: return reflector_action::watch(version_);
    case next_step::probe: watches_.probed(now); break;
    }
    return reflector_action::probe();
}

KCONTROL_DECL reflector_action reflector_fsm::list_again(time_point now) {
    become(reflector_state::listing, nullptr);
    list_.begin(version_);
    return open(next_step::list, now);
}

KCONTROL_DECL reflector_action reflector_fsm::wait(duration d, next_step then) {
    then_ = then;
    allowed_ = false;
    return reflector_action::sleep(d);
}

KCONTROL_DECL reflector_action reflector_fsm::back_off(const error& why, time_point now, double unit, next_step then) {
    become(reflector_state::failed, &why);
    verify_ = true;
    watches_.suspect(synced_);
    return wait(std::max(backoff_.next(now, unit), retry_after_of(why)), then);
}

KCONTROL_DECL reflector_action reflector_fsm::on_timer(time_point now) { return open(then_, now); }

// --- who answers

KCONTROL_DECL reflector_action reflector_fsm::on_identity(const result<server_identity>& who, time_point now,
                                                          double unit) {
    if (!who) {
        if (detail::nobody_answers(who.error())) {
            return back_off(who.error(), now, unit, then_ == next_step::list ? next_step::list : next_step::watch);
        }
        const bool known = !identity_.empty();
        const bool lost_name = known && who.error().code() == condition::not_found;
        const bool refuses = known && who.error().code() == api_errc::forbidden;
        if ((lost_name && nameless_++ < detail::nameless_patience) ||
            (refuses && refused_++ < detail::refused_patience)) {
            become(reflector_state::failed, &who.error());
            return wait(detail::nameless_pause, then_);
        }
        nameless_ = 0;
        verify_ = false;
        return go_on(now);
    }
    nameless_ = 0;
    refused_ = 0;
    verify_ = false;
    if (!identity_.empty() && identity_ != who->uid) {
        ++server_changes_;
        streams_.forget();
        odd_ = "another server answers at this address: the namespace kube-system had the uid " + identity_ +
               ", now it has " + who->uid;
        identity_ = who->uid;
        return list_other_history(now);
    }
    identity_ = who->uid;
    if (went_back(who->resource_version)) {
        // A sign only: this kind may be stored elsewhere.
        if (then_ == next_step::watch) then_ = next_step::probe;
        if (then_ == next_step::list) {
            list_.ask_newest();
            list_.begin(version_);
        }
    }
    return go_on(now);
}

KCONTROL_DECL bool reflector_fsm::went_back(std::string_view version) const {
    const auto order = compare_resource_version(version, version_);
    return order && *order < 0;
}

KCONTROL_DECL bool reflector_fsm::is_of_known_history(std::string_view version) const {
    return synced_ && !by_content_ && !went_back(version);
}

KCONTROL_DECL reflector_action reflector_fsm::list_other_history(time_point now) {
    list_.ask_newest();
    by_content_ = true;
    watches_.start_over();
    state_ = reflector_state::listing;
    reason_ = odd_;
    failure_ = {};
    list_.begin(version_);
    return open(next_step::list, now);
}

KCONTROL_DECL void reflector_fsm::note_rollback(std::string_view version) {
    ++rollbacks_;
    odd_ = "the server's versions went back from " + version_ + " to " + std::string(version) +
           ": its store was restored to an older state";
    reason_ = odd_;
}

KCONTROL_DECL reflector_action reflector_fsm::on_probe(const result<std::string>& version, time_point now) {
    if (version && went_back(*version)) {
        note_rollback(*version);
        return list_other_history(now);
    }
    if (!watches_.is_open()) return reflector_action::watch(version_);
    if (!version) {
        watches_.suspect();
        watches_.plan_look(now, !odd_.empty());
    }
    return reflector_action::read();
}

// --- lists

KCONTROL_DECL reflector_action reflector_fsm::on_page(std::string_view version, std::string_view token,
                                                      time_point now) {
    if (!list_.take_page(version, token)) return list_.page();
    if (!by_content_ && went_back(list_.version())) {
        if (!list_.is_consistent()) {
            // A replica that lags, or a store that was restored: the newest state tells.
            list_.ask_newest();
            list_.begin(version_);
            return open(next_step::list, now);
        }
        note_rollback(list_.version());
        by_content_ = true;
    }
    return reflector_action::replace(by_content_);
}

KCONTROL_DECL reflector_action reflector_fsm::on_replaced(time_point now) {
    version_ = list_.version();
    synced_ = true;
    list_.taken_over();
    watches_.suspect(false);
    refused_since_.reset();
    list_at_start_ = by_content_ = missing_once_ = false;
    streams_.listed();
    if (streams_.is_open()) {
        streams_.closed();
        return on_watch_open(streams_.began(), streams_.asked());
    }
    return open(next_step::watch, now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_list_failed(const error& why, time_point now, double unit) {
    streams_.closed();
    if (detail::failure_row_of(why).list != detail::remedy::list_newest) streams_.list_failed();
    return after_list(why, now, unit);
}

// What follows a list that failed, streamed or not.
KCONTROL_DECL reflector_action reflector_fsm::after_list(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired && list_.is_later_page()) {
        list_.begin_unpaged();
        return open(next_step::list, now);
    }
    const auto what = detail::failure_row_of(why).list;
    if (what == detail::remedy::list_newest) {
        // "At least N" was refused: ask for the newest state instead, the first time without delay.
        const bool refused_before = list_.ask_newest();
        list_.begin(version_);
        if (!refused_before) return open(next_step::list, now);
        return back_off(why, now, unit, next_step::list);
    }
    if (why == errc::too_large && list_.halve_page(version_)) {
        state_ = reflector_state::listing;
        reason_ = why.what() + "; asking for " + std::to_string(list_.page_size()) + " objects at once";
        failure_ = why.code();
        return open(next_step::list, now);
    }
    if (what == detail::remedy::list_newest_later) list_.ask_newest();
    list_.begin(version_);
    if (what == detail::remedy::probe_kind) return on_missing(why);
    missing_once_ = false;
    if (what == detail::remedy::probe_rights) {
        become(reflector_state::forbidden, &why);
        verify_ = true;
        return wait(policy_.probe_period(), next_step::list);
    }
    return back_off(why, now, unit, next_step::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_missing(const error& why) {
    become(reflector_state::not_installed, &why);
    verify_ = true;
    list_.ask_newest();  // whatever comes back is not older than the 404
    list_.begin(version_);
    if (!synced_) return wait(policy_.probe_period(), next_step::list);
    if (std::exchange(missing_once_, true)) return reflector_action::clear();
    return wait(detail::missing_confirmation, next_step::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_cleared() {
    synced_ = false;
    missing_once_ = false;
    version_.clear();
    return wait(policy_.probe_period(), next_step::list);
}

KCONTROL_DECL void reflector_fsm::become(reflector_state state, const error* why) {
    // A server that is asked again keeps its diagnosis until it has answered.
    if (state == reflector_state::listing && !reason_.empty()) return;
    state_ = state;
    reason_ = why == nullptr ? odd_ : why->what();
    failure_ = why == nullptr ? error_code() : why->code();
}

}  // namespace kcontrol
