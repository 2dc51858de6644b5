// TrainingJob v1alpha1 of the training operator (examples/apps/training_operator): its status says a phase.
#pragma once

#include "jobs/job_details.hpp"
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

struct training_gate {
    std::string name, metric, op, threshold;

    static constexpr auto kcontrol_fields() {
        using self = training_gate;
        return kcontrol::fields(kcontrol::field("name", &self::name), kcontrol::field("metric", &self::metric),
                                kcontrol::field("op", &self::op), kcontrol::field("threshold", &self::threshold));
    }
};

struct training_promotion {
    std::vector<std::int64_t> steps;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("steps", &training_promotion::steps));
    }
};

struct training_job_spec {
    std::optional<std::int64_t> workers, backoff_limit;
    std::vector<training_gate> gates;
    std::optional<training_promotion> promote;
    gpu_pod_template template_;
    std::optional<training_accelerator> accelerator;

    static constexpr auto kcontrol_fields() {
        using self = training_job_spec;
        return kcontrol::fields(
            kcontrol::field("workers", &self::workers), kcontrol::field("template", &self::template_),
            kcontrol::field("accelerator", &self::accelerator), kcontrol::field("backoffLimit", &self::backoff_limit),
            kcontrol::field("gates", &self::gates), kcontrol::field("promote", &self::promote));
    }
};

struct training_checkpoint {
    std::int64_t step = 0, attempt = 0;
    std::string uri, time;
    bool refused = false;

    static constexpr auto kcontrol_fields() {
        using self = training_checkpoint;
        return kcontrol::fields(kcontrol::field("step", &self::step), kcontrol::field("uri", &self::uri),
                                kcontrol::field("time", &self::time), kcontrol::field("attempt", &self::attempt),
                                kcontrol::field("refused", &self::refused));
    }
};

struct training_gate_status {
    std::string name, result, value, message;

    static constexpr auto kcontrol_fields() {
        using self = training_gate_status;
        return kcontrol::fields(kcontrol::field("name", &self::name), kcontrol::field("result", &self::result),
                                kcontrol::field("value", &self::value), kcontrol::field("message", &self::message));
    }
};

struct training_promotion_status {
    std::int64_t step = 0, weight = 0;
    bool rolled_back = false;
    std::string time;

    static constexpr auto kcontrol_fields() {
        using self = training_promotion_status;
        return kcontrol::fields(kcontrol::field("step", &self::step), kcontrol::field("weight", &self::weight),
                                kcontrol::field("rolledBack", &self::rolled_back),
                                kcontrol::field("time", &self::time));
    }
};

struct training_job_status {
    std::string phase;
    std::int64_t attempt = 0;
    std::string dataset_version;
    std::vector<training_checkpoint> checkpoints;  ///< the newest first
    std::vector<training_gate_status> gates;       ///< that have begun
    std::optional<training_promotion_status> promotion;
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
            kcontrol::field("trainedTime", &self::trained_time), kcontrol::field("attempt", &self::attempt),
            kcontrol::field("datasetVersion", &self::dataset_version),
            kcontrol::field("checkpoints", &self::checkpoints), kcontrol::field("gates", &self::gates),
            kcontrol::field("promotion", &self::promotion));
    }
};

struct training_job : projection_of<training_job_spec, training_job_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"ai.kcontrol.dev", "v1alpha1", "TrainingJob",
                                                               "trainingjobs"};
};

/// What its own panel shows.
training_details details_of(const training_job& job);

}  // namespace training_monitor
