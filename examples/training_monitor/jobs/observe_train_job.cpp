// TrainJob: it has no condition that says "running", so that comes from the counts of its child Jobs.
#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/observe.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

void derive_state(job_view& view, const train_job& job) {
    const auto& conditions = job.status.conditions;
    if (const auto* c = holds(conditions, "Failed")) return decide(view, job_state::failed, *c);
    if (const auto* c = holds(conditions, "Complete")) return decide(view, job_state::succeeded, *c);
    const auto* suspended = holds(conditions, "Suspended");
    if (suspended && job.spec.suspend.value_or(false)) return decide_suspended(view, job.metadata, *suspended);

    std::int64_t ready = 0, active = 0, failed = 0, succeeded = 0;
    for (const auto& child : job.status.jobs_status) {
        ready += child.ready;
        active += child.active;
        failed += child.failed;
        succeeded += child.succeeded;
    }
    if (ready > 0) {
        view.state = job_state::running;
    } else if (failed > 0) {
        view.state = job_state::restarting;  // no Failed condition: the JobSet's failure policy starts it again
    } else if (active > 0) {
        view.state = job_state::pending;
    } else if (succeeded > 0) {
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
        const std::int64_t counted = child.active + child.succeeded + child.failed + child.suspended;
        view.replicas.push_back(
            {child.name, std::max<std::int64_t>(1, counted), child.active, child.succeeded, child.failed});
    }
    std::sort(view.replicas.begin(), view.replicas.end(),
              [](const replica_counts& a, const replica_counts& b) { return a.type < b.type; });
    return out;
}

}  // namespace training_monitor
