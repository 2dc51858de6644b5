#include "notices/notice_queue.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor::notices {

notice_queue::job_key notice_queue::key_of(const notice& n) {
    const auto& job = *n.job;
    // One that stands for several jobs, or tells of an end, is folded into none.
    if (!n.members.empty() || n.earlier > 0 || n.resolved) return {n.id, {}, {}, {}, {}};
    return {job.cluster, job.namespace_, job.name, job.kind, job.uid};
}

// What the notice says is where it began and where it is now; that it went back and forth is in the number of changes.
void notice_queue::fold(notice& into, notice&& later) {
    if (into.open) into.open->close();
    into.open = std::move(later.open);
    into.id = std::move(later.id);
    into.job = std::move(later.job);
    into.to = later.to;
    into.cluster_to = later.cluster_to;
    into.lasted = later.lasted;
    into.condition = later.condition;
    into.at = later.at;
    into.seen = later.seen;
    into.changes += later.changes;
}

void notice_queue::append(notice&& n) {
    auto& places = by_job_[key_of(n)];
    places.push_back(waiting_.insert(waiting_.end(), std::move(n)));
}

void notice_queue::erase(place at) {
    const auto found = by_job_.find(key_of(*at));
    auto& places = found->second;
    places.erase(std::find(places.begin(), places.end(), at));
    if (places.empty()) by_job_.erase(found);
    waiting_.erase(at);
}

// Leaves one notice a job, at the place of its first.
void notice_queue::compact() {
    for (auto& [key, places] : by_job_) {
        for (std::size_t i = 1; i < places.size(); ++i) {
            fold(*places.front(), std::move(*places[i]));
            waiting_.erase(places[i]);
            ++counters_.coalesced;
        }
        places.resize(1);
    }
}

std::optional<dead_notice> notice_queue::push(notice n) {
    std::optional<dead_notice> out;
    if (waiting_.size() >= options_.capacity()) {
        if (by_job_.size() < waiting_.size()) compact();
        const auto known = by_job_.find(key_of(n));
        if (waiting_.size() >= options_.capacity() && known != by_job_.end()) {
            fold(*known->second.back(), std::move(n));
            ++counters_.coalesced;
            return out;
        }
    }
    if (waiting_.size() >= options_.capacity()) {
        ++counters_.dropped;
        out = dead_notice{waiting_.front(), 0, "the queue was full"};
        erase(waiting_.begin());
    }
    append(std::move(n));
    return out;
}

notice_queue::action notice_queue::next(kcontrol::time_point now) {
    if (!current_) {
        if (waiting_.empty()) return nothing{};
        current_ = trial{waiting_.front(), 0, {}};
        erase(waiting_.begin());
    }
    auto when = std::max(now, current_->not_before);
    for (auto limit : limits_) when = std::max(when, now + limit.take(now));  // a copy: nothing is counted yet
    if (when > now) return wait_until{when};
    for (auto& limit : limits_) limit.take(now);
    if (++current_->attempts > 1) ++counters_.retries;
    return try_now{current_->what, current_->attempts};
}

std::optional<dead_notice> notice_queue::done(const delivery& how, kcontrol::time_point now, double unit) {
    std::optional<dead_notice> out;
    if (!current_) return out;
    if (how.how == delivery::kind::sent) {
        ++counters_.sent;
        pauses_.reset();
        current_.reset();
        return out;
    }
    if (how.how == delivery::kind::try_again) {
        const auto pause = std::max(pauses_.next(now, unit), how.retry_after.value_or(kcontrol::duration::zero()));
        const auto at = now + std::min(pause, retry_policy::longest_pause);
        const bool too_late = at - current_->what.seen > options_.retry().max_age();
        if (current_->attempts < options_.retry().attempts() && !too_late) {
            current_->not_before = at;
            return out;
        }
    }
    ++counters_.failed;
    out = dead_notice{std::move(current_->what), current_->attempts, how.why};
    current_.reset();
    return out;
}

}  // namespace training_monitor::notices
