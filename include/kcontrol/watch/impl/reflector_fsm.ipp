#pragma once

#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/watch/reflector_fsm.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol {
namespace detail {

// A kind that was served a moment ago and is unknown now: ask once more before its objects are declared gone, since a
// server that is just starting may not know all its kinds yet.
inline constexpr duration missing_confirmation = std::chrono::seconds(2);
// client-go calls a watch "very short" below this.
inline constexpr duration short_watch = std::chrono::seconds(1);
// A watch that lasted so long is in order, whatever it brought: many proxies cut quiet connections after a minute.
inline constexpr duration healthy_watch = std::chrono::seconds(30);
// A server that had the namespace kube-system and has none is starting with an empty store, and will make it in a
// moment.
inline constexpr duration nameless_pause = std::chrono::seconds(1);
inline constexpr std::uint32_t nameless_patience = 10;
// Signs that versions went back are held against a consistent list no more often than this.
inline constexpr duration probe_pause = std::chrono::seconds(30);
// So many watches in a row that bring nothing are a failure, however they end.
inline constexpr std::uint32_t patience = 3;

inline constexpr std::uint32_t open_burst = 5;
inline constexpr duration open_period = std::chrono::seconds(1);

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

inline duration retry_after_of(const error& why) {
    if (why.status() == nullptr || !why.status()->retry_after) return duration::zero();
    return std::clamp(*why.status()->retry_after, std::chrono::seconds(0), api_status::max_retry_after);
}

// It would be the same for a list: nobody answers.
inline bool nobody_answers(const error& why) { return why.code() == condition::unreachable && why != errc::timeout; }

inline error ended_early(std::uint32_t times) {
    return error(errc::protocol_error, "the server ended " + std::to_string(times) +
                                           " watches in a row, soon after it began them, and they brought nothing");
}

}  // namespace detail

KCONTROL_DECL reflector_fsm::reflector_fsm(reflector_policy policy)
    : policy_(policy),
      backoff_(policy.backoff()),
      limit_(detail::open_burst, detail::open_period),
      page_size_(policy.page_size()) {}

KCONTROL_DECL reflector_action reflector_fsm::start(time_point now) {
    backoff_.reset();
    fruitless_ = 0;
    reading_ = allowed_ = false;
    due_.reset();
    verify_ = true;
    reason_.clear();  // what was wrong before need not be wrong with this generation's client
    if (!synced_ || version_.empty() || list_at_start_) return list_again(now);
    troubled_ = true;  // nobody looked since it was stopped
    become(reflector_state::listing, nullptr);
    return open(next_step::watch, now);
}

KCONTROL_DECL void reflector_fsm::forget_version() {
    version_.clear();
    identity_.clear();
    use_newest_ = true;
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
    case next_step::list: return list_page();
    case next_step::watch: return reflector_action::watch(version_);
    case next_step::probe: probed_ = now; break;
    }
    return reflector_action::probe();
}

KCONTROL_DECL reflector_action reflector_fsm::list_again(time_point now) {
    become(reflector_state::listing, nullptr);
    begin_list();
    return open(next_step::list, now);
}

KCONTROL_DECL void reflector_fsm::begin_list() {
    token_.clear();
    unpaged_ = false;
    list_version_ = use_newest_ ? std::string() : version_.empty() ? "0" : version_;
}

KCONTROL_DECL reflector_action reflector_fsm::list_page() const {
    if (!token_.empty()) return reflector_action::list({}, token_, page_size_);
    if (unpaged_) return reflector_action::list({}, {}, 0);
    if (list_version_.empty() || list_version_ == "0") return reflector_action::list(list_version_, {}, page_size_);
    // A limit together with a version other than "0" means "exactly at that version" to the server, which is not
    // what a list after 410 wants; so such a list is not paged (client-go does the same).
    return reflector_action::list(list_version_, {}, 0);
}

KCONTROL_DECL reflector_action reflector_fsm::wait(duration d, next_step then) {
    then_ = then;
    allowed_ = false;
    return reflector_action::sleep(d);
}

KCONTROL_DECL reflector_action reflector_fsm::back_off(const error& why, time_point now, double unit, next_step then) {
    become(reflector_state::failed, &why);
    verify_ = true;
    troubled_ = synced_;
    return wait(std::max(backoff_.next(now, unit), detail::retry_after_of(why)), then);
}

KCONTROL_DECL reflector_action reflector_fsm::on_timer(time_point now) { return open(then_, now); }

// --- who answers

KCONTROL_DECL reflector_action reflector_fsm::on_identity(const result<server_identity>& who, time_point now,
                                                          double unit) {
    if (!who) {
        if (detail::nobody_answers(who.error())) {
            return back_off(who.error(), now, unit, then_ == next_step::list ? next_step::list : next_step::watch);
        }
        const bool lost_name = !identity_.empty() && who.error().code() == condition::not_found;
        if (lost_name && nameless_++ < detail::nameless_patience) {
            become(reflector_state::failed, &who.error());
            return wait(detail::nameless_pause, then_);
        }
        nameless_ = 0;
        verify_ = false;
        return go_on(now);
    }
    nameless_ = 0;
    verify_ = false;
    if (!identity_.empty() && identity_ != who->uid) {
        ++server_changes_;
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
            use_newest_ = true;
            begin_list();
        }
    }
    return go_on(now);
}

KCONTROL_DECL bool reflector_fsm::went_back(std::string_view version) const {
    const auto order = compare_resource_version(version, version_);
    return order && *order < 0;
}

KCONTROL_DECL reflector_action reflector_fsm::list_other_history(time_point now) {
    use_newest_ = by_content_ = true;
    reading_ = troubled_ = false;
    fruitless_ = 0;
    due_.reset();
    state_ = reflector_state::listing;
    reason_ = odd_;
    failure_ = {};
    begin_list();
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
    if (!reading_) return reflector_action::watch(version_);
    if (!version) {
        troubled_ = true;
        plan_look(now);
    }
    return reflector_action::read();
}

// --- lists

KCONTROL_DECL reflector_action reflector_fsm::on_page(std::string_view version, std::string_view token,
                                                      time_point now) {
    if (token_.empty()) page_version_ = version;
    if (!token.empty()) {
        token_ = token;
        return list_page();
    }
    token_.clear();
    if (!by_content_ && went_back(page_version_)) {
        if (!list_version_.empty()) {
            // A replica that lags, or a store that was restored: the newest state tells.
            use_newest_ = true;
            begin_list();
            return open(next_step::list, now);
        }
        note_rollback(page_version_);
        by_content_ = true;
    }
    return reflector_action::replace(by_content_);
}

KCONTROL_DECL reflector_action reflector_fsm::on_replaced(time_point now) {
    version_ = page_version_;
    synced_ = true;
    list_at_start_ = false;
    use_newest_ = by_content_ = missing_once_ = troubled_ = false;
    return open(next_step::watch, now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_list_failed(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired && !token_.empty()) {
        begin_list();
        list_version_.clear();
        unpaged_ = true;
        return open(next_step::list, now);
    }
    if (why.code() == condition::expired || detail::is_version_too_large(why)) {
        // "At least N" was refused: ask for the newest state instead, the first time without delay.
        const bool refused_before = std::exchange(use_newest_, true);
        begin_list();
        if (!refused_before) return open(next_step::list, now);
        return back_off(why, now, unit, next_step::list);
    }
    if (why == errc::too_large && can_halve_page()) {
        state_ = reflector_state::listing;
        reason_ = why.what() + "; asking for " + std::to_string(page_size_) + " objects at once";
        failure_ = why.code();
        return open(next_step::list, now);
    }
    // The server may not make sense of our version.
    if (why.code() == api_errc::bad_request || why.code() == api_errc::invalid) use_newest_ = true;
    begin_list();
    if (why.code() == condition::not_found) return on_missing(why);
    missing_once_ = false;
    if (why.code() == api_errc::forbidden) {
        become(reflector_state::forbidden, &why);
        verify_ = true;
        return wait(policy_.probe_period(), next_step::list);
    }
    return back_off(why, now, unit, next_step::list);
}

// A page that does not fit is asked for again, half as large; a list that is not paged, in pages.
KCONTROL_DECL bool reflector_fsm::can_halve_page() {
    if (unpaged_ || !list_version_.empty() || page_size_ == 0) {
        if (page_size_ == 0) page_size_ = reflector_policy().page_size();
        use_newest_ = true;
        begin_list();
        return true;
    }
    if (page_size_ == 1) return false;
    page_size_ /= 2;
    return true;
}

KCONTROL_DECL reflector_action reflector_fsm::on_missing(const error& why) {
    become(reflector_state::not_installed, &why);
    verify_ = true;
    use_newest_ = true;  // whatever comes back is not older than the 404
    begin_list();
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

// --- watches

KCONTROL_DECL reflector_action reflector_fsm::on_watch_open(time_point now, duration asked) {
    opened_ = now;
    asked_ = asked;
    reading_ = true;
    progressed_ = false;
    if (fruitless_ < detail::patience) become(reflector_state::live, nullptr);
    plan_look(now);
    return reflector_action::read();
}

// When the open watch is to be looked at: it has stayed silent, or has lasted long enough to be in order.
KCONTROL_DECL void reflector_fsm::plan_look(time_point now) {
    due_.reset();
    const time_point healthy = opened_ + detail::healthy_watch;
    if ((fruitless_ > 0 || expired_ || !odd_.empty()) && now < healthy) due_ = healthy;
    if (!troubled_) return;
    const time_point silent = std::max(opened_, probed_.value_or(opened_)) + 2 * policy_.silence_period();
    due_ = due_ ? std::min(*due_, silent) : silent;
}

KCONTROL_DECL reflector_action reflector_fsm::on_due(time_point now) {
    if (!due_ || now < *due_) return reflector_action::read();
    if (now >= opened_ + detail::healthy_watch) {
        forget_trouble();
        become(reflector_state::live, nullptr);
    }
    const bool silent = troubled_ && now >= opened_ + 2 * policy_.silence_period();
    if (silent) {
        troubled_ = false;
        probed_ = now;
    }
    plan_look(now);
    return silent ? reflector_action::probe() : reflector_action::read();
}

KCONTROL_DECL void reflector_fsm::forget_trouble() {
    fruitless_ = 0;
    expired_ = false;
    odd_.clear();
}

KCONTROL_DECL bool reflector_fsm::is_news(std::string_view version) const { return !went_back(version); }

KCONTROL_DECL reflector_action reflector_fsm::on_event(std::string_view version, time_point now) {
    if (went_back(version)) {
        if (probed_ && now - *probed_ < detail::probe_pause) return reflector_action::read();
        probed_ = now;
        return reflector_action::probe();
    }
    if (version.empty() || version == version_) return reflector_action::read();
    version_ = version;
    progressed_ = true;
    backoff_.reset();
    expired_ = false;
    if (troubled_ || fruitless_ > 0) {
        troubled_ = false;
        fruitless_ = 0;
        become(reflector_state::live, nullptr);
        plan_look(now);
    }
    return reflector_action::read();
}

KCONTROL_DECL reflector_action reflector_fsm::on_unknown_deletion(const error& why, std::string_view version,
                                                                  time_point now, double unit) {
    on_event(version, now);
    end_watch();
    return on_expired(why, now, unit);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_refused(const error& why, time_point now, double unit) {
    if (why.code() == condition::expired || why.code() == condition::not_found) return on_expired(why, now, unit);
    if (why.code() == api_errc::forbidden) {
        become(reflector_state::forbidden, &why);
        verify_ = true;
        return wait(policy_.probe_period(), resume());
    }
    if (why.code() == api_errc::bad_request || why.code() == api_errc::invalid) {
        // The server can't make sense of our version, as after a restore from a backup.
        use_newest_ = true;
        begin_list();
        return back_off(why, now, unit, next_step::list);
    }
    return back_off(why, now, unit, resume());
}

// How a watch goes on: from the last version, or, where the server told none, by a list. A watch without a version
// would not tell what was deleted meanwhile.
KCONTROL_DECL reflector_fsm::next_step reflector_fsm::resume() {
    if (!version_.empty()) return next_step::watch;
    begin_list();
    return next_step::list;
}

// The version is too old, or the kind is unknown: a list shows. At once, unless the list before helped nothing.
KCONTROL_DECL reflector_action reflector_fsm::on_expired(const error& why, time_point now, double unit) {
    if (!std::exchange(expired_, true)) return list_again(now);
    ++fruitless_;
    begin_list();
    return back_off(why, now, unit, next_step::list);
}

KCONTROL_DECL void reflector_fsm::end_watch() {
    reading_ = false;
    due_.reset();
}

KCONTROL_DECL reflector_action reflector_fsm::on_error_event(const error& why, time_point now, double unit) {
    end_watch();
    if (why.code() == condition::expired) return on_expired(why, now, unit);
    if (!progressed_) ++fruitless_;
    // Retryable ones say that the server is in trouble, not that our version is: resume where we were.
    const bool resumes = why.code() == condition::retryable && !detail::is_storage_read_error(why);
    if (!resumes) begin_list();
    return back_off(why, now, unit, resumes ? resume() : next_step::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_end(time_point now, double unit) {
    end_watch();
    const bool asked_for = asked_ > duration::zero() && now - opened_ >= asked_ - asked_ / 10;
    if (!asked_for) return after_watch(nullptr, now, unit);
    forget_trouble();
    become(reflector_state::live, nullptr);
    return open(resume(), now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_broken(const error& why, time_point now, double unit) {
    end_watch();
    return after_watch(&why, now, unit);
}

// A watch ended before its time. One that brought something is resumed at once. Others are begun no closer to each
// other than the backoff says, which one that lasted has waited for already.
KCONTROL_DECL reflector_action reflector_fsm::after_watch(const error* why, time_point now, double unit) {
    verify_ = true;
    troubled_ = true;
    if (progressed_) return open(resume(), now);
    const duration lasted = now - opened_;
    const bool early = lasted < detail::healthy_watch;
    if (early) ++fruitless_;
    if (early && fruitless_ >= detail::patience) {
        const error cause = why != nullptr ? *why : detail::ended_early(fruitless_);
        become(reflector_state::failed, &cause);
    } else if (why != nullptr && lasted < detail::short_watch) {
        become(reflector_state::failed, why);
    }
    const duration left = backoff_.next(now, unit) - lasted;
    if (left <= duration::zero()) return open(resume(), now);
    return wait(left, resume());
}

KCONTROL_DECL void reflector_fsm::become(reflector_state state, const error* why) {
    // A server that is asked again keeps its diagnosis until it has answered.
    if (state == reflector_state::listing && !reason_.empty()) return;
    state_ = state;
    reason_ = why == nullptr ? odd_ : why->what();
    failure_ = why == nullptr ? error_code() : why->code();
}

}  // namespace kcontrol
