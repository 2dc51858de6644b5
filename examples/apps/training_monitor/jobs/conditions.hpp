// Looking conditions up the right way: by type, and only where the status is "True". Never "the last one".
#pragma once

#include "jobs/job_view.hpp"
#include "jobs/kinds.hpp"
#include "jobs/ownership.hpp"

namespace training_monitor {

/// The condition of that type if it holds now, or null.
inline const job_condition* holds(const std::vector<job_condition>& conditions, std::string_view type) {
    for (const auto& condition : conditions) {
        if (condition.type == type) return condition.status == "True" ? &condition : nullptr;
    }
    return nullptr;
}

/// The condition of that type whatever its status, or null.
inline const job_condition* find_condition(const std::vector<job_condition>& conditions, std::string_view type) {
    for (const auto& condition : conditions) {
        if (condition.type == type) return &condition;
    }
    return nullptr;
}

/// The job is in `state` because of `condition`.
inline void decide(job_view& view, job_state state, const job_condition& condition) {
    view.state = state;
    view.reason = condition.reason;
    view.message = condition.message;
}

/// The job is suspended, as it was asked to be: at rest, or held until Kueue's queue has quota for it. Kueue suspends
/// each job that names a queue and resumes it when it is admitted, so such a job is not at rest by anybody's wish.
inline void decide_suspended(job_view& view, const kcontrol::object_meta& meta, const job_condition& condition) {
    const auto queue = meta.labels.find("kueue.x-k8s.io/queue-name");
    if (queue == meta.labels.end() || queue->second.empty()) return decide(view, job_state::suspended, condition);
    view.state = job_state::queued;
    view.reason = "NotAdmitted";
    view.message = "the queue " + queue->second + " has not admitted it";
}

/// "group/version" of a kind, as text that lives for ever.
template <class Job>
inline const std::string api_version_of = std::string(Job::kcontrol_resource.group) +
                                          "/" + std::string(Job::kcontrol_resource.version);

/// What every kind has in the same place. `kind` and `api_version` live for ever.
inline observed_job observe_metadata(const kcontrol::object_meta& meta, std::string_view kind,
                                     std::string_view api_version, std::string_view cluster) {
    observed_job out;
    out.view.cluster = cluster;
    out.view.namespace_ = meta.namespace_;
    out.view.name = meta.name;
    out.view.kind = kind;
    out.view.api_version = api_version;
    out.view.uid = meta.uid;
    out.view.labels = job_labels::from(meta.labels);
    out.view.terminating = meta.deletion_timestamp.present();
    out.resource_version = meta.resource_version;
    if (const auto* owner = controller_of(meta)) {
        out.owner = job_owner{group_of(owner->api_version), owner->kind, owner->name};
    }
    return out;
}

template <class Job>
observed_job observe_metadata(const Job& job, std::string_view cluster) {
    return observe_metadata(job.metadata, Job::kcontrol_resource.kind, api_version_of<Job>, cluster);
}

}  // namespace training_monitor
