// TrainJob v1alpha1: the successor of Kubeflow's per-framework jobs. It runs a JobSet of its own name.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

struct trainer_spec {
    std::optional<std::int64_t> num_nodes;
    gpu_requirements resources_per_node;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("numNodes", &trainer_spec::num_nodes),
                                kcontrol::field("resourcesPerNode", &trainer_spec::resources_per_node));
    }
};

struct train_job_spec {
    trainer_spec trainer;
    std::optional<bool> suspend;
    std::string managed_by;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("trainer", &train_job_spec::trainer),
                                kcontrol::field("suspend", &train_job_spec::suspend),
                                kcontrol::field("managedBy", &train_job_spec::managed_by));
    }
};

/// Counts of child Jobs, not of pods.
struct child_jobs_status {
    std::string name;
    std::int64_t ready = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t active = 0;
    std::int64_t suspended = 0;

    static constexpr auto kcontrol_fields() {
        using self = child_jobs_status;
        return kcontrol::fields(kcontrol::field("name", &self::name), kcontrol::field("ready", &self::ready),
                                kcontrol::field("succeeded", &self::succeeded),
                                kcontrol::field("failed", &self::failed), kcontrol::field("active", &self::active),
                                kcontrol::field("suspended", &self::suspended));
    }
};

struct train_job_status {
    std::vector<job_condition> conditions;
    std::vector<child_jobs_status> jobs_status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("conditions", &train_job_status::conditions),
                                kcontrol::field("jobsStatus", &train_job_status::jobs_status));
    }
};

struct train_job : projection_of<train_job_spec, train_job_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"trainer.kubeflow.org", "v1alpha1", "TrainJob",
                                                               "trainjobs"};
};

}  // namespace training_monitor
