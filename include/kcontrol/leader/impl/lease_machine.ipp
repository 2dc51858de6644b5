#pragma once

#include <kcontrol/leader/detail/lease_machine.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kcontrol::inline v0_1::detail {

// client-go's: a pause is stretched by up to so many times itself.
inline constexpr double lease_jitter = 1.2;

// As controller-runtime bounds its requests: half the renew deadline, so that one that hangs is not the only try.
inline duration lease_request_time(const lease_settings& set) {
    return std::max<duration>(std::chrono::seconds(1), set.renew / 2);
}

// A server of Kubernetes has decimal versions. What is none counts as unknown.
inline std::uint64_t version_of(const coordination_lease& lease) {
    const std::string_view digits = lease.metadata.resource_version;
    std::uint64_t out = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return failed == std::errc() && end == digits.data() + digits.size() ? out : 0;
}

// Source: LeaderElectionRecord. Without a duration it would be client-go's to take at once; whoever holds it may think
// otherwise.
KCONTROL_DECL time_point lease_machine::free_at() const {
    if (!record_) return absent_until_;
    if (record_->spec.holder_identity.empty() || mine()) return {};
    const std::int32_t seconds = record_->spec.lease_duration_seconds.value_or(0);
    return observed_at_ + (seconds > 0 ? duration(std::chrono::seconds(seconds)) : set_.lease);
}

KCONTROL_DECL lease_step lease_machine::next(time_point now, wall_time wall) {
    if (leading_ && now >= fence_) lose("it was not renewed in time");
    if (stopping_) return give_up(now, wall);
    if (!leading_) return follow(now, wall);
    if (now < next_try_) {
        lease_step wait;
        wait.until = std::min(next_try_, fence_);
        return wait;
    }
    if (!current_) return ask(lease_request::get, now, wall);
    return ask(record_ ? lease_request::update : lease_request::create, now, wall);
}

KCONTROL_DECL lease_step lease_machine::follow(time_point now, wall_time wall) {
    lease_step wait;
    if (now < next_try_) {
        waited_ = true;
        wait.until = next_try_;
        return wait;
    }
    // Nobody has told what happened meanwhile.
    if (!watching_ && std::exchange(waited_, false)) current_ = false;
    if (!current_) return ask(lease_request::get, now, wall);
    if (barred_ && mine() && !busy_) return ask(lease_request::release, now, wall);
    const bool free = now >= free_at() && !busy_ && !barred_;
    if (free) return ask(record_ ? lease_request::update : lease_request::create, now, wall);
    if (barred_ && !busy_) {
        wait.until = now + set_.lease;
        waited_ = true;
        return wait;
    }
    wait.until = busy_ ? now + set_.retry : std::min(free_at(), now + set_.retry);
    if (watching_) wait.until = busy_ ? now + set_.lease : free_at();
    waited_ = true;
    return wait;
}

KCONTROL_DECL lease_step lease_machine::give_up(time_point now, wall_time wall) {
    if (leading_) lose("it stops");
    if (release_ && (mine() || doubt_) && now < release_until_) {
        if (now >= next_try_) return ask(current_ && mine() ? lease_request::release : lease_request::get, now, wall);
        lease_step wait;
        wait.until = std::min(next_try_, release_until_);
        return wait;
    }
    lease_step done;
    done.finished = true;
    return done;
}

KCONTROL_DECL lease_step lease_machine::ask(lease_request what, time_point now, wall_time wall) {
    lease_step step;
    step.request = pending_ = what;
    sent_ = now;
    acquiring_ = what == lease_request::create || (what == lease_request::update && !leading_ && !mine());
    step.until = now + lease_request_time(set_);
    if (leading_) step.until = std::min(step.until, fence_);
    if (stopping_) step.until = std::min(step.until, release_until_);
    if (what != lease_request::get) step.object = wanted(wall);
    return step;
}

// Field by field as client-go's record, of which each write has five: what else the spec has (preferredHolder and
// strategy, of coordinated leader election) is removed by a candidate that does not know it. Labels, annotations and
// all other metadata stay.
KCONTROL_DECL coordination_lease lease_machine::wanted(wall_time wall) const {
    coordination_lease out;
    if (record_) out = *record_;
    out.metadata.name = set_.name;
    out.metadata.namespace_ = set_.namespace_;
    for (const auto& [key, value] : set_.labels) out.metadata.labels[key] = text(value);
    for (const auto& [key, value] : set_.annotations) out.metadata.annotations[key] = text(value);
    const micro_time at(wall);
    auto& spec = out.spec;
    spec.renew_time = at;
    spec.lease_transitions = spec.lease_transitions.value_or(0);
    spec.preferred_holder = spec.strategy = text();
    if (pending_ == lease_request::release) {
        spec.holder_identity = text();
        spec.lease_duration_seconds = 1;
        spec.acquire_time = at;
        return out;
    }
    if (!mine() || !spec.acquire_time.present()) spec.acquire_time = at;
    if (record_ && !mine()) ++*spec.lease_transitions;
    spec.holder_identity = text(set_.identity);
    spec.lease_duration_seconds =
        static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::seconds>(set_.lease).count());
    return out;
}

KCONTROL_DECL void lease_machine::answered(const result<coordination_lease>& answer, time_point now, double unit) {
    const lease_request what = std::exchange(pending_, lease_request::none);
    if (what == lease_request::get) return read(answer, now, unit);
    if (!answer) return refused(answer.error(), now, unit);
    if (what == lease_request::release) return take(*answer, now);
    written(*answer, now);
}

KCONTROL_DECL void lease_machine::read(const result<coordination_lease>& answer, time_point now, double unit) {
    const bool absent = !answer && answer.error() == condition::not_found;
    if (!answer && !absent) {
        current_ = false;
        return pause(now, unit);
    }
    doubt_ = false;
    if (absent) {
        forget(now);
    } else {
        take(*answer, now);
        if (leading_ && !mine()) lose("it is held by " + holder());
    }
    current_ = true;
    next_try_ = now;
    if (!leading_ && !watching_ && now < free_at()) pause(now, unit);
}

KCONTROL_DECL void lease_machine::written(const coordination_lease& answer, time_point now) {
    const std::uint64_t newest = newest_;
    doubt_ = acquired_lost_ = false;
    take(answer, now);
    current_ = true;
    next_try_ = now;
    if (went_back(answer, newest)) return;
    // From when it was sent: others may have seen it at once.
    const time_point fence = sent_ + set_.renew;
    if (now >= fence || stopping_) return;
    fence_ = fence;
    next_try_ = now + set_.retry;
    if (leading_) return;
    leading_ = busy_ = true;
    token_ = acquired_ != 0 ? std::exchange(acquired_, 0) : version_of(answer);
    notices_.emplace_back(lease_event::started, "");
}

KCONTROL_DECL bool lease_machine::went_back(const coordination_lease& answer, std::uint64_t newest) {
    const std::uint64_t version = version_of(answer);
    if (version == 0 || version >= newest) return false;
    notices_.emplace_back(lease_event::token_went_back, std::to_string(newest) + " to " + std::to_string(version));
    if (!set_.refuse_token_reset) {
        newest_ = version;
        return false;
    }
    barred_ = true;
    if (leading_) lose("the Lease's version went back from " + notices_.back().text);
    return true;
}

KCONTROL_DECL void lease_machine::note_version(const coordination_lease& seen) {
    const std::uint64_t version = version_of(seen);
    if (version > newest_) barred_ = false;
    newest_ = std::max(newest_, version);
}

KCONTROL_DECL void lease_machine::refused(const error& why, time_point now, double unit) {
    current_ = false;
    if (leading_) ++slow_paths_;
    const bool other_version =
        why == condition::conflict || why == condition::not_found || why == api_errc::already_exists;
    if (other_version && (leading_ || stopping_)) {
        next_try_ = now;
        return;
    }
    doubt_ = doubt_ || !other_version;
    acquired_lost_ = acquired_lost_ || (acquiring_ && !other_version);
    pause(now, unit);
}

// Until the next try after a failure, or where there is nothing to try.
KCONTROL_DECL void lease_machine::pause(time_point now, double unit) {
    if (leading_ || stopping_) {
        next_try_ = std::max(now, sent_ + set_.retry);
        return;
    }
    const double stretched = static_cast<double>(set_.retry.count()) * (1 + lease_jitter * unit);
    next_try_ = now + duration(static_cast<duration::rep>(stretched));
}

KCONTROL_DECL void lease_machine::observed(const coordination_lease& seen, time_point now) {
    if (leading_ || stopping_) {
        // Its own renewals, and what was before them, come late; whoever else it shows is asked about.
        if (seen.spec.holder_identity == set_.identity) return;
        current_ = false;
        next_try_ = now;
        return;
    }
    const bool changed = !record_ || record_->spec != seen.spec;
    take(seen, now);
    current_ = true;
    if (changed && now >= free_at()) next_try_ = now;
}

KCONTROL_DECL void lease_machine::vanished(time_point now) {
    next_try_ = now;
    if (leading_ || stopping_) {
        current_ = false;
        return;
    }
    forget(now);
    current_ = true;
}

KCONTROL_DECL void lease_machine::take(const coordination_lease& seen, time_point now) {
    if (!record_ || record_->spec != seen.spec) observed_at_ = now;
    record_ = seen;
    if (!mine()) acquired_ = 0;
    if (mine() && std::exchange(acquired_lost_, false)) acquired_ = version_of(seen);
    note_version(seen);
    report();
}

KCONTROL_DECL void lease_machine::forget(time_point now) {
    if (record_) absent_until_ = free_at() > now ? free_at() : time_point();
    record_.reset();
    acquired_ = 0;
    acquired_lost_ = false;
    report();
}

KCONTROL_DECL void lease_machine::report() {
    const std::string now = holder();
    if (now == reported_) return;
    reported_ = now;
    notices_.emplace_back(lease_event::new_leader, now);
}

KCONTROL_DECL void lease_machine::lose(std::string why) {
    leading_ = false;
    fence_ = {};
    notices_.emplace_back(lease_event::stopped, std::move(why));
}

KCONTROL_DECL void lease_machine::stop(bool release, time_point until) {
    stopping_ = true;
    release_ = release;
    release_until_ = until;
    next_try_ = {};
}

KCONTROL_DECL std::vector<lease_notice> lease_machine::take_notices() { return std::exchange(notices_, {}); }

}  // namespace kcontrol::detail
