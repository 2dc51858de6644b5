// Where an InferenceScaler's values come from, and the rules that read them.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>

#include <cstdint>
#include <optional>

namespace inference_autoscaler {

using namespace kcontrol;

/// A key of a Secret or of a ConfigMap in the scaler's namespace.
struct key_reference {
    text name, key;
    static constexpr auto kcontrol_fields() {
        constexpr auto required = rules().required().min_length(1).max_length(253);
        return fields(field("name", &key_reference::name, required), field("key", &key_reference::key, required));
    }
    friend bool operator==(const key_reference&, const key_reference&) = default;
};

struct prometheus_source {
    text url;
    std::optional<key_reference> token_from, ca_from;
    std::int32_t max_age_seconds = 60;
    static constexpr auto kcontrol_fields() {
        using self = prometheus_source;
        return fields(
            field("url", &self::url,
                  rules()
                      .required()
                      .max_length(2048)
                      .pattern("^https?://[^/?#@]+(/[^?#]*)?$")
                      .describe("Of the server; /api/v1/query is added.")),
            field("tokenFrom", &self::token_from, rules().describe("A key of a Secret: the bearer token.")),
            field("caFrom", &self::ca_from, rules().describe("A key of a ConfigMap: certificates in PEM.")),
            field("maxAgeSeconds", &self::max_age_seconds,
                  rules().default_json("60").minimum(1).maximum(3600).describe("An older sample is missing.")));
    }
    friend bool operator==(const prometheus_source&, const prometheus_source&) = default;
};

struct pods_source {
    std::int32_t port = 0;
    text path = "/metrics";
    static constexpr auto kcontrol_fields() {
        using self = pods_source;
        return fields(
            field("port", &self::port, rules().required().minimum(1).maximum(65535)),
            field("path", &self::path, rules().default_string("/metrics").max_length(1024).pattern("^/[^?#\\s]*$")));
    }
    friend bool operator==(const pods_source&, const pods_source&) = default;
};

struct metrics_source {
    std::optional<prometheus_source> prometheus;
    std::optional<pods_source> pods;
    static constexpr auto kcontrol_fields() {
        return fields(field("prometheus", &metrics_source::prometheus),
                      field("pods", &metrics_source::pods, rules().describe("Each ready pod is asked.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation("has(self.prometheus) != has(self.pods)", "metrics names either prometheus or pods");
    }
    friend bool operator==(const metrics_source&, const metrics_source&) = default;
};

/// A metric that the pods tell.
struct pod_metric {
    text metric;
    dict<text> labels;
    text of = "Mean";
    list<text> over;
    static constexpr auto kcontrol_fields() {
        using self = pod_metric;
        return fields(field("metric", &self::metric,
                            rules()
                                .required()
                                .max_length(200)
                                .pattern("^[a-zA-Z_:][a-zA-Z0-9_:]*$")
                                .describe("With P95: a histogram, without _bucket.")),
                      field("labels", &self::labels, rules().describe("Only series with these values.")),
                      field("of", &self::of, rules().default_string("Mean").enum_values("Sum", "Mean", "Max", "P95")),
                      field("over", &self::over,
                            rules().max_items(8).list_type_atomic().describe(
                                "The value of each pod is divided by the sum of these metrics of the pod.")));
    }
    friend bool operator==(const pod_metric&, const pod_metric&) = default;
};

/// One of the three.
struct scale_action {
    std::optional<std::int32_t> add_replicas, add_percent;
    std::optional<bool> proportional;
    static constexpr auto kcontrol_fields() {
        using self = scale_action;
        return fields(field("addReplicas", &self::add_replicas, rules().minimum(1).maximum(1000)),
                      field("addPercent", &self::add_percent, rules().minimum(1).maximum(1000)),
                      field("proportional", &self::proportional,
                            rules().describe("Warm replicas times the value over the threshold, rounded up.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation(
            "[has(self.addReplicas), has(self.addPercent), has(self.proportional) && self.proportional]"
            ".filter(x, x).size() == 1",
            "action is one of addReplicas, addPercent and proportional: true");
    }
    friend bool operator==(const scale_action&, const scale_action&) = default;
};

struct scaling_rule {
    text name, query;
    std::optional<pod_metric> pods;
    text idle_query;
    text op = ">";
    double threshold = 0;
    std::int32_t for_seconds = 0;
    bool down = true;
    scale_action action;
    static constexpr auto kcontrol_fields() {
        using self = scaling_rule;
        return fields(
            field("name", &self::name, rules().required().max_length(40).pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
            field("query", &self::query,
                  rules().max_length(8192).describe("PromQL; {namespace}, {name} and {pods} are replaced.")),
            field("pods", &self::pods),
            field("idleQuery", &self::idle_query,
                  rules().max_length(8192).describe("If it gives 0, NaN of the query means that there is no load.")),
            field("op", &self::op, rules().default_string(">").enum_values(">", ">=", "<", "<=")),
            field("threshold", &self::threshold, rules().required()),
            field("forSeconds", &self::for_seconds, rules().default_json("0").minimum(0).maximum(86400)),
            field("down", &self::down,
                  rules().default_json("true").describe("Whether its value must be low before replicas go.")),
            field("action", &self::action, rules().required()));
    }
    static constexpr auto kcontrol_rules() {
        return rules()
            .validation("has(self.query) != has(self.pods)", "a rule has either a query or pods")
            .validation("!has(self.action.proportional) || self.threshold > 0.0 && self.op.startsWith('>')",
                        "a proportional rule has a threshold above 0, and > or >=");
    }
    friend bool operator==(const scaling_rule&, const scaling_rule&) = default;
};

}  // namespace inference_autoscaler
