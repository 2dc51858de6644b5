// What a job does that waits for GPUs for too long: it starts on CPUs.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/field.hpp>

#include <cstdint>
#include <optional>

namespace training_operator {

using namespace kcontrol;

struct cpu_resources {
    text cpu, memory;
    static constexpr auto kcontrol_fields() {
        using self = cpu_resources;
        constexpr auto amount =
            rules().max_length(32).pattern("^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$");
        return fields(field("cpu", &self::cpu, amount), field("memory", &self::memory, amount));
    }
    friend bool operator==(const cpu_resources&, const cpu_resources&) = default;
};

struct cpu_fallback_spec {
    std::int32_t after_seconds = 600;
    text queue_name;
    std::optional<std::int32_t> workers;
    cpu_resources resources;
    list<api::core::v1::env_var> env;
    static constexpr auto kcontrol_fields() {
        using self = cpu_fallback_spec;
        return fields(
            field("afterSeconds", &self::after_seconds,
                  rules().default_json("600").minimum(1).maximum(604800).describe(
                      "So long the job waits for GPUs. It changes back at most once in so long.")),
            field("queueName", &self::queue_name,
                  rules()
                      .max_length(253)
                      .pattern("^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$")
                      .describe("The LocalQueue of Kueue in which it waits for CPUs; default: none.")),
            field("workers", &self::workers, rules().minimum(1).maximum(10000).describe("Default: spec.workers.")),
            field("resources", &self::resources, rules().describe("Of each worker's first container.")),
            field("env", &self::env,
                  rules().max_items(100).list_type_atomic().describe("In place of the template's.")));
    }
    friend bool operator==(const cpu_fallback_spec&, const cpu_fallback_spec&) = default;
};

}  // namespace training_operator
