// batch/v1 Job: no Created, Running or Restarting condition; they come from the counts of its pods.
#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"
#include "jobs/observe.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

constexpr std::string_view job_controller = "kubernetes.io/job-controller";

// Written by the trainer's runtimes on the Jobs of a TrainJob's JobSet.
constexpr const char* train_job_step_label = "trainer.kubeflow.org/trainjob-ancestor-step";

job_state from_counts(const batch_job_status& status) {
    if (status.active > 0) {
        // `ready` is absent on old servers; then active pods are all one can know of.
        if (status.ready.value_or(status.active) > 0) return job_state::running;
        return status.failed > 0 ? job_state::restarting : job_state::pending;
    }
    if (status.succeeded > 0) return job_state::running;  // the last pod is done, Complete is about to be written
    if (status.failed > 0) return job_state::restarting;  // waits for the pod failure back-off
    return status.start_time.empty() ? job_state::created : job_state::pending;
}

void derive_state(job_view& view, const batch_job& job) {
    const auto& conditions = job.status.conditions;
    if (const auto* c = holds(conditions, "Failed")) return decide(view, job_state::failed, *c);
    if (const auto* c = holds(conditions, "Complete")) return decide(view, job_state::succeeded, *c);
    const auto* suspended = holds(conditions, "Suspended");
    if (suspended && job.spec.suspend.value_or(false)) return decide_suspended(view, job.metadata, *suspended);
    // The outcome is settled, but pods still terminate: not finished before Complete or Failed says so.
    for (const char* interim : {"FailureTarget", "SuccessCriteriaMet"}) {
        if (const auto* c = holds(conditions, interim)) return decide(view, job_state::running, *c);
    }
    view.state = from_counts(job.status);
    const std::string& manager = job.spec.managed_by;
    if (view.state == job_state::created && !manager.empty() && manager != job_controller) {
        view.reason = "ManagedBy";
        view.message = "its manager " + manager + " has written no status yet";
    }
}

}  // namespace

observed_job observe(const batch_job& job, std::string_view cluster) {
    observed_job out = observe_metadata(job, cluster);
    job_view& view = out.view;
    derive_state(view, job);
    view.start_time = parse_rfc3339_seconds(job.status.start_time);
    view.completion_time = parse_rfc3339_seconds(job.status.completion_time);
    if (view.state == job_state::failed && !view.completion_time) {
        view.completion_time = parse_rfc3339_seconds(holds(job.status.conditions, "Failed")->last_transition_time);
    }
    const std::int64_t parallelism = job.spec.parallelism.value_or(1);
    const std::int64_t at_once = std::min(parallelism, job.spec.completions.value_or(parallelism));
    view.gpus = gpus_of_pods(at_once, gpus_of(job.spec.template_));
    const std::int64_t desired = job.spec.completions.value_or(parallelism);
    view.replicas.push_back({"Pod", desired, job.status.active, job.status.succeeded, job.status.failed});
    out.part_of_train_job = job.metadata.labels.contains(train_job_step_label);
    return out;
}

}  // namespace training_monitor
