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
    if (!failure && before == held_.rend()) return n;
    const auto due = before == held_.rend() ? now + how_->wait : before->due;
    held_.push_back({std::move(n), failure, {}, due});
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
    const bool any_due = std::any_of(held_.begin(), held_.end(), [&](const auto& each) { return each.due <= now; });
    auto waiting = any_due ? std::exchange(held_, {}) : std::vector<held_notice>();
    for (auto& each : waiting) {
        if (!each.failure) continue;
        const bool of_state = each.what.condition == job_condition::none;
        if (auto job = of_state ? latest(each.what) : nullptr; job && job->failure) each.what.job = std::move(job);
        each.cause = cause_of(*each.what.job, how_->by);
    }
    std::map<std::string, std::vector<notice>> begun;  // what goes with the first of its cause
    for (auto& each : waiting) {
        const auto known = each.cause.empty() ? open_.end() : open_.find(each.cause);
        if (known != open_.end() && each.failure) {
            known->second.later.push_back(std::move(each.what));
            continue;
        }
        const auto with = each.cause.empty() ? begun.end() : begun.find(each.cause);
        if (with != begun.end()) {
            with->second.push_back(std::move(each.what));
        } else if (each.due > now) {
            held_.push_back(std::move(each));
        } else if (each.cause.empty()) {
            out.push_back(std::move(each.what));
        } else {
            begun[each.cause].push_back(std::move(each.what));
        }
    }
    for (auto at = held_.begin(); at != held_.end();) {  // those that came before the first that was due, but are not
        const auto with = at->cause.empty() ? begun.end() : begun.find(at->cause);
        if (with == begun.end()) {
            ++at;
            continue;
        }
        with->second.push_back(std::move(at->what));
        at = held_.erase(at);
    }
    for (auto& [cause, all] : begun) {
        open_[cause] = {all.front().thread, all.size(), {}, now + how_->more};
        out.push_back(joined(std::move(all)));
    }
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
    return out;
}

}  // namespace training_monitor::notices
