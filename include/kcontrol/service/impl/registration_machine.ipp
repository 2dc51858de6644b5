#pragma once

#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/service/detail/registration_machine.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::service::detail {

inline constexpr duration register_poll = std::chrono::seconds(30);    // while no watch tells changes
inline constexpr duration register_refresh = std::chrono::minutes(5);  // while one does
inline constexpr duration register_pause = std::chrono::seconds(1);    // between applies, of others' changes
inline constexpr duration register_most_pause = std::chrono::seconds(30);
inline constexpr duration register_slow_retry = std::chrono::minutes(1);  // where trying again does not mend it

// Versions that can't be ordered count as different, and so as newer.
inline bool is_newer(const std::string& a, const std::string& b) {
    if (a.empty() || a == b) return false;
    const auto order = compare_resource_version(a, b);
    return !order || *order > 0;
}

KCONTROL_DECL registration_step registration_machine::next(time_point now) {
    if (stopping_) return end(now);
    registration_step wait;
    if (now < next_try_) {
        wait.until = next_try_;
        return wait;
    }
    if (!set_.resolved) return ask(registration_request::resolve);
    if (set_.owned && !owner_known_) return ask(registration_request::find_pod);
    const time_point again = applied_at_ + (watching_ ? register_refresh : register_poll);
    if (dirty_ || now >= again) return ask(registration_request::apply);
    wait.until = again;
    return wait;
}

KCONTROL_DECL registration_step registration_machine::ask(registration_request what) {
    pending_ = what;
    if (what == registration_request::apply) {
        dirty_ = false;
        known_ = is_newer(seen_, version_) ? seen_ : version_;
    }
    return registration_step(what);
}

KCONTROL_DECL registration_step registration_machine::end(time_point now) {
    registration_step step;
    const bool may_be_there = !uid_.empty() || doubt_;
    step.finished = removed_ || !set_.remove || !may_be_there || now >= stop_until_;
    if (step.finished) return step;
    step.until = stop_until_;
    if (now >= next_try_) {
        step.request = pending_ = registration_request::remove;
    } else {
        step.until = std::min(next_try_, stop_until_);
    }
    return step;
}

KCONTROL_DECL void registration_machine::answered(const result<registration_answer>& answer, time_point now,
                                                  double unit) {
    const registration_request what = std::exchange(pending_, registration_request::none);
    if (!answer) return refused(what, answer.error(), now, unit);
    if (what == registration_request::resolve) {
        set_.resolved = true;
    } else if (what == registration_request::find_pod) {
        owner_known_ = true;
        owner_ = *answer;
    } else if (what == registration_request::apply) {
        took(*answer, now);
    } else {
        removed_ = true;
        failure_.reset();
    }
}

KCONTROL_DECL void registration_machine::took(const registration_answer& answer, time_point now) {
    // One that finds everything in place writes nothing, and shows the version that was known.
    const bool wrote = applies_ != 0 && is_newer(answer.version, known_);
    undone_ = wrote ? undone_ + 1 : 0;
    if (undone_ == 3) notices_.emplace_back(registration_event::undone, "");
    const auto order = compare_resource_version(answer.version, version_);
    if (order && *order < 0) {
        ++epoch_;
        seen_ = answer.version;
    }
    ++applies_;
    uid_ = answer.uid;
    version_ = answer.version;
    applied_ = true;
    applied_at_ = now;
    doubt_ = final_ = false;
    failures_ = 0;
    failure_.reset();
    forbidden_told_ = false;
    if (std::exchange(failure_told_, false)) notices_.emplace_back(registration_event::recovered, "");
    if (is_newer(seen_, version_)) schedule(now);  // somebody wrote meanwhile
}

// After a change by others: soon, but not as often as they like.
KCONTROL_DECL void registration_machine::schedule(time_point now) {
    if (std::exchange(dirty_, true)) return;
    duration pause = register_pause;
    for (unsigned i = 1; i < undone_ && pause < register_most_pause; ++i) pause *= 2;
    next_try_ = std::max(now, applied_at_ + std::min(pause, register_most_pause));
}

KCONTROL_DECL void registration_machine::observed(const std::string& version, time_point now) {
    if (is_newer(version, seen_)) seen_ = version;
    if (pending_ == registration_request::apply || stopping_) return;  // its answer is compared with what was seen
    if (is_newer(version, version_)) schedule(now);
}

KCONTROL_DECL void registration_machine::watching(bool yes, time_point now) {
    // What happened while none told it is not known.
    if (watching_ && !yes && !stopping_ && pending_ != registration_request::apply) schedule(now);
    watching_ = yes;
}

KCONTROL_DECL void registration_machine::refused(registration_request what, const error& why, time_point now,
                                                 double unit) {
    if (what == registration_request::remove) return not_removed(why, now);
    if (what == registration_request::find_pod && (why == condition::not_found || why == api_errc::forbidden)) {
        // Without a pod nothing owns it; nor does one that may not be read.
        owner_known_ = true;
        if (why == api_errc::forbidden) notices_.emplace_back(registration_event::pod_forbidden, why.what());
        return;
    }
    if (what == registration_request::apply) {
        dirty_ = true;
        applied_ = false;
        doubt_ = doubt_ || why == errc::unknown_outcome || why == errc::timeout || why == errc::stopped;
    }
    if (why == errc::stopped) return;
    failure_ = why;
    // Of a kind that is not served, or an object that is refused, only people can change something.
    final_ = !(why == condition::retryable || why == condition::unreachable || why == errc::unknown_outcome ||
               why == condition::conflict);
    duration pause = register_slow_retry;
    if (!final_) {
        pause = register_pause;
        for (unsigned i = 0; i < failures_ && pause < register_most_pause; ++i) pause *= 2;
        pause = std::min(pause, register_most_pause);
        ++failures_;
    }
    next_try_ = now + duration(static_cast<duration::rep>(static_cast<double>(pause.count()) * (1 + unit / 2)));
    report_failure(what, why);
}

KCONTROL_DECL void registration_machine::report_failure(registration_request what, const error& why) {
    if (what == registration_request::apply && why == api_errc::forbidden) {
        if (!std::exchange(forbidden_told_, true)) notices_.emplace_back(registration_event::forbidden, why.what());
        failure_told_ = true;
        return;
    }
    if (!std::exchange(failure_told_, true)) notices_.emplace_back(registration_event::failed, why.what());
}

// That it is not there, or another one of its name is, is what was wanted.
KCONTROL_DECL void registration_machine::not_removed(const error& why, time_point now) {
    removed_ = why == condition::not_found || why == condition::conflict;
    if (removed_) return;
    failure_ = why;
    if (why == api_errc::forbidden) {
        notices_.emplace_back(registration_event::remove_forbidden, why.what());
        removed_ = true;  // no more tries
        return;
    }
    next_try_ = now + register_pause / 2;
}

KCONTROL_DECL void registration_machine::stop(time_point until) {
    stopping_ = true;
    stop_until_ = until;
    next_try_ = {};
    failure_.reset();
}

}  // namespace kcontrol::service::detail
