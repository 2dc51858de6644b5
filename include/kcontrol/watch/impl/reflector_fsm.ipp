#pragma once

#include <kcontrol/watch/reflector_fsm.hpp>

#include <algorithm>
#include <ostream>
#include <utility>

namespace kcontrol {
namespace detail {

// A kind that was served a moment ago and is unknown now: ask once more before its objects are declared gone, since a
// server that is just starting may not know all its kinds yet.
inline constexpr duration missing_confirmation = std::chrono::seconds(2);
// client-go calls a watch "very short" below this; resuming such a watch at once would be a tight loop.
inline constexpr duration short_watch = std::chrono::seconds(1);

// "Too large resource version": the server has not caught up with the version asked for. Servers before 1.18.6 report
// it in the message of the cause or of the status only.
inline bool is_version_too_large(const error& why) {
    const api_status* status = why.status();
    if (status == nullptr || why.code() != api_errc::timeout) return false;
    const auto too_large = [](std::string_view text) { return text.starts_with("Too large resource version"); };
    if (too_large(status->message)) return true;
    return std::any_of(status->causes.begin(), status->causes.end(), [&](const status_cause& cause) {
        return cause.reason == "ResourceVersionTooLarge" || too_large(cause.message);
    });
}

inline bool is_storage_read_error(const error& why) {
    return why.status() != nullptr && why.status()->reason == "StorageReadError";
}

inline duration retry_after_of(const error* why) {
    if (why == nullptr || why->status() == nullptr || !why->status()->retry_after) return duration::zero();
    return std::clamp(*why->status()->retry_after, std::chrono::seconds(0), api_status::max_retry_after);
}

}  // namespace detail

KCONTROL_DECL std::ostream& operator<<(std::ostream& out, const reflector_action& a) {
    switch (a.step) {
    case reflector_step::list:
        return out << "list(rv=\"" << a.resource_version << "\", continue=\"" << a.continue_token
                   << "\", limit=" << a.limit << ")";
    case reflector_step::watch: return out << "watch(rv=\"" << a.resource_version << "\")";
    case reflector_step::read: return out << "read";
    case reflector_step::sleep:
        return out << "sleep(" << std::chrono::duration_cast<std::chrono::milliseconds>(a.delay).count() << "ms)";
    case reflector_step::clear: return out << "clear";
    }
    return out;
}

KCONTROL_DECL reflector_fsm::reflector_fsm(reflector_policy policy) : policy_(policy), backoff_(policy.backoff()) {}

KCONTROL_DECL reflector_action reflector_fsm::start() {
    backoff_.reset();
    reason_.clear();  // what was wrong before need not be wrong with this generation's client
    become(reflector_state::listing, nullptr);
    if (synced_ && !version_.empty()) return reflector_action::watch(version_);
    return list_again();
}

KCONTROL_DECL void reflector_fsm::forget_version() {
    version_.clear();
    use_newest_ = true;
}

KCONTROL_DECL reflector_action reflector_fsm::list_again() {
    become(reflector_state::listing, nullptr);
    paging_ = false;
    if (use_newest_) return reflector_action::list({}, {}, policy_.page_size());
    if (version_.empty()) return reflector_action::list("0", {}, policy_.page_size());
    // A limit together with a version other than "0" means "exactly at that version" to the server, which is not
    // what a list after 410 wants; so such a list is not paged (client-go does the same).
    return reflector_action::list(version_, {}, 0);
}

KCONTROL_DECL reflector_action reflector_fsm::list_newest_unpaged() {
    paging_ = false;
    return reflector_action::list({}, {}, 0);
}

KCONTROL_DECL reflector_action reflector_fsm::on_page(std::string_view version, std::string_view token) {
    if (!token.empty()) {
        paging_ = true;
        return reflector_action::list({}, std::string(token), policy_.page_size());
    }
    version_ = version;
    synced_ = true;
    use_newest_ = false;
    missing_once_ = false;
    return reflector_action::watch(version_);
}

KCONTROL_DECL reflector_action reflector_fsm::on_list_failed(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired && paging_) return list_newest_unpaged();
    if (why.code() == condition::expired || detail::is_version_too_large(why)) {
        // "At least N" was refused: ask for the newest state instead, the first time without delay.
        const bool refused_before = std::exchange(use_newest_, true);
        if (!refused_before) return list_again();
        return back_off(&why, now, unit, after_sleep::list);
    }
    if (why == errc::too_large && !use_newest_) {
        // Servers answer lists at "0" and "at least N" from memory, whole, whatever the limit; the newest state comes
        // in pages.
        use_newest_ = true;
        return list_again();
    }
    if (why.code() == condition::not_found) {
        become(reflector_state::not_installed, &why);
        use_newest_ = true;  // whatever comes back is not older than the 404
        if (!synced_) return wait(policy_.probe_period(), after_sleep::list);
        if (std::exchange(missing_once_, true)) return reflector_action::clear();
        return wait(detail::missing_confirmation, after_sleep::list);
    }
    missing_once_ = false;
    if (why.code() == api_errc::forbidden) {
        become(reflector_state::forbidden, &why);
        return wait(policy_.probe_period(), after_sleep::list);
    }
    return back_off(&why, now, unit, after_sleep::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_cleared() {
    synced_ = false;
    missing_once_ = false;
    version_.clear();
    return wait(policy_.probe_period(), after_sleep::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_open(time_point now) {
    become(reflector_state::live, nullptr);
    opened_ = now;
    events_ = 0;
    return reflector_action::read();
}

KCONTROL_DECL reflector_action reflector_fsm::on_event(std::string_view version) {
    if (!version.empty()) version_ = version;
    ++events_;
    return reflector_action::read();
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_refused(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired) return list_again();
    if (why.code() == condition::not_found) return list_again();  // the list shows whether the kind is gone
    if (why.code() == api_errc::forbidden) {
        become(reflector_state::forbidden, &why);
        return wait(policy_.probe_period(), after_sleep::watch);
    }
    if (why.code() == api_errc::bad_request || why.code() == api_errc::invalid) {
        // The server can't make sense of our version, as after a restore from a backup.
        use_newest_ = true;
        return back_off(&why, now, unit, after_sleep::list);
    }
    return back_off(&why, now, unit, after_sleep::watch);
}

KCONTROL_DECL reflector_action reflector_fsm::on_error_event(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired) return list_again();
    // Retryable ones say that the server is in trouble, not that our version is: resume where we were.
    const bool resume = why.code() == condition::retryable && !detail::is_storage_read_error(why);
    return back_off(&why, now, unit, resume ? after_sleep::watch : after_sleep::list);
}

KCONTROL_DECL bool reflector_fsm::short_and_empty(time_point now) const {
    return events_ == 0 && now - opened_ < detail::short_watch;
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_end(time_point now, double unit) {
    if (short_and_empty(now)) return back_off(nullptr, now, unit, after_sleep::watch);
    return reflector_action::watch(version_);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_broken(const error& why, time_point now, double unit) {
    if (short_and_empty(now)) return back_off(&why, now, unit, after_sleep::watch);
    return reflector_action::watch(version_);
}

KCONTROL_DECL reflector_action reflector_fsm::on_timer() {
    if (after_sleep_ == after_sleep::watch) return reflector_action::watch(version_);
    return list_again();
}

KCONTROL_DECL reflector_action reflector_fsm::wait(duration d, after_sleep then) {
    after_sleep_ = then;
    return reflector_action::sleep(d);
}

// Without a reason the state stays: a server that ends watches at once is odd, not failed.
KCONTROL_DECL reflector_action reflector_fsm::back_off(const error* why, time_point now, double unit,
                                                       after_sleep then) {
    if (why != nullptr) become(reflector_state::failed, why);
    return wait(std::max(backoff_.next(now, unit), detail::retry_after_of(why)), then);
}

KCONTROL_DECL void reflector_fsm::become(reflector_state state, const error* why) {
    // A server that is asked again keeps its diagnosis until it has answered.
    if (state == reflector_state::listing && !reason_.empty()) return;
    state_ = state;
    reason_ = why == nullptr ? std::string() : why->what();
    failure_ = why == nullptr ? error_code() : why->code();
}

}  // namespace kcontrol
