// Promotion: traffic that goes over to the new model, step by step.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>
#include <kcontrol/values/timestamp.hpp>

#include <cstdint>
#include <optional>

namespace training_operator {

using namespace kcontrol;

struct http_route_target {
    text name, stable, canary;
    std::int32_t rule = 0;
    static constexpr auto kcontrol_fields() {
        using self = http_route_target;
        constexpr auto required = rules().required().min_length(1).max_length(253);
        return fields(field("name", &self::name, required), field("stable", &self::stable, required),
                      field("canary", &self::canary, required),
                      field("rule", &self::rule, rules().minimum(0).maximum(15).describe("Its index in the route.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules().validation("self.stable != self.canary", "stable and canary are two backends");
    }
    friend bool operator==(const http_route_target&, const http_route_target&) = default;
};

struct inference_service_target {
    text name;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &inference_service_target::name, rules().required().min_length(1).max_length(253)));
    }
    friend bool operator==(const inference_service_target&, const inference_service_target&) = default;
};

struct promote_spec {
    std::optional<http_route_target> http_route;
    std::optional<inference_service_target> inference_service;
    list<std::int32_t> steps;
    std::int32_t hold_seconds = 300, min_warm = 0;
    static constexpr auto kcontrol_fields() {
        using self = promote_spec;
        return fields(field("httpRoute", &self::http_route), field("inferenceService", &self::inference_service),
                      field("steps", &self::steps,
                            rules()
                                .default_json("[10,50,100]")
                                .min_items(1)
                                .max_items(20)
                                .validation("self.isSorted()", "steps do not fall")
                                .describe("Per cent of the traffic that go to the canary.")
                                .items(rules().minimum(0).maximum(100))),
                      field("holdSeconds", &self::hold_seconds,
                            rules().default_json("300").minimum(0).describe("After each step.")),
                      field("minWarm", &self::min_warm,
                            rules().minimum(0).maximum(100000).describe(
                                "A step waits for so many ready endpoints of the canary.")));
    }
    static constexpr auto kcontrol_rules() {
        return rules()
            .validation("has(self.httpRoute) != has(self.inferenceService)",
                        "promote names either an httpRoute or an inferenceService")
            .validation("has(self.httpRoute) || !has(self.minWarm) || self.minWarm == 0",
                        "minWarm counts the endpoints of a Service: it goes with httpRoute");
    }
    friend bool operator==(const promote_spec&, const promote_spec&) = default;
};

/// The weights that were there before are kept, for the way back.
struct promotion_status {
    std::int32_t step = 0;    ///< how many are taken
    std::int32_t weight = 0;  ///< of the canary now
    std::optional<std::int32_t> stable_before, canary_before;
    bool rolled_back = false;
    timestamp time;  ///< of the last step
    static constexpr auto kcontrol_fields() {
        using self = promotion_status;
        return fields(field("step", &self::step, rules().required()),
                      field("weight", &self::weight, rules().required()), field("stableBefore", &self::stable_before),
                      field("canaryBefore", &self::canary_before), field("rolledBack", &self::rolled_back),
                      field("time", &self::time));
    }
    friend bool operator==(const promotion_status&, const promotion_status&) = default;
};

/// How traffic is divided; nothing: it is not said.
class weights {
public:
    std::optional<std::int32_t> stable, canary;
    friend bool operator==(const weights&, const weights&) = default;
};

}  // namespace training_operator
