#include "web/job_metrics.hpp"

#include <kcontrol/base/fnv1a.hpp>

#include <utility>

namespace training_monitor {

// Among a million jobs, two of one hash are one chance in tens of millions, and would make a count wrong by
// one.
std::uint64_t job_metrics::key_of(const job_view& job) {
    kcontrol::fnv1a out;
    out.add(job.cluster).end().add(job.namespace_).end().add(job.name).end();
    return out.add(job.kind).end().add(job.api_version).end().value();
}

std::map<job_metrics::group_key, job_metrics::group>::iterator job_metrics::group_of(const job_view& job) {
    group_key key{job.cluster, job.namespace_, job.kind};
    if (const auto known = groups_.find(key); known != groups_.end()) return known;
    if (groups_.size() >= most_groups_) std::get<1>(key) = "(other)";
    return groups_.try_emplace(std::move(key)).first;
}

void job_metrics::count(entry& e) {
    group& g = e.at->second;
    ++g.all;
    ++g.jobs[static_cast<std::size_t>(e.state)];
    if (wants_gpus(e.state)) g.gpus_requested += e.gpus;
    if (e.state == job_state::running) g.gpus_running += e.gpus;
}

void job_metrics::uncount(entry& e) {
    group& g = e.at->second;
    --g.all;
    --g.jobs[static_cast<std::size_t>(e.state)];
    if (wants_gpus(e.state)) g.gpus_requested -= e.gpus;
    if (e.state == job_state::running) g.gpus_running -= e.gpus;
}

void job_metrics::leave_state(const entry& e, kcontrol::time_point now) {
    if (e.since_known) time_in_state_[static_cast<std::size_t>(e.state)].observe(now - e.since);
}

// increase() does not see the first of a counter that begins with one.
void job_metrics::begin_at_zero(const job_view& job) {
    if (transitions_.contains({job.cluster, job.kind, job_state{}})) return;
    for (std::size_t i = 0; i < states; ++i)
        transitions_.try_emplace({job.cluster, job.kind, static_cast<job_state>(i)});
}

void job_metrics::see(const change& c, kcontrol::time_point now) {
    const job_view& job = *c.job;
    const auto [found, fresh] = jobs_.try_emplace(key_of(job));
    entry& e = found->second;
    if (fresh) {
        e.at = group_of(job);
        begin_at_zero(job);
        e.since = now;
        e.since_known = !c.initial;
    } else {
        uncount(e);
        if (e.state != job.state) {
            leave_state(e, now);
            e.since = now;
            e.since_known = true;
        }
    }
    if ((fresh && !c.initial) || (!fresh && e.state != job.state)) ++transitions_[{job.cluster, job.kind, job.state}];
    e.state = job.state;
    e.gpus = job.gpus;
    count(e);
}

void job_metrics::take(const std::vector<change>& changes, kcontrol::time_point now) {
    for (const auto& c : changes) {
        if (c.type == change_type::job) see(c, now);
        if (c.type == change_type::cluster_removed) {
            std::erase_if(transitions_, [&](const auto& each) { return std::get<0>(each.first) == c.cluster->name; });
        }
        if (c.type != change_type::job_removed) continue;
        const auto found = jobs_.find(key_of(*c.job));
        if (found == jobs_.end()) continue;
        uncount(found->second);
        if (found->second.at->second.all == 0) groups_.erase(found->second.at);
        jobs_.erase(found);
    }
}

}  // namespace training_monitor
