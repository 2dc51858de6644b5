// PyTorchJob v1 and MPIJob v1 and v2beta1: Kubeflow's training jobs, which share the shape of their status.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

struct replica_spec {
    std::optional<std::int64_t> replicas;  ///< absent means 1, which 0 does not
    gpu_pod_template template_;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("replicas", &replica_spec::replicas),
                                kcontrol::field("template", &replica_spec::template_));
    }
};

struct run_policy {
    std::optional<bool> suspend;
    std::string managed_by;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("suspend", &run_policy::suspend),
                                kcontrol::field("managedBy", &run_policy::managed_by));
    }
};

struct replica_status {
    std::int64_t active = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("active", &replica_status::active),
                                kcontrol::field("succeeded", &replica_status::succeeded),
                                kcontrol::field("failed", &replica_status::failed));
    }
};

struct kubeflow_status {
    std::vector<job_condition> conditions;
    std::map<std::string, replica_status> replica_statuses;
    std::string start_time;
    std::string completion_time;

    static constexpr auto kcontrol_fields() {
        using self = kubeflow_status;
        return kcontrol::fields(kcontrol::field("conditions", &self::conditions),
                                kcontrol::field("replicaStatuses", &self::replica_statuses),
                                kcontrol::field("startTime", &self::start_time),
                                kcontrol::field("completionTime", &self::completion_time));
    }
};

struct pytorch_job_spec {
    std::map<std::string, replica_spec> replica_specs;
    training_monitor::run_policy run_policy;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("pytorchReplicaSpecs", &pytorch_job_spec::replica_specs),
                                kcontrol::field("runPolicy", &pytorch_job_spec::run_policy));
    }
};

struct pytorch_job : projection_of<pytorch_job_spec, kubeflow_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"};
};

struct mpi_job_spec {
    std::map<std::string, replica_spec> replica_specs;
    training_monitor::run_policy run_policy;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("mpiReplicaSpecs", &mpi_job_spec::replica_specs),
                                kcontrol::field("runPolicy", &mpi_job_spec::run_policy));
    }
};

/// The training operator's MPIJob.
struct mpi_job_v1 : projection_of<mpi_job_spec, kubeflow_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kubeflow.org", "v1", "MPIJob", "mpijobs"};
};

/// The MPI operator's MPIJob: same group and plural, and what the monitor reads of it has the same shape.
struct mpi_job_v2beta1 : projection_of<mpi_job_spec, kubeflow_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kubeflow.org", "v2beta1", "MPIJob", "mpijobs"};
};

}  // namespace training_monitor
