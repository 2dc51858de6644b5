#include "notices/alerts.hpp"

#include "jobs/kind_names.hpp"
#include "notices/message.hpp"

#include <utility>

namespace training_monitor::notices {

void alerts::told(std::size_t receiver, const notice& n) {
    if (n.is_of_cluster() || n.thread.empty()) return;
    if (tone_of(n) != tone::bad) {
        end(*n.job,
            [&](const alert_key& key, const alert& a) { return key == alert_key(receiver, n.thread) && a.total == 1; });
        return;
    }
    const alert_key key{receiver, n.thread};
    const auto known = open_.find(key);
    if (known == open_.end() && open_.size() >= most_) return;
    alert& a = open_[key];
    if (known == open_.end() || n.earlier == 0) a.what = n;
    a.what.members.clear();
    a.what.open.reset();
    a.what.log.clear();
    const auto add = [&](const notice& one) {
        if (a.jobs.insert(key_of(*one.job)).second) ++a.total;
        by_job_[key_of(*one.job)].insert(key);
    };
    add(n);
    for (const auto& each : n.members) add(each);
    tell(key);
}

kept_alert alerts::kept(std::size_t receiver, const std::string& thread) const {
    kept_alert out;
    const auto at = open_.find({receiver, thread});
    if (at == open_.end()) {
        out.what.thread = thread;
        return out;
    }
    out.what = at->second.what;
    out.total = at->second.total;
    for (const auto& [cluster, name_space, name, kind, uid] : at->second.jobs) {
        out.jobs.push_back({cluster, name_space, std::string(kind), name, uid});
    }
    return out;
}

void alerts::restore(std::size_t receiver, const kept_alert& from) {
    const alert_key key{receiver, from.what.thread};
    if (open_.size() >= most_ || open_.contains(key)) return;
    alert a;
    a.what = from.what;
    a.total = from.total;
    a.doubtful = from.what.condition != job_condition::none && from.what.condition != job_condition::gpus_idle;
    for (const auto& each : from.jobs) {
        const auto kind = find_kind(each.kind);
        if (kind.empty()) continue;
        const job_key job{each.cluster, each.namespace_, each.name, kind, each.uid};
        a.jobs.insert(job);
        by_job_[job].insert(key);
    }
    if (!a.jobs.empty()) open_.emplace(key, std::move(a));
}

void alerts::holds(const job_view& job, job_condition which) {
    const auto of_job = by_job_.find(key_of(job));
    if (of_job == by_job_.end()) return;
    for (const auto& key : of_job->second) {
        alert& a = open_.at(key);
        if (a.what.condition == which) a.doubtful = false;
    }
}

std::vector<notice> alerts::doubtful() {
    std::vector<notice> out;
    for (auto& [key, a] : open_) {
        if (std::exchange(a.doubtful, false)) out.push_back(a.what);
    }
    return out;
}

template <class Fits>
std::vector<ended_alert> alerts::end(const job_view& job, Fits fits) {
    std::vector<ended_alert> out;
    const auto of_job = by_job_.find(key_of(job));
    if (of_job == by_job_.end()) return out;
    std::erase_if(of_job->second, [&](const alert_key& key) {
        const auto at = open_.find(key);
        if (!fits(key, at->second)) return false;
        at->second.jobs.erase(of_job->first);
        if (at->second.jobs.empty()) {
            out.push_back({key.first, std::move(at->second.what)});
            out.back().what.earlier = at->second.total - 1;
            open_.erase(at);
        }
        tell(key);
        return true;
    });
    if (of_job->second.empty()) by_job_.erase(of_job);
    return out;
}

std::vector<ended_alert> alerts::moved(const job_view& job, standing to) {
    return end(job, [&](const alert_key&, const alert& a) {
        if (!to.state()) return true;
        const auto state = *to.state();
        if (state == job_state::succeeded || state == job_state::suspended) return true;
        if (a.what.condition != job_condition::none) return false;  // over() says so
        const bool of_wait = a.what.lasted > kcontrol::duration::zero() && a.what.to != to;
        return state == job_state::running && (of_wait || a.what.to == standing(job_state::restarting));
    });
}

std::vector<ended_alert> alerts::over(const job_view& job, job_condition which) {
    const bool worse = job.state == job_state::failed || job.state == job_state::restarting;
    return end(job, [&](const alert_key& key, alert& a) {
        if (a.what.condition != which || a.doubtful) return false;
        if (!worse) return true;
        a.what.condition = job_condition::none;
        a.what.to = job.state;
        tell(key);
        return false;
    });
}

std::vector<ended_alert> alerts::only(const std::string& cluster, job_condition which,
                                      const std::vector<const job_view*>& jobs) {
    std::set<job_key> so;
    for (const auto* job : jobs) so.insert(key_of(*job));
    std::vector<std::shared_ptr<const job_view>> ended;
    for (const auto& [key, a] : open_) {
        const auto& job = a.what.job;
        if (a.what.condition == which && job->cluster == cluster && !so.contains(key_of(*job))) ended.push_back(job);
    }
    std::vector<ended_alert> out;
    for (const auto& job : ended) {
        for (auto& each : over(*job, which)) out.push_back(std::move(each));
    }
    return out;
}

void alerts::forget(const std::string& cluster) {
    auto at = by_job_.lower_bound(job_key{cluster, {}, {}, {}, {}});
    while (at != by_job_.end() && std::get<0>(at->first) == cluster) {
        for (const auto& key : at->second) {
            const auto open = open_.find(key);
            open->second.jobs.erase(at->first);
            if (open->second.jobs.empty()) open_.erase(open);
            tell(key);
        }
        at = by_job_.erase(at);
    }
}

}  // namespace training_monitor::notices
