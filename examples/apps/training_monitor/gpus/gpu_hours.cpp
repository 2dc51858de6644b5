#include "gpus/gpu_hours.hpp"

#include "history/job_record.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

namespace training_monitor {
namespace {

using kcontrol::wall_time;
using std::chrono::floor;

// After a reconnect the server still tells what happened meanwhile; it takes so long at most.
constexpr auto settling = std::chrono::seconds(5);

// A million GPUs of a job are somebody's mistake; sums stay sums.
constexpr std::int64_t most_of_job = 1'000'000;

gpu_time to_gpu_time(wall_time at) { return floor<std::chrono::milliseconds>(at); }

// What a job says, in seconds, as long as it lies between the two.
gpu_time between(gpu_time low, std::int64_t seconds, gpu_time high) {
    if (seconds <= floor<std::chrono::seconds>(low).time_since_epoch().count()) return low;
    if (seconds >= floor<std::chrono::seconds>(high).time_since_epoch().count()) return high;
    return gpu_time(std::chrono::seconds(seconds));
}

bool uses_gpus(const job_view& job) { return job.state == job_state::running && job.gpus > 0; }

std::int64_t gpus_of(const job_view& job) { return std::min(job.gpus, most_of_job); }

}  // namespace

std::string_view team_of(const job_labels& labels) {
    for (const auto* key : {"team", "app.kubernetes.io/part-of"}) {
        if (const auto found = labels.find(key); found && !found->empty()) return *found;
    }
    return {};
}

void gpu_hours::take(const std::vector<change>& changes, wall_time now) {
    const gpu_time at = to_gpu_time(now);
    for (const auto& c : changes) {
        switch (c.type) {
        case change_type::job: see(*c.job, at); break;
        case change_type::job_removed: lose(*c.job, at); break;
        case change_type::cluster: set_live(*c.cluster, at); break;
        case change_type::cluster_removed:
            // What its jobs do from now on nobody sees, nor is it asked for: if it returns, it begins anew.
            std::erase_if(watches_, [&](const auto& each) { return each.first.first == c.cluster->name; });
            break;
        }
    }
}

gpu_hours::watch& gpu_hours::watch_of(const job_view& job, gpu_time now) {
    watch& w = watches_[{job.cluster, std::string(job.kind)}];
    open_if_due(w, now);
    return w;
}

void gpu_hours::set_live(const cluster_view& cluster, gpu_time now) {
    std::set<std::string_view> live;
    for (const auto& kind : cluster.kinds) {
        if (kind.state == "live") live.insert(kind.kind);
    }
    for (const auto& kind : live) {
        watch& w = watches_[{cluster.name, std::string(kind)}];
        if (!w.live_since) w.live_since = now;
    }
    for (auto at = watches_.lower_bound({cluster.name, {}}); at != watches_.end(); ++at) {
        if (at->first.first != cluster.name) break;
        watch& w = at->second;
        if (!w.live_since || live.contains(at->first.second)) continue;
        open_if_due(w, now);
        if (w.open) count(w, now);
        w.open = false;
        w.live_since.reset();
    }
}

// Jobs of an earlier run that nobody has seen until then are gone.
void gpu_hours::open_if_due(watch& w, gpu_time now) {
    if (w.open || !w.live_since) return;
    w.live_since = std::min(*w.live_since, now);  // the clock was set back
    if (now - *w.live_since < settling) return;
    w.open = true;
    if (!w.since) w.since = w.until = *w.live_since;
    std::erase_if(w.jobs, [](const auto& each) { return !each.second.seen; });
}

void gpu_hours::see(const job_view& job, gpu_time now) {
    watch& w = watch_of(job, now);
    const job_key key{job.namespace_, job.name};
    auto at = w.jobs.find(key);
    if (at != w.jobs.end() && at->second.uid != job.uid) {  // another job of that name
        if (w.open) count(at->second, now);
        w.jobs.erase(at);
        at = w.jobs.end();
    }
    if (at == w.jobs.end()) return begin(w, job, now);
    entry& e = at->second;
    const std::string_view team = team_of(job.labels);
    if (!e.seen) e.where.team = team;  // labels are not in the state file
    e.seen = true;
    // It was suspended meanwhile, and began again.
    if (!w.open && job.start_time && uses_gpus(job)) e.counted_to = between(e.counted_to, *job.start_time, now);
    if (uses_gpus(job) && e.gpus == gpus_of(job) && e.where.team == team) return;
    if (w.open || uses_gpus(job)) {
        count(e, now);
    } else if (is_final(job.state) && job.completion_time) {
        count(e, between(e.counted_to, *job.completion_time, now));
    }
    if (!uses_gpus(job)) {
        w.jobs.erase(at);
        return;
    }
    e.gpus = gpus_of(job);
    e.where.team = team;
}

// While its watch is open, a job is seen when it begins to run. Else it began when it says so, but not before what is
// counted. It is counted only once the watch is open: until then it may turn out to be part of another job.
void gpu_hours::begin(watch& w, const job_view& job, gpu_time now) {
    if (job.gpus <= 0) return;
    const bool ended = is_final(job.state) && job.completion_time && job.start_time;
    if (!uses_gpus(job) && (w.open || !w.since || !ended)) return;
    entry e;
    e.uid = job.uid;
    e.where =
        gpu_hours_key{floor<std::chrono::days>(now), job.cluster, job.namespace_, std::string(team_of(job.labels))};
    e.gpus = gpus_of(job);
    e.counted_to = now;
    if (!w.open && w.since && job.start_time) {
        const gpu_time floor_of_watch = std::min(w.until, now);
        e.counted_to = between(floor_of_watch, *job.start_time, now);
        if (!uses_gpus(job)) e.end = between(e.counted_to, *job.completion_time, now);
    }
    w.jobs.insert_or_assign(job_key{job.namespace_, job.name}, std::move(e));
}

void gpu_hours::lose(const job_view& job, gpu_time now) {
    watch& w = watch_of(job, now);
    const auto at = w.jobs.find(job_key{job.namespace_, job.name});
    if (at == w.jobs.end()) return;
    if (w.open) count(at->second, now);
    w.jobs.erase(at);
}

void gpu_hours::count(wall_time now) {
    const gpu_time at = to_gpu_time(now);
    forget_old(at);
    for (auto& [key, w] : watches_) {
        open_if_due(w, at);
        if (w.open) count(w, at);
    }
}

void gpu_hours::count(watch& w, gpu_time now) {
    for (auto& [key, e] : w.jobs) count(e, e.end ? *e.end : now);
    std::erase_if(w.jobs, [](const auto& each) { return each.second.end.has_value(); });
    w.until = now;
}

// Day by day. Where the clock was set back, it goes on from there.
void gpu_hours::count(entry& e, gpu_time to) {
    gpu_time from = std::max(e.counted_to, horizon_);
    e.counted_to = to;
    while (from < to) {
        e.where.day = floor<std::chrono::days>(from);
        const gpu_time end = std::min<gpu_time>(to, e.where.day + std::chrono::days(1));
        gpu_hours_sum& sum = row_of(e.where);
        const std::int64_t more = e.gpus * (end - from).count();
        sum.gpu_ms = sum.gpu_ms > std::numeric_limits<std::int64_t>::max() - more
                         ? std::numeric_limits<std::int64_t>::max()
                         : sum.gpu_ms + more;
        from = end;
    }
}

gpu_hours_sum& gpu_hours::row_of(const gpu_hours_key& where) {
    auto at = rows_.find(where);
    if (at == rows_.end()) {
        gpu_hours_key key = where;
        std::size_t& of_day = rows_of_day_[key.day];
        if (of_day >= options_.rows_a_day()) key.name_space = key.team = gpu_hours_other;
        bool fresh = false;
        std::tie(at, fresh) = rows_.try_emplace(std::move(key));
        of_day += fresh ? 1U : 0U;
    }
    if (!std::exchange(at->second.changed, true)) changed_.push_back(at->first);
    return at->second;
}

gpu_time gpu_hours::oldest(gpu_time now) const {
    return floor<std::chrono::days>(now) - std::chrono::days(options_.days() - 1);
}

void gpu_hours::forget_old(gpu_time now) {
    horizon_ = oldest(now);
    while (!rows_.empty() && rows_.begin()->first.day < horizon_) {
        rows_of_day_.erase(rows_.begin()->first.day);
        rows_.erase(rows_.begin());
    }
}

std::optional<wall_time> gpu_hours::since() const {
    std::optional<gpu_time> out;
    for (const auto& [key, w] : watches_) {
        if (w.since && (!out || *w.since < *out)) out = w.since;
    }
    // Of a cluster that left there are rows only.
    if (!rows_.empty() && (!out || rows_.begin()->first.day < floor<std::chrono::days>(*out))) {
        out = rows_.begin()->first.day;
    }
    if (!out) return std::nullopt;
    return wall_time(std::max(*out, horizon_));
}

std::size_t gpu_hours::jobs() const {
    std::size_t out = 0;
    for (const auto& [key, w] : watches_) out += w.jobs.size();
    return out;
}

void gpu_hours::restore(const gpu_hours_state& state) {
    for (const auto& row : state.rows) {
        if (rows_.try_emplace(row.key, gpu_hours_sum{row.gpu_ms, false}).second) ++rows_of_day_[row.key.day];
    }
    for (const auto& row : state.watches) {
        watch& w = watches_[row.key];
        w.since = row.since;
        w.until = row.until;
    }
}

void gpu_hours::resume(const job_record& job) {
    const job_view& view = *job.view;
    if (job.gone || job.state() != job_state::running || view.gpus <= 0) return;
    const auto at = watches_.find({view.cluster, std::string(view.kind)});
    if (at == watches_.end()) return;
    entry e;
    e.uid = view.uid;
    e.where = gpu_hours_key{{}, view.cluster, view.namespace_, {}};
    e.gpus = gpus_of(view);
    e.counted_to = std::max(at->second.until, to_gpu_time(job.spans.back().from));
    e.seen = false;
    at->second.jobs.insert_or_assign(job_key{view.namespace_, view.name}, std::move(e));
}

gpu_hours_state gpu_hours::take_changes(wall_time now) {
    count(now);
    gpu_hours_state out;
    for (const auto& key : std::exchange(changed_, {})) {
        const auto at = rows_.find(key);
        if (at == rows_.end()) continue;
        at->second.changed = false;
        out.rows.push_back({key, at->second.gpu_ms});
    }
    for (const auto& [key, w] : watches_) {
        if (w.since) out.watches.push_back({key, *w.since, w.until});
    }
    out.first_day = floor<std::chrono::days>(horizon_);
    return out;
}

}  // namespace training_monitor
