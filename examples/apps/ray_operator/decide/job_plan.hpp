// What is to be done for a RayJob: a pure function of the job, of what is there, and of the time.
// Source: KubeRay 1.5.0, rayjob_controller.go.
#pragma once

#include "api/ray_job.hpp"
#include "dashboard/dashboard.hpp"
#include "decide/cluster_plan.hpp"

namespace ray_operator {

class job_facts {
public:
    std::shared_ptr<const ray_cluster> cluster;  ///< the one that the status names; null: there is none
    std::optional<batch_job_fact> submitter;
    std::optional<job_answer> answer;  ///< the last one of the dashboard; nothing: none yet, or it failed
};

class job_plan {
public:
    ray_job_status status;
    bool hold = false;     ///< adds the finalizer, before anything else
    bool release = false;  ///< removes it, and all else is left
    bool stop_job = false;
    bool create_cluster = false, delete_cluster = false, suspend_workers = false;
    bool create_submitter = false, delete_submitter = false, create_service = false;
    bool submit = false;      ///< by a POST to the dashboard
    bool poll = false;        ///< the dashboard is asked about the job
    bool delete_job = false;  ///< the RayJob itself
    std::vector<note> notes;
    std::optional<wall_time> again;
};

/// Of a job: its submission goes to the cluster that it had.
inline constexpr const char* retry_annotation = "ray.kcontrol.dev/retry";

/// `cluster`: its rayClusterSpec, null where it has none or where that does not decode.
job_plan decide(const ray_job& job, const ray_cluster_spec* cluster, const job_facts& seen, wall_time now);

/// Whether the Ray job has ended: STOPPED, SUCCEEDED or FAILED.
bool is_terminal(std::string_view job_status);
/// Whether two statuses differ in more than the cluster's.
bool differ(const ray_job_status& a, const ray_job_status& b);

}  // namespace ray_operator
