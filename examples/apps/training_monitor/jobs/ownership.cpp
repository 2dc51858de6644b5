#include "jobs/ownership.hpp"

namespace training_monitor {

watched_kinds::watched_kinds(const cluster_view& cluster) {
    for (const auto& kind : cluster.kinds) {
        // Paused or failed kinds are watched still: their last known objects stay in view.
        if (kind.state == "not-installed" || kind.state == "forbidden") continue;
        by_group_.emplace(group_of(kind.api_version), kind.kind);
        by_version_.emplace(kind.api_version, kind.kind);
    }
}

std::string group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string::npos ? std::string() : std::string(api_version.substr(0, slash));
}

bool is_job_set(const job_owner& owner) { return owner.kind == "JobSet" && owner.group == "jobset.x-k8s.io"; }

bool is_part_of_watched(const job_view& job, const std::optional<job_owner>& owner, bool part_of_train_job,
                        const watched_kinds& watched) {
    // One CRD may serve both versions of MPIJob; then each object comes twice.
    if (job.kind == "MPIJob" && job.api_version == "kubeflow.org/v1" && watched.has("kubeflow.org/v2beta1", "MPIJob")) {
        return true;
    }
    if (part_of_train_job && watched.has_group_kind("trainer.kubeflow.org", "TrainJob")) return true;
    return owner && watched.has_group_kind(owner->group, owner->kind);
}

}  // namespace training_monitor
