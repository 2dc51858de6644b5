// InferenceScaler: what a user asks for and what the autoscaler answers. Its CustomResourceDefinition follows from
// these types.
#pragma once

#include <kcontrol/model/condition.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include "api/metrics.hpp"

namespace inference_autoscaler {

/// Anything with the scale subresource.
struct scale_target {
    text api_version, kind, name;
    static constexpr auto kcontrol_fields() {
        using self = scale_target;
        constexpr auto required = rules().required().min_length(1).max_length(253);
        return fields(field("apiVersion", &self::api_version, required), field("kind", &self::kind, required),
                      field("name", &self::name, required));
    }
    friend bool operator==(const scale_target&, const scale_target&) = default;
};

struct up_policy {
    std::int32_t max_step = 4, max_percent = 100, settle_seconds = 0;
    static constexpr auto kcontrol_fields() {
        using self = up_policy;
        return fields(
            field("maxStep", &self::max_step,
                  rules().default_json("4").minimum(1).maximum(1000).describe("Replicas that a look may add; or so "
                                                                              "many per cent, if that is more.")),
            field("maxPercent", &self::max_percent, rules().default_json("100").minimum(0).maximum(1000)),
            field("settleSeconds", &self::settle_seconds, rules().default_json("0").minimum(0).maximum(86400)));
    }
    friend bool operator==(const up_policy&, const up_policy&) = default;
};

struct down_policy {
    std::int32_t below_percent = 70, for_seconds = 300, max_step = 1, settle_seconds = 600;
    std::optional<pod_metric> in_flight;
    static constexpr auto kcontrol_fields() {
        using self = down_policy;
        return fields(
            field("belowPercent", &self::below_percent, rules().default_json("70").minimum(1).maximum(100)),
            field("forSeconds", &self::for_seconds, rules().default_json("300").minimum(0).maximum(86400)),
            field("maxStep", &self::max_step, rules().default_json("1").minimum(1).maximum(1000)),
            field("settleSeconds", &self::settle_seconds,
                  rules().default_json("600").minimum(0).maximum(86400).describe("From any change of replicas.")),
            field("inFlight", &self::in_flight, rules().describe("A pod's requests; the idlest one goes first.")));
    }
    friend bool operator==(const down_policy&, const down_policy&) = default;
};

struct wake_source {
    text query;
    double above = 0;
    static constexpr auto kcontrol_fields() {
        return fields(field("query", &wake_source::query, rules().required().min_length(1).max_length(8192)),
                      field("above", &wake_source::above, rules().default_json("0")));
    }
    friend bool operator==(const wake_source&, const wake_source&) = default;
};

struct zero_policy {
    std::int32_t after_seconds = 600;
    std::optional<wake_source> wake;
    bool listen = false;
    static constexpr auto kcontrol_fields() {
        using self = zero_policy;
        return fields(
            field("afterSeconds", &self::after_seconds, rules().default_json("600").minimum(1).maximum(86400)),
            field("wake", &self::wake,
                  rules().describe("Above it there is one replica; at or below it for so long, "
                                   "none.")),
            field("listen", &self::listen, rules().describe("POST /wake/NAMESPACE/NAME sets one replica at once.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation("has(self.wake) || has(self.listen) && self.listen",
                                  "zero has wake or listen: true: at zero no pod can be asked");
    }
    friend bool operator==(const zero_policy&, const zero_policy&) = default;
};

struct warm_up_spec {
    std::int32_t port = 0;
    text path, method = "GET", body;
    std::int32_t requests = 3, timeout_seconds = 600;
    static constexpr auto kcontrol_fields() {
        using self = warm_up_spec;
        return fields(
            field("port", &self::port, rules().required().minimum(1).maximum(65535)),
            field("path", &self::path, rules().required().max_length(2048).pattern("^/[^#\\s]*$")),
            field("method", &self::method, rules().default_string("GET").enum_values("GET", "POST", "PUT")),
            field("body", &self::body, rules().max_length(65536)),
            field("requests", &self::requests, rules().default_json("3").minimum(1).maximum(100)),
            field("timeoutSeconds", &self::timeout_seconds, rules().default_json("600").minimum(1).maximum(86400)));
    }
    friend bool operator==(const warm_up_spec&, const warm_up_spec&) = default;
};

struct capacity_spec {
    text scheduler;
    std::int32_t give_back_seconds = 600;
    static constexpr auto kcontrol_fields() {
        using self = capacity_spec;
        return fields(
            field("scheduler", &self::scheduler,
                  rules()
                      .max_length(2048)
                      .pattern("^https?://[^/?#@]+(/[^?#]*)?$")
                      .describe("The GPU scheduler's address: more than it has places for is not asked for.")),
            field("giveBackSeconds", &self::give_back_seconds,
                  rules().default_json("600").minimum(1).maximum(86400).describe("Unschedulable for so long: not asked "
                                                                                 "for any more, and tried later.")));
    }
    friend bool operator==(const capacity_spec&, const capacity_spec&) = default;
};

struct missing_policy {
    text mode = "Hold";
    std::optional<std::int32_t> replicas;
    static constexpr auto kcontrol_fields() {
        return fields(
            field("mode", &missing_policy::mode, rules().default_string("Hold").enum_values("Hold", "Max", "Replicas")),
            field("replicas", &missing_policy::replicas, rules().minimum(1)));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation("(has(self.mode) && self.mode == 'Replicas') == has(self.replicas)",
                                  "onMissing has replicas with mode: Replicas, and only then");
    }
    friend bool operator==(const missing_policy&, const missing_policy&) = default;
};

struct inference_scaler_spec {
    scale_target target;
    std::int32_t min_replicas = 1, max_replicas = 1, poll_seconds = 15;
    bool paused = false, dry_run = false;
    metrics_source metrics;
    list<scaling_rule> rules;  ///< see rules_of()
    up_policy up;
    down_policy down;
    std::optional<zero_policy> zero;
    std::optional<warm_up_spec> warm_up;
    std::optional<capacity_spec> capacity;
    missing_policy on_missing;

    static constexpr auto kcontrol_fields() {
        using self = inference_scaler_spec;
        return fields(
            field("target", &self::target, kcontrol::rules().required()),
            field("minReplicas", &self::min_replicas, kcontrol::rules().default_json("1").minimum(0).maximum(100000)),
            field("maxReplicas", &self::max_replicas, kcontrol::rules().required().minimum(1).maximum(100000)),
            field("pollSeconds", &self::poll_seconds, kcontrol::rules().default_json("15").minimum(1).maximum(3600)),
            field("paused", &self::paused, kcontrol::rules().describe("Nothing is asked and nothing written.")),
            field("dryRun", &self::dry_run, kcontrol::rules().describe("The decision is made and told, not written.")),
            field("metrics", &self::metrics, kcontrol::rules().required()),
            field("rules", &self::rules,
                  kcontrol::rules().max_items(20).list_type_atomic().describe(
                      "The first that holds decides. Without rules: GPU memory, P95, requests that wait.")),
            field("up", &self::up), field("down", &self::down), field("zero", &self::zero),
            field("warmUp", &self::warm_up), field("capacity", &self::capacity), field("onMissing", &self::on_missing));
    }
    static constexpr auto kcontrol_rules() {
        return kcontrol::rules()
            .validation("self.minReplicas <= self.maxReplicas", "minReplicas is at most maxReplicas")
            .validation("(self.minReplicas == 0) == has(self.zero)", "minReplicas: 0 and zero go together");
    }
    friend bool operator==(const inference_scaler_spec&, const inference_scaler_spec&) = default;
};

/// What decided last.
struct decision_status {
    text rule;  ///< empty: none
    std::optional<double> value, threshold;
    timestamp since;
    text sentence;
    static constexpr auto kcontrol_fields() {
        using self = decision_status;
        return fields(field("rule", &self::rule), field("value", &self::value), field("threshold", &self::threshold),
                      field("since", &self::since), field("sentence", &self::sentence));
    }
    friend bool operator==(const decision_status&, const decision_status&) = default;
};

/// A change of replicas. It is written before the change: after a crash in between, the change is known as its own.
struct scale_record {
    timestamp time;
    std::int32_t from = 0, to = 0;
    text rule;  ///< or why: wake, zero, bounds, giveBack, onMissing, foreign, idle
    static constexpr auto kcontrol_fields() {
        using self = scale_record;
        return fields(field("time", &self::time), field("from", &self::from), field("to", &self::to),
                      field("rule", &self::rule));
    }
    friend bool operator==(const scale_record&, const scale_record&) = default;
};

/// What of a rule outlives a restart.
struct rule_status {
    text name;
    bool ineffective = false;       ///< it decides nothing until it was below its threshold once
    std::optional<double> refused;  ///< its value when a down was made that an up undid
    static constexpr auto kcontrol_fields() {
        using self = rule_status;
        return fields(field("name", &self::name, rules().required()), field("ineffective", &self::ineffective),
                      field("refused", &self::refused));
    }
    friend bool operator==(const rule_status&, const rule_status&) = default;
};

struct inference_scaler_status {
    std::int32_t replicas = 0, ready = 0, warming = 0, wanted = 0;
    decision_status decision;
    std::optional<scale_record> last_scale;
    list<rule_status> rules;
    std::optional<std::int32_t> refused_replicas;  ///< to so few a down was made that an up undid
    text woken;                                    ///< the annotation of the last wake that was acted on
    list<status_condition> conditions;
    static constexpr auto kcontrol_fields() {
        using self = inference_scaler_status;
        return fields(field("replicas", &self::replicas), field("ready", &self::ready),
                      field("warming", &self::warming), field("wanted", &self::wanted),
                      field("decision", &self::decision), field("lastScale", &self::last_scale),
                      field("rules", &self::rules, kcontrol::rules().list_type_map("name")),
                      field("refusedReplicas", &self::refused_replicas), field("woken", &self::woken),
                      field("conditions", &self::conditions));
    }
    friend bool operator==(const inference_scaler_status&, const inference_scaler_status&) = default;
};

struct inference_scaler {
    static constexpr resource_name kcontrol_resource{"autoscaling.kcontrol.dev", "v1alpha1", "InferenceScaler",
                                                     "inferencescalers"};
    object_meta metadata;
    inference_scaler_spec spec;
    inference_scaler_status status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &inference_scaler::spec, rules().required()),
                      field("status", &inference_scaler::status));
    }
    static constexpr auto kcontrol_crd() {
        using status_type = inference_scaler_status;
        return crd()
            .short_names("isc")
            .categories("all")
            .status()
            .column({"Wanted", path(&inference_scaler::status, &status_type::wanted)})
            .column({"Ready", path(&inference_scaler::status, &status_type::ready)})
            .column({"Rule", path(&inference_scaler::status, &status_type::decision, &decision_status::rule)})
            .column({"Age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const inference_scaler&, const inference_scaler&) = default;
};

}  // namespace inference_autoscaler
