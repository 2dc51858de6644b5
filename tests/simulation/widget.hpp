// The kind that simulations watch: a Job of which one number is read, for built-in kinds travel in both encodings.
#pragma once

#include <kcontrol/apiserver/resource_type.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstdint>
#include <string>

namespace kcontrol::test {

inline constexpr const char* value_name = "activeDeadlineSeconds";  // in JSON

struct widget_spec {
    std::int64_t value = 0;

    static constexpr auto kcontrol_fields() { return fields(field(value_name, &widget_spec::value)); }
};

struct widget {
    static constexpr resource_name kcontrol_resource{"batch", "v1", "Job", "jobs"};

    object_meta metadata;
    widget_spec spec;

    static constexpr auto kcontrol_fields() { return fields(field("spec", &widget::spec)); }
};

inline const testing::group_resource widgets{"batch", "jobs"};

inline json::value widget_json(const std::string& name, std::int64_t value) {
    return {{"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"metadata", {{"name", name}, {"namespace", "default"}}},
            {"spec", {{value_name, value}}}};
}

}  // namespace kcontrol::test
