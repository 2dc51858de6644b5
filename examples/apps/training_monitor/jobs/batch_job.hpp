// batch/v1 Job.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

struct batch_job_spec {
    std::optional<std::int64_t> parallelism;
    std::optional<std::int64_t> completions;
    std::optional<bool> suspend;
    std::string managed_by;
    gpu_pod_template template_;

    static constexpr auto kcontrol_fields() {
        using self = batch_job_spec;
        return kcontrol::fields(
            kcontrol::field("parallelism", &self::parallelism), kcontrol::field("completions", &self::completions),
            kcontrol::field("suspend", &self::suspend), kcontrol::field("managedBy", &self::managed_by),
            kcontrol::field("template", &self::template_));
    }
};

struct batch_job_status {
    std::vector<job_condition> conditions;
    std::int64_t active = 0;
    std::optional<std::int64_t> ready;  ///< not written by servers before 1.24
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::string start_time;
    std::string completion_time;  ///< of a success only

    static constexpr auto kcontrol_fields() {
        using self = batch_job_status;
        return kcontrol::fields(
            kcontrol::field("conditions", &self::conditions), kcontrol::field("active", &self::active),
            kcontrol::field("ready", &self::ready), kcontrol::field("succeeded", &self::succeeded),
            kcontrol::field("failed", &self::failed), kcontrol::field("startTime", &self::start_time),
            kcontrol::field("completionTime", &self::completion_time));
    }
};

struct batch_job : projection_of<batch_job_spec, batch_job_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"batch", "v1", "Job", "jobs"};
};

}  // namespace training_monitor
