// The kind that simulations watch.
#pragma once

#include <kcontrol/model/resource.hpp>

namespace kcontrol::test {

struct widget_spec {
    std::int64_t value = 0;

    static constexpr auto kcontrol_fields() { return fields(field("value", &widget_spec::value)); }
};

struct widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Widget", "widgets"};

    object_meta metadata;
    widget_spec spec;

    static constexpr auto kcontrol_fields() { return fields(field("spec", &widget::spec)); }
};

}  // namespace kcontrol::test
