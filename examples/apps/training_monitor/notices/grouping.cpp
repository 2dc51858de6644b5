#include "notices/grouping.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor::notices {
namespace {

bool same_job(const notice& a, const notice& b) {
    return a.job->cluster == b.job->cluster && a.job->namespace_ == b.job->namespace_ && a.job->name == b.job->name &&
           a.job->kind == b.job->kind;
}

}  // namespace

bool is_of_failure(const notice& n) {
    if (n.is_of_cluster() || n.resolved || !n.to.state()) return false;
    if (n.condition != job_condition::none) return n.condition == condition_of(trouble::crash_loop);
    return n.to.state() == job_state::failed || n.to.state() == job_state::restarting;
}

std::optional<notice> grouping::push(notice n, kcontrol::time_point now) {
    if (!how_) return n;
    const bool failure = is_of_failure(n);
    const auto before =
        std::find_if(held_.rbegin(), held_.rend(), [&](const held_notice& each) { return same_job(each.what, n); });
    const auto behind = before == held_.rend() ? due_of_later(n) : before->due;
    if (!failure && !behind) return n;
    const auto due = failure && before == held_.rend() ? now + how_->wait : *behind;
    held_.push_back({std::move(n), failure, {}, due});
    return std::nullopt;
}

// When the group goes out in which a notice of the same job waits.
std::optional<kcontrol::time_point> grouping::due_of_later(const notice& n) const {
    for (const auto& [cause, group] : open_) {
        for (const auto& each : group.later) {
            if (same_job(each, n)) return group.due;
        }
    }
    return std::nullopt;
}

std::optional<kcontrol::time_point> grouping::next() const {
    std::optional<kcontrol::time_point> out;
    for (const auto& each : held_) out = std::min(out.value_or(each.due), each.due);
    for (const auto& [cause, group] : open_) out = std::min(out.value_or(group.due), group.due);
    return out;
}

std::size_t grouping::held() const {
    std::size_t out = held_.size();
    for (const auto& [cause, group] : open_) out += group.later.size();
    return out;
}

notice grouping::joined(std::vector<notice> all) {
    notice out = std::move(all.front());
    out.members.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
    return out;
}

std::vector<notice> grouping::take(kcontrol::time_point now, const latest_job& latest) {
    std::vector<notice> out;
    for (auto at = open_.begin(); at != open_.end();) {
        auto& group = at->second;
        if (group.due > now) {
            ++at;
        } else if (group.later.empty()) {
            at = open_.erase(at);
        } else {
            const std::size_t more = group.later.size();
            notice n = joined(std::exchange(group.later, {}));
            n.thread = group.thread;
            n.earlier = std::exchange(group.told, group.told + more);
            n.seen = now;
            out.push_back(std::move(n));
            group.due = now + how_->more;
            ++at;
        }
    }
    const bool any_due = std::any_of(held_.begin(), held_.end(), [&](const auto& each) { return each.due <= now; });
    auto waiting = any_due ? std::exchange(held_, {}) : std::vector<held_notice>();
    for (auto& each : waiting) {
        if (!each.failure) continue;
        const bool of_state = each.what.condition == job_condition::none;
        if (auto job = of_state ? latest(each.what) : nullptr; job && job->failure) each.what.job = std::move(job);
        each.cause = cause_of(*each.what.job, how_->by);
    }
    std::vector<std::vector<notice>> begun;    // each goes out as one, in this order
    std::map<std::string, std::size_t> place;  // of a cause, in `begun`
    for (auto& each : waiting) {
        const auto known = each.cause.empty() ? open_.end() : open_.find(each.cause);
        if (known != open_.end()) {
            known->second.later.push_back(std::move(each.what));
            continue;
        }
        if (!each.failure) each.due = std::max(each.due, due_of_later(each.what).value_or(each.due));
        const auto with = each.cause.empty() ? place.end() : place.find(each.cause);
        if (with != place.end()) {
            begun[with->second].push_back(std::move(each.what));
        } else if (each.due > now) {
            held_.push_back(std::move(each));
        } else {
            if (!each.cause.empty()) place.emplace(each.cause, begun.size());
            begun.emplace_back().push_back(std::move(each.what));
        }
    }
    std::erase_if(held_, [&](held_notice& each) {  // those that came before the first that was due, but are not
        const auto with = each.cause.empty() ? place.end() : place.find(each.cause);
        if (with == place.end()) return false;
        begun[with->second].push_back(std::move(each.what));
        return true;
    });
    for (const auto& [cause, at] : place) {
        open_[cause] = {begun[at].front().thread, begun[at].size(), {}, now + how_->more};
    }
    for (auto& all : begun) out.push_back(joined(std::move(all)));
    return out;
}

}  // namespace training_monitor::notices
