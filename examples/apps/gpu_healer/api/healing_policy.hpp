// HealingPolicy: which conditions of which nodes are faults, and what is done about them. Its CustomResourceDefinition
// follows from these types.
#pragma once

#include <kcontrol/api/meta/v1.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/schema/crd_options.hpp>
#include <kcontrol/values/raw_json.hpp>

#include <cstdint>
#include <optional>

namespace gpu_healer {

using namespace kcontrol;

/// A key of a Secret in the healer's work namespace.
struct secret_key {
    text name, key;
    static constexpr auto kcontrol_fields() {
        constexpr auto required = rules().required().min_length(1).max_length(253);
        return fields(field("name", &secret_key::name, required), field("key", &secret_key::key, required));
    }
    friend bool operator==(const secret_key&, const secret_key&) = default;
};

/// A condition of a Node that is a fault.
struct fault_condition {
    text type, status;
    list<text> reasons;
    static constexpr auto kcontrol_fields() {
        using self = fault_condition;
        return fields(field("type", &self::type, rules().required().min_length(1).max_length(316)),
                      field("status", &self::status, rules().required().enum_values("True", "False", "Unknown")),
                      field("reasons", &self::reasons,
                            rules().max_items(50).list_type_atomic().describe("Without reasons, each is a fault.")));
    }
    friend bool operator==(const fault_condition&, const fault_condition&) = default;
};

struct trigger {
    fault_condition condition;
    std::int32_t for_seconds = 0;
    text repair;
    static constexpr auto kcontrol_fields() {
        using self = trigger;
        return fields(
            field("condition", &self::condition, rules().required()),
            field("forSeconds", &self::for_seconds,
                  rules().default_json("0").minimum(0).maximum(86400).describe("From lastTransitionTime.")),
            field("repair", &self::repair, rules().max_length(63).describe("Default: the first of repairs.")));
    }
    friend bool operator==(const trigger&, const trigger&) = default;
};

struct taint_spec {
    text key = "kcontrol.dev/gpu-unhealthy", value, effect = "NoSchedule";
    static constexpr auto kcontrol_fields() {
        using self = taint_spec;
        return fields(field("key", &self::key,
                            rules()
                                .default_string("kcontrol.dev/gpu-unhealthy")
                                .min_length(1)
                                .max_length(316)
                                .validation("!self.split('/')[0].endsWith('kubernetes.io')",
                                            "taint.key is none of kubernetes.io, which are the cluster's own")),
                      field("value", &self::value,
                            rules()
                                .max_length(63)
                                .pattern("^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$")
                                .describe("Default: the reason.")),
                      field("effect", &self::effect,
                            rules().default_string("NoSchedule").enum_values("NoSchedule", "PreferNoSchedule")));
    }
    friend bool operator==(const taint_spec&, const taint_spec&) = default;
};

struct drain_spec {
    text mode = "WaitForCompletion", on_timeout = "NeedsHuman";
    std::int32_t timeout_seconds = 3600;
    bool all_pods = false;
    static constexpr auto kcontrol_fields() {
        using self = drain_spec;
        return fields(
            field("mode", &self::mode,
                  rules()
                      .default_string("WaitForCompletion")
                      .enum_values("WaitForCompletion", "None", "Evict", "Jobs")
                      .describe("Jobs restarts the gangs of TrainingJobs, and evicts other pods.")),
            field("timeoutSeconds", &self::timeout_seconds, rules().default_json("3600").minimum(1).maximum(604800)),
            field("onTimeout", &self::on_timeout,
                  rules().default_string("NeedsHuman").enum_values("NeedsHuman", "Continue")),
            field("allPods", &self::all_pods, rules().describe("Not only pods that have GPUs.")));
    }
    friend bool operator==(const drain_spec&, const drain_spec&) = default;
};

struct secret_header {
    text header;
    secret_key secret_key_ref;
    static constexpr auto kcontrol_fields() {
        using self = secret_header;
        return fields(field("header", &self::header, rules().required().pattern("^[-A-Za-z0-9_]{1,100}$")),
                      field("secretKeyRef", &self::secret_key_ref, rules().required()));
    }
    friend bool operator==(const secret_header&, const secret_header&) = default;
};

inline constexpr std::string_view url_pattern = "^https?://[^/?#@\\s]+(/[^#\\s]*)?$";

/// A request. The words {node} {uid} {reason} {gpus} {attempt} {token} of url, statusURL and body are replaced.
struct webhook_step {
    text url, method = "POST", body, status_url;
    list<secret_header> headers_from;
    bool idempotent = false;
    std::optional<secret_key> ca_from;
    static constexpr auto kcontrol_fields() {
        using self = webhook_step;
        return fields(
            field("url", &self::url, rules().required().max_length(2048).pattern(url_pattern)),
            field("method", &self::method, rules().default_string("POST").enum_values("POST", "PUT", "PATCH")),
            field("headersFrom", &self::headers_from, rules().max_items(20).list_type_atomic()),
            field("body", &self::body, rules().max_length(65536)),
            field("statusURL", &self::status_url, rules().max_length(2048).pattern(url_pattern)),
            field("idempotent", &self::idempotent,
                  rules().describe("The server starts a token once, however often it is sent.")),
            field("caFrom", &self::ca_from));
    }
    friend bool operator==(const webhook_step&, const webhook_step&) = default;
};

/// A job template of AWX. The words of a webhook are replaced in the texts of extraVars.
struct awx_step {
    text url;
    std::int64_t job_template = 0;
    secret_key token_from;
    raw_json extra_vars;
    std::optional<secret_key> ca_from;
    static constexpr auto kcontrol_fields() {
        using self = awx_step;
        return fields(field("url", &self::url, rules().required().max_length(2048).pattern(url_pattern)),
                      field("jobTemplate", &self::job_template, rules().required().minimum(1)),
                      field("tokenFrom", &self::token_from, rules().required()), field("extraVars", &self::extra_vars),
                      field("caFrom", &self::ca_from));
    }
    friend bool operator==(const awx_step&, const awx_step&) = default;
};

/// A Job on the node, in the work namespace. The template is a JobTemplateSpec of batch/v1.
struct job_step {
    raw_json template_;
    static constexpr auto kcontrol_fields() {
        return fields(field("template", &job_step::template_, rules().required()));
    }
    friend bool operator==(const job_step&, const job_step&) = default;
};

/// A person does it: the case is NeedsHuman until the node is healthy.
struct manual_step {
    text message;
    static constexpr auto kcontrol_fields() {
        return fields(field("message", &manual_step::message, rules().required().min_length(1).max_length(1024)));
    }
    friend bool operator==(const manual_step&, const manual_step&) = default;
};

struct repair_step {
    text name;
    std::int32_t timeout_seconds = 900, attempts = 1;
    std::optional<webhook_step> webhook;
    std::optional<awx_step> awx;
    std::optional<job_step> job;
    std::optional<manual_step> manual;
    static constexpr auto kcontrol_fields() {
        using self = repair_step;
        return fields(
            field("name", &self::name, rules().required().max_length(40).pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
            field("timeoutSeconds", &self::timeout_seconds, rules().default_json("900").minimum(1).maximum(86400)),
            field("attempts", &self::attempts, rules().default_json("1").minimum(1).maximum(10)),
            field("webhook", &self::webhook), field("awx", &self::awx), field("job", &self::job),
            field("manual", &self::manual));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation(
            "[has(self.webhook), has(self.awx), has(self.job), has(self.manual)].filter(x, x).size() == 1",
            "a step has one of webhook, awx, job and manual");
    }
    friend bool operator==(const repair_step&, const repair_step&) = default;
};

/// A ladder: a step, then verification; if either fails, the next step.
struct repair {
    text name;
    list<repair_step> steps;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &repair::name, rules().required().min_length(1).max_length(63)),
                      field("steps", &repair::steps,
                            rules().required().min_items(1).max_items(10).list_type_atomic().validation(
                                "self.all(a, self.exists_one(b, b.name == a.name))", "steps have names of their own")));
    }
    static constexpr auto kcontrol_rules() { return rules().keyed_by("name"); }
    friend bool operator==(const repair&, const repair&) = default;
};

struct healthy_condition {
    text type, status;
    static constexpr auto kcontrol_fields() {
        using self = healthy_condition;
        return fields(field("type", &self::type, rules().required().min_length(1).max_length(316)),
                      field("status", &self::status, rules().required().enum_values("True", "False", "Unknown")));
    }
    friend bool operator==(const healthy_condition&, const healthy_condition&) = default;
};

struct verify_spec {
    std::optional<healthy_condition> condition;
    std::optional<job_step> job;
    std::int32_t hold_seconds = 120, timeout_seconds = 1800;
    static constexpr auto kcontrol_fields() {
        using self = verify_spec;
        return fields(
            field("condition", &self::condition,
                  rules().describe("Default: the trigger's type, True; False if the trigger's status is True.")),
            field("job", &self::job, rules().describe("Runs on the node when the hold is over.")),
            field("holdSeconds", &self::hold_seconds, rules().default_json("120").minimum(0).maximum(86400)),
            field("timeoutSeconds", &self::timeout_seconds, rules().default_json("1800").minimum(1).maximum(604800)));
    }
    friend bool operator==(const verify_spec&, const verify_spec&) = default;
};

struct breaker_spec {
    std::int32_t max_percent = 10, min_nodes = 2, window_seconds = 300;
    static constexpr auto kcontrol_fields() {
        using self = breaker_spec;
        return fields(
            field("maxPercent", &self::max_percent, rules().default_json("10").minimum(1).maximum(100)),
            field("minNodes", &self::min_nodes, rules().default_json("2").minimum(1).maximum(10000)),
            field("windowSeconds", &self::window_seconds, rules().default_json("300").minimum(1).maximum(86400)));
    }
    friend bool operator==(const breaker_spec&, const breaker_spec&) = default;
};

struct healing_policy_spec {
    api::meta::v1::label_selector node_selector;
    std::optional<list<trigger>> triggers;  ///< see triggers_of()
    taint_spec taint;
    drain_spec drain;
    list<repair> repairs;
    verify_spec verify;
    breaker_spec breaker;
    std::int32_t at_once = 1, max_attempts = 3, cooldown_seconds = 3600, history_seconds = 2592000;
    bool dry_run = false;

    static constexpr auto kcontrol_fields() {
        using self = healing_policy_spec;
        return fields(
            field("nodeSelector", &self::node_selector,
                  rules().required().validation("has(self.matchLabels) && self.matchLabels.size() > 0 || "
                                                "has(self.matchExpressions) && self.matchExpressions.size() > 0",
                                                "nodeSelector is not empty: name the label of the nodes")),
            field("triggers", &self::triggers,
                  rules().min_items(1).max_items(50).list_type_atomic().describe(
                      "Default: kcontrol.dev/GPUHealthy is False for GPUFailed, or Unknown for DriverHangs or "
                      "DriverFails.")),
            field("taint", &self::taint), field("drain", &self::drain),
            field("repairs", &self::repairs,
                  rules().max_items(20).list_type_map("name").describe("Without repairs: only quarantine.")),
            field("verify", &self::verify), field("breaker", &self::breaker),
            field("atOnce", &self::at_once,
                  rules().default_json("1").minimum(1).maximum(1000).describe("Nodes in Draining or Repairing.")),
            field("maxAttempts", &self::max_attempts,
                  rules().default_json("3").minimum(1).maximum(100).describe("Started steps per node in 24 h.")),
            field("cooldownSeconds", &self::cooldown_seconds,
                  rules().default_json("3600").minimum(0).maximum(604800).describe(
                      "From a node's release to its next step.")),
            field("historySeconds", &self::history_seconds, rules().default_json("2592000").minimum(60)),
            field("dryRun", &self::dry_run, rules().describe("Only NodeRepairs are written, which stay Suspected.")));
    }
    friend bool operator==(const healing_policy_spec&, const healing_policy_spec&) = default;
};

struct healing_policy_status {
    std::int32_t nodes = 0, ill = 0, tainted = 0;
    timestamp calm_time;    ///< since when ill nodes are within the breaker's limit while it is open
    list<text> admitted;    ///< nodes that a reset has admitted
    text reset;             ///< the annotation that has admitted them, as long as it is there
    timestamp common_time;  ///< the newest fault of the last common cause
    list<status_condition> conditions;
    static constexpr auto kcontrol_fields() {
        using self = healing_policy_status;
        return fields(field("nodes", &self::nodes), field("ill", &self::ill), field("tainted", &self::tainted),
                      field("calmTime", &self::calm_time),
                      field("admitted", &self::admitted, rules().list_type_atomic()), field("reset", &self::reset),
                      field("commonTime", &self::common_time), field("conditions", &self::conditions));
    }
    friend bool operator==(const healing_policy_status&, const healing_policy_status&) = default;
};

struct healing_policy {
    static constexpr resource_name kcontrol_resource{"healing.kcontrol.dev", "v1alpha1", "HealingPolicy",
                                                     "healingpolicies", resource_scope::cluster};
    object_meta metadata;
    healing_policy_spec spec;
    healing_policy_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &healing_policy::spec, rules().required()),
                      field("status", &healing_policy::status));
    }
    static constexpr auto kcontrol_crd() {
        using status_type = healing_policy_status;
        return crd()
            .short_names("hp")
            .status()
            .column({"Nodes", path(&healing_policy::status, &status_type::nodes)})
            .column({"Ill", path(&healing_policy::status, &status_type::ill)})
            .column({"Tainted", path(&healing_policy::status, &status_type::tainted)})
            .column({"Age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const healing_policy&, const healing_policy&) = default;
};

}  // namespace gpu_healer
