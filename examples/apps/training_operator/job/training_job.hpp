// TrainingJob: what a user asks for and what the operator answers. Its CustomResourceDefinition follows from these
// types.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include "job/checkpoint.hpp"
#include "job/cpu_fallback.hpp"
#include "job/dataset.hpp"
#include "job/executor_table.hpp"
#include "job/gate.hpp"
#include "job/model_card.hpp"
#include "job/promote.hpp"

#include <cstdint>
#include <optional>

namespace training_operator {

using namespace kcontrol;

/// What of a node each worker gets for itself.
struct accelerator_spec {
    text resource = "nvidia.com/gpu";
    std::int32_t per_worker = 0;
    static constexpr auto kcontrol_fields() {
        using self = accelerator_spec;
        return fields(
            field("resource", &self::resource, rules().default_string("nvidia.com/gpu").min_length(1).max_length(317)),
            field("perWorker", &self::per_worker, rules().required().minimum(0).maximum(64)));
    }
    friend bool operator==(const accelerator_spec&, const accelerator_spec&) = default;
};

struct training_job_spec {
    text executor = executor_names[0];
    std::int32_t workers = 1;
    std::optional<std::int32_t> min_workers;
    api::core::v1::pod_template_spec template_;
    std::optional<accelerator_spec> accelerator;
    std::optional<cpu_fallback_spec> cpu_fallback;
    std::optional<dataset_spec> dataset;
    std::optional<checkpoint_spec> checkpoint;
    list<gate_spec> gates;
    std::optional<model_card_spec> model_card;
    std::optional<promote_spec> promote;
    std::int32_t start_deadline_seconds = 600;
    std::int32_t backoff_limit = 2;
    std::optional<std::int32_t> active_deadline_seconds;
    std::optional<std::int32_t> ttl_seconds_after_finished;
    bool suspend = false;

    static constexpr auto kcontrol_fields() {
        using self = training_job_spec;
        return fields(
            field("executor", &self::executor,
                  rules()
                      .enum_values(executor_names)
                      .default_string(executor_names[0])
                      .validation("self == oldSelf", "the executor of a job can't be changed")
                      .describe("What runs the workers.")),
            field("workers", &self::workers,
                  rules().default_json("1").minimum(1).maximum(10000).describe("Ranks, one pod each: all or none.")),
            field("minWorkers", &self::min_workers,
                  rules().minimum(1).describe("After the loss of a node the next attempt may have so few.")),
            field("template", &self::template_, rules().required().describe("The pod of a rank.")),
            field("accelerator", &self::accelerator),
            field("cpuFallback", &self::cpu_fallback, rules().describe("A job that waits for GPUs starts on CPUs.")),
            field("dataset", &self::dataset,
                  rules().describe("The data, whose version is pinned before there are pods.")),
            field("checkpoint", &self::checkpoint),
            field("gates", &self::gates,
                  rules()
                      .max_items(10)
                      .list_type_atomic()
                      .validation("self.all(a, self.exists_one(b, b.name == a.name))", "gates have names of their own")
                      .describe("What the model must reach, one after the other, before the job succeeds.")),
            field("modelCard", &self::model_card, rules().describe("README.md in the ConfigMap NAME-modelcard.")),
            field("promote", &self::promote, rules().describe("Traffic goes over to the model, step by step.")),
            field("startDeadlineSeconds", &self::start_deadline_seconds,
                  rules().default_json("600").minimum(1).describe("If not all ranks run by then, all are deleted, and "
                                                                  "it is tried again later.")),
            field("backoffLimit", &self::backoff_limit,
                  rules().default_json("2").minimum(0).maximum(1000).describe("Attempts after the first one.")),
            field("activeDeadlineSeconds", &self::active_deadline_seconds,
                  rules().minimum(1).describe("From the first start, over all attempts.")),
            field("ttlSecondsAfterFinished", &self::ttl_seconds_after_finished,
                  rules().minimum(0).describe("The job is deleted so long after its end.")),
            field("suspend", &self::suspend, rules().describe("Ends the ranks; the attempts so far are kept.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules()
            .validation(
                "!has(self.template.spec) || !has(self.template.spec.restartPolicy) || "
                "self.template.spec.restartPolicy == 'Never'",
                "template.spec.restartPolicy is Never, or left out: a rank that fails ends the attempt of all ranks")
            .validation("!has(self.minWorkers) || self.minWorkers <= self.workers", "minWorkers is at most workers");
    }
    friend bool operator==(const training_job_spec&, const training_job_spec&) = default;
};

struct training_job_status {
    text phase;
    list<status_condition> conditions;
    std::int32_t attempt = 0;
    text ready;                                               ///< ranks that run or have ended well, of all: "3/4"
    std::int32_t workers = 0;                                 ///< ranks of the present attempt
    text dataset_version;                                     ///< pinned; "": not yet
    timestamp phase_time;                                     ///< when the phase began
    timestamp start_time;                                     ///< of the first attempt since the job was suspended last
    std::optional<training_operator::checkpoint> checkpoint;  ///< at which the next attempt goes on
    list<training_operator::checkpoint> checkpoints;          ///< the newest first
    list<gate_status> gates;                                  ///< those that have begun
    timestamp trained_time;                                   ///< when all ranks had ended well
    std::optional<promotion_status> promotion;
    list<text> images;               ///< of what has trained
    text model_card;                 ///< a digest of what was written
    std::int32_t missed_starts = 0;  ///< starts in a row at which not all ranks ran in time
    std::int32_t lost_workers = 0;   ///< whose nodes are lost: so many less the next attempt may have
    timestamp lost_time;             ///< when a rank was lost, until all run again
    timestamp wait_time;             ///< since when it waits for what it runs on, until all run
    bool on_fallback = false;        ///< it runs, or waits, as spec.cpuFallback says
    timestamp fallback_time;         ///< when that changed last
    text restart_token;              ///< of the annotation that was followed last
    std::int64_t kept_seconds = 0;   ///< of running, whose steps no restart has lost; since start_time

    static constexpr auto kcontrol_fields() {
        using self = training_job_status;
        return fields(field("phase", &self::phase), field("conditions", &self::conditions),
                      field("attempt", &self::attempt), field("ready", &self::ready), field("workers", &self::workers),
                      field("phaseTime", &self::phase_time), field("startTime", &self::start_time),
                      field("missedStarts", &self::missed_starts), field("lostWorkers", &self::lost_workers),
                      field("lostTime", &self::lost_time), field("waitTime", &self::wait_time),
                      field("onFallback", &self::on_fallback), field("fallbackTime", &self::fallback_time),
                      field("restartToken", &self::restart_token), field("keptSeconds", &self::kept_seconds),
                      field("datasetVersion", &self::dataset_version), field("trainedTime", &self::trained_time),
                      field("gates", &self::gates, rules().list_type_map("name")), field("promotion", &self::promotion),
                      field("images", &self::images, rules().list_type_atomic()), field("modelCard", &self::model_card),
                      field("checkpoint", &self::checkpoint),
                      field("checkpoints", &self::checkpoints, rules().list_type_map("step").max_items(5)));
    }
    friend bool operator==(const training_job_status&, const training_job_status&) = default;
};

struct training_job {
    static constexpr resource_name kcontrol_resource{"ai.kcontrol.dev", "v1alpha1", "TrainingJob", "trainingjobs"};
    object_meta metadata;
    training_job_spec spec;
    training_job_status status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &training_job::spec, rules().required()), field("status", &training_job::status));
    }
    static constexpr auto kcontrol_rules() {
        return rules()
            .validation("self.metadata.name.matches('^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$')",
                        "metadata.name is at most 52 of a-z, 0-9 and '-', a letter first: the names of its ranks are "
                        "host names")
            .validation(
                "!has(self.spec.gates) || self.spec.gates.all(g, size(self.metadata.name) + size(g.name) <= 57)",
                "metadata.name and the name of a gate are at most 57 together: its Job has both");
    }
    static constexpr auto kcontrol_crd() {
        return crd()
            .short_names("tj")
            .categories("all")
            .status()
            .scale(path(&training_job::spec, &training_job_spec::workers),
                   path(&training_job::status, &training_job_status::workers))
            .column({"Phase", path(&training_job::status, &training_job_status::phase)})
            .column({"Ready", path(&training_job::status, &training_job_status::ready)})
            .column({"Attempt", path(&training_job::status, &training_job_status::attempt)})
            .column({"Age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const training_job&, const training_job&) = default;
};

}  // namespace training_operator
