// TrainingJob v1alpha1 of the training operator (examples/apps/training_operator): its status says a phase.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

struct training_accelerator {
    std::string resource;
    std::int64_t per_worker = 0;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("resource", &training_accelerator::resource),
                                kcontrol::field("perWorker", &training_accelerator::per_worker));
    }
};

struct training_job_spec {
    std::optional<std::int64_t> workers;
    gpu_pod_template template_;
    std::optional<training_accelerator> accelerator;

    static constexpr auto kcontrol_fields() {
        using self = training_job_spec;
        return kcontrol::fields(kcontrol::field("workers", &self::workers),
                                kcontrol::field("template", &self::template_),
                                kcontrol::field("accelerator", &self::accelerator));
    }
};

struct training_job_status {
    std::string phase;
    std::vector<job_condition> conditions;
    std::string ready;         ///< ranks that run or have ended well, of all: "3/4"
    std::int64_t workers = 0;  ///< of the present attempt; 0: there was none
    std::string start_time;
    std::string phase_time;
    std::string trained_time;  ///< when all ranks had ended well

    static constexpr auto kcontrol_fields() {
        using self = training_job_status;
        return kcontrol::fields(
            kcontrol::field("phase", &self::phase), kcontrol::field("conditions", &self::conditions),
            kcontrol::field("ready", &self::ready), kcontrol::field("workers", &self::workers),
            kcontrol::field("startTime", &self::start_time), kcontrol::field("phaseTime", &self::phase_time),
            kcontrol::field("trainedTime", &self::trained_time));
    }
};

struct training_job : projection_of<training_job_spec, training_job_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"ai.kcontrol.dev", "v1alpha1", "TrainingJob",
                                                               "trainingjobs"};
};

}  // namespace training_monitor
