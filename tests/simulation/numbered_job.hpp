// The kind that simulations watch: a Job of which one number is read, for built-in kinds travel in both encodings.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/resource.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <cstdint>
#include <string>

namespace kcontrol::test {

inline constexpr const char* value_name = "activeDeadlineSeconds";  // in JSON

struct numbered_spec {
    std::int64_t value = 0;

    static constexpr auto kcontrol_fields() { return fields(field(value_name, &numbered_spec::value)); }
};

struct numbered_job {
    static constexpr resource_name kcontrol_resource{"batch", "v1", "Job", "jobs"};

    object_meta metadata;
    numbered_spec spec;

    static constexpr auto kcontrol_fields() { return fields(field("spec", &numbered_job::spec)); }
};

inline const testing::group_resource jobs{"batch", "jobs"};

/// As every server has it; one may lose it, and get it back.
inline testing::resource_type job_type() {
    for (auto& type : testing::builtin_resource_types()) {
        if (type.id() == jobs) return type;
    }
    return {};
}

inline json::value job_json(const std::string& name, std::int64_t value) {
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec", {{value_name, value}}}};
}

}  // namespace kcontrol::test
