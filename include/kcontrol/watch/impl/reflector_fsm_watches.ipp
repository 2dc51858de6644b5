// What becomes of a watch: progress, silence, an end, a refusal.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/watch/detail/failure_meaning.hpp>
#include <kcontrol/watch/reflector_fsm.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

// client-go calls a watch "very short" below this.
inline constexpr duration short_watch = std::chrono::seconds(1);
// What ends one watch before its time often ends many at once, in all clusters: a proxy that is restarted, a network
// that is gone for a moment. They come back spread over this, not in the same moment.
inline constexpr duration resume_spread = std::chrono::seconds(1);

inline error ended_early(std::uint32_t times) {
    return error(errc::protocol_error, "the server ended " + std::to_string(times) +
                                           " watches in a row, soon after it began them, and they brought nothing");
}

}  // namespace detail

KCONTROL_DECL reflector_action reflector_fsm::on_watch_open(time_point now, duration asked) {
    if (!watches_.is_out_of_patience()) become(reflector_state::live, nullptr);
    watches_.opened(now, asked, !odd_.empty());
    return reflector_action::read();
}

KCONTROL_DECL reflector_action reflector_fsm::on_due(time_point now) {
    if (!due() || now < *due()) return reflector_action::read();
    if (watches_.is_healthy(now)) {
        forget_trouble();
        become(reflector_state::live, nullptr);
    }
    const bool silent = watches_.take_silence(now);
    watches_.plan_look(now, !odd_.empty());
    return silent ? reflector_action::probe() : reflector_action::read();
}

KCONTROL_DECL void reflector_fsm::forget_trouble() {
    watches_.forget_trouble();
    refused_since_.reset();
    odd_.clear();
}

KCONTROL_DECL bool reflector_fsm::is_news(std::string_view version) const { return !went_back(version); }

KCONTROL_DECL reflector_action reflector_fsm::on_event(std::string_view version, time_point now) {
    if (went_back(version)) {
        return watches_.take_sign(now) ? reflector_action::probe() : reflector_action::read();
    }
    if (version.empty() || version == version_) return reflector_action::read();
    version_ = version;
    backoff_.reset();
    refused_since_.reset();
    if (watches_.progressed()) {
        become(reflector_state::live, nullptr);
        watches_.plan_look(now, !odd_.empty());
    }
    return reflector_action::read();
}

KCONTROL_DECL reflector_action reflector_fsm::on_unknown_deletion(const error& why, std::string_view version,
                                                                  time_point now, double unit) {
    on_event(version, now);
    list_at_start_ = true;  // no watch tells it again
    watches_.ended();
    return on_expired(why, now, unit);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_refused(const error& why, time_point now, double unit) {
    return after_refusal(detail::failure_row_of(why).watch, why, now, unit);
}

KCONTROL_DECL reflector_action reflector_fsm::after_refusal(detail::remedy what, const error& why, time_point now,
                                                            double unit) {
    using detail::remedy;
    if (what == remedy::list) return on_expired(why, now, unit);
    if (what == remedy::probe_rights) {
        become(reflector_state::forbidden, &why);
        verify_ = true;
        return wait(policy_.probe_period(), resume());
    }
    if (what == remedy::again_or_list) {
        if (!refused_since_) refused_since_ = now;
        if (now - *refused_since_ >= detail::failure_patience) what = remedy::list_later;
    }
    if (what == remedy::again || what == remedy::again_or_list) return back_off(why, now, unit, resume());
    if (what == remedy::list_newest_later) list_.ask_newest();
    refused_since_.reset();
    list_.begin(version_);
    return back_off(why, now, unit, next_step::list);
}

// How a watch goes on: from the last version, or by a list, where one was due or the server told no version. A watch
// without one would not tell what was deleted meanwhile.
KCONTROL_DECL reflector_fsm::next_step reflector_fsm::resume() {
    if (!version_.empty() && !list_.is_due()) return next_step::watch;
    list_.begin(version_);
    return next_step::list;
}

// The version is too old, or the kind is unknown: a list shows. At once, unless the list before helped nothing.
KCONTROL_DECL reflector_action reflector_fsm::on_expired(const error& why, time_point now, double unit) {
    if (!watches_.add_expired()) return list_again(now);
    watches_.add_fruitless();
    list_.begin(version_);
    return back_off(why, now, unit, next_step::list);
}

KCONTROL_DECL reflector_action reflector_fsm::on_error_event(const error& why, time_point now, double unit) {
    watches_.ended();
    const auto what = detail::failure_row_of(why).event;
    if (what != detail::remedy::list && !watches_.has_progressed()) watches_.add_fruitless();
    return after_refusal(what, why, now, unit);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_end(time_point now, double unit) {
    watches_.ended();
    if (!watches_.was_asked_to_end(now)) return after_watch(nullptr, now, unit);
    forget_trouble();
    become(reflector_state::live, nullptr);
    return open(resume(), now);
}

KCONTROL_DECL reflector_action reflector_fsm::on_watch_broken(const error& why, time_point now, double unit) {
    watches_.ended();
    return after_watch(&why, now, unit);
}

// A watch ended before its time. One that brought something is resumed soon. Others are begun no closer to each other
// than the backoff says, which one that lasted has waited for already.
KCONTROL_DECL reflector_action reflector_fsm::after_watch(const error* why, time_point now, double unit) {
    verify_ = true;
    watches_.suspect();
    if (why != nullptr && *why == errc::out_of_memory) {
        // The connection is not to blame, and the next one brings the same event again.
        if (!watches_.has_progressed()) watches_.add_fruitless();
        return back_off(*why, now, unit, resume());
    }
    duration pause = std::chrono::duration_cast<duration>(detail::resume_spread * unit);
    if (!watches_.has_progressed()) {
        const duration lasted = watches_.age(now);
        const bool early = !watches_.is_healthy(now);
        if (early) watches_.add_fruitless();
        if (early && watches_.is_out_of_patience()) {
            const error cause = why != nullptr ? *why : detail::ended_early(watches_.fruitless());
            become(reflector_state::failed, &cause);
        } else if (why != nullptr && lasted < detail::short_watch) {
            become(reflector_state::failed, why);
        }
        pause = std::max(pause, backoff_.next(now, unit) - lasted);
    }
    if (pause <= duration::zero()) return open(resume(), now);
    return wait(pause, resume());
}

}  // namespace kcontrol
