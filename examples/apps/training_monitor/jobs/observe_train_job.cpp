// TrainJob: it has no condition that says "running", so that comes from the counts of its child Jobs.
#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/observe.hpp"

#include <algorithm>
#include <limits>

namespace training_monitor {
namespace {

void derive_state(job_view& view, const train_job& job) {
    const auto& conditions = job.status.conditions;
    if (const auto* c = holds(conditions, "Failed")) return decide(view, job_state::failed, *c);
    if (const auto* c = holds(conditions, "Complete")) return decide(view, job_state::succeeded, *c);
    const auto* suspended = holds(conditions, "Suspended");
    if (suspended && job.spec.suspend.value_or(false)) return decide_suspended(view, job.metadata, *suspended);

    const auto any = [&](auto child_jobs_status::*count) {
        return std::any_of(job.status.jobs_status.begin(), job.status.jobs_status.end(),
                           [&](const auto& child) { return child.*count > 0; });
    };
    if (any(&child_jobs_status::ready)) {
        view.state = job_state::running;
    } else if (any(&child_jobs_status::failed)) {
        view.state = job_state::restarting;  // no Failed condition: the JobSet's failure policy starts it again
    } else if (any(&child_jobs_status::active)) {
        view.state = job_state::pending;
    } else if (any(&child_jobs_status::succeeded)) {
        view.state = job_state::running;  // between two steps, or the last one is about to be recorded
    } else {
        view.state = job_state::created;
    }
}

// A TrainJob records no start. It starts when it is created, or when it was last resumed.
std::string start_time(const train_job& job, job_state state) {
    if (state == job_state::created || state == job_state::queued || state == job_state::suspended) return {};
    const auto* suspended = find_condition(job.status.conditions, "Suspended");
    if (suspended && suspended->status == "False" && !suspended->last_transition_time.empty()) {
        return suspended->last_transition_time;
    }
    return job.metadata.creation_timestamp.str();
}

// Of this name, at least one. No JobSet has 2^31 Jobs; a wilder count from a server must not overflow the sum.
std::int64_t child_jobs(const child_jobs_status& child) {
    std::int64_t all = 0;
    for (const auto count : {child.active, child.succeeded, child.failed, child.suspended}) {
        all += std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::int32_t>::max());
    }
    return std::max<std::int64_t>(1, all);
}

}  // namespace

observed_job observe(const train_job& job, std::string_view cluster) {
    observed_job out = observe_metadata(job, cluster);
    job_view& view = out.view;
    derive_state(view, job);
    view.start_time = parse_rfc3339_seconds(start_time(job, view.state));
    for (const char* type : {"Failed", "Complete"}) {
        const auto* last = holds(job.status.conditions, type);
        if (last && !view.completion_time) view.completion_time = parse_rfc3339_seconds(last->last_transition_time);
    }
    view.gpus = gpus_of_pods(job.spec.trainer.num_nodes.value_or(1), gpus_of(job.spec.trainer.resources_per_node));
    for (const auto& child : job.status.jobs_status) {
        view.replicas.push_back({child.name, child_jobs(child), child.active, child.succeeded, child.failed});
    }
    std::sort(view.replicas.begin(), view.replicas.end(),
              [](const replica_counts& a, const replica_counts& b) { return a.type < b.type; });
    return out;
}

}  // namespace training_monitor
