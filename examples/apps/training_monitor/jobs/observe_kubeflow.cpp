// PyTorchJob and MPIJob.
#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/observe.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

bool any_active(const kubeflow_status& status) {
    return std::any_of(status.replica_statuses.begin(), status.replica_statuses.end(),
                       [](const auto& entry) { return entry.second.active > 0; });
}

void derive_state(job_view& view, const kcontrol::object_meta& meta, const kubeflow_status& status,
                  const run_policy& policy) {
    const auto& conditions = status.conditions;
    if (const auto* c = holds(conditions, "Failed")) return decide(view, job_state::failed, *c);
    if (const auto* c = holds(conditions, "Succeeded")) return decide(view, job_state::succeeded, *c);
    const auto* suspended = holds(conditions, "Suspended");
    if (suspended && policy.suspend.value_or(false)) return decide_suspended(view, meta, *suspended);
    if (const auto* c = holds(conditions, "Restarting")) return decide(view, job_state::restarting, *c);
    if (const auto* c = holds(conditions, "Running")) return decide(view, job_state::running, *c);

    // No replica count says "running" or "failed" here: an MPIJob runs when its launcher and all workers do, and a
    // replica that a scale-down removed is counted as failed. Only the operator's conditions do.
    const bool started = !status.start_time.empty() || any_active(status);
    if (const auto* c = holds(conditions, "Created")) {
        return decide(view, started ? job_state::pending : job_state::created, *c);
    }
    if (started) {
        view.state = job_state::pending;
        return;
    }
    // An operator that cannot create the pods of a job may write no condition at all (kubeflow/trainer#2351).
    view.state = job_state::unknown;
    view.reason = "NoConditions";
    view.message = policy.managed_by.empty() ? "its operator has written no condition yet"
                                             : "its manager " + policy.managed_by + " has written no condition yet";
}

std::string completion_time(const kubeflow_status& status, job_state state) {
    if (!status.completion_time.empty()) return status.completion_time;
    const job_condition* last = nullptr;
    if (state == job_state::failed) last = holds(status.conditions, "Failed");
    if (state == job_state::succeeded) last = holds(status.conditions, "Succeeded");
    return last ? last->last_transition_time : std::string();
}

template <class Job>
observed_job observe_kubeflow(const Job& job, std::string_view cluster) {
    observed_job out = observe_metadata(job, cluster);
    job_view& view = out.view;
    derive_state(view, job.metadata, job.status, job.spec.run_policy);
    view.start_time = parse_rfc3339_seconds(job.status.start_time);
    if (is_final(view.state)) view.completion_time = parse_rfc3339_seconds(completion_time(job.status, view.state));
    std::map<std::string, replica_counts> replicas;
    for (const auto& [type, spec] : job.spec.replica_specs) {
        const std::int64_t desired = spec.replicas.value_or(1);
        replicas[type].desired = desired;
        view.gpus = gpus_together(view.gpus, gpus_of_pods(desired, gpus_of(spec.template_)));
    }
    for (const auto& [type, counts] : job.status.replica_statuses) {
        replica_counts& shown = replicas[type];
        shown.active = counts.active;
        shown.succeeded = counts.succeeded;
        shown.failed = counts.failed;
    }
    for (auto& [type, counts] : replicas) {
        counts.type = type;
        view.replicas.push_back(std::move(counts));
    }
    return out;
}

}  // namespace

observed_job observe(const pytorch_job& job, std::string_view cluster) { return observe_kubeflow(job, cluster); }
observed_job observe(const mpi_job_v1& job, std::string_view cluster) { return observe_kubeflow(job, cluster); }
observed_job observe(const mpi_job_v2beta1& job, std::string_view cluster) { return observe_kubeflow(job, cluster); }

}  // namespace training_monitor
