// Gates: what a trained model must reach before it goes on, each measured by a Job.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/field.hpp>

namespace training_operator {

using namespace kcontrol;

struct gate_spec {
    text name;
    api::core::v1::pod_template_spec template_;
    text metric;
    text op;
    text threshold;
    static constexpr auto kcontrol_fields() {
        using self = gate_spec;
        return fields(
            field("name", &self::name, rules().required().max_length(40).pattern("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
            field("template", &self::template_, rules().required().describe("The pod that measures, run as a Job.")),
            field("metric", &self::metric, rules().required().min_length(1).max_length(100)),
            field("op", &self::op, rules().required().enum_values(">", ">=", "<", "<=", "==")),
            field("threshold", &self::threshold,
                  rules()
                      .required()
                      .max_length(32)
                      .pattern("^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$")
                      .describe("A number such as 0.85, 500m or 1e-3.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation(
            "!has(self.template.spec) || !has(self.template.spec.restartPolicy) || self.template.spec.restartPolicy != "
            "'Always'",
            "template.spec.restartPolicy is Never or OnFailure, or left out: a gate comes to an end");
    }
    friend bool operator==(const gate_spec&, const gate_spec&) = default;
};

struct gate_status {
    text name;
    text result;   ///< Running, Passed or Failed
    text value;    ///< of the metric, as a number
    text message;  ///< "accuracy is 0.81, and must be >= 0.85"
    static constexpr auto kcontrol_fields() {
        using self = gate_status;
        return fields(field("name", &self::name, rules().required()),
                      field("result", &self::result, rules().required()), field("value", &self::value),
                      field("message", &self::message));
    }
    friend bool operator==(const gate_status&, const gate_status&) = default;
};

}  // namespace training_operator
