// What the operator of the simulation works on: a Site becomes a Leaf, which somebody brings up, and says how far it
// is.
#pragma once

#include <kcontrol/controllerutil/phases.hpp>
#include <kcontrol/model/resource.hpp>

namespace kcontrol::test {

struct site_spec {
    std::int64_t value = 0;
    static constexpr auto kcontrol_fields() { return fields(field("value", &site_spec::value)); }
};

struct site_status {
    text phase;
    std::int64_t served = 0;
    static constexpr auto kcontrol_fields() {
        return fields(field("phase", &site_status::phase), field("served", &site_status::served));
    }
};

struct site {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Site", "sites"};
    object_meta metadata;
    site_spec spec;
    site_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &site::spec), field("status", &site::status));
    }
};

struct leaf_status {
    std::int64_t value = 0;
    static constexpr auto kcontrol_fields() { return fields(field("value", &leaf_status::value)); }
};

struct leaf {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Leaf", "leaves"};
    object_meta metadata;
    site_spec spec;
    leaf_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &leaf::spec), field("status", &leaf::status));
    }
};

inline constexpr phase_table site_phases(phase("Pending").to("Building"), phase("Building").to("Ready"),
                                         phase("Ready").to("Changing"), phase("Changing").to("Building"));

inline constexpr const char* site_finalizer = "test.kcontrol.dev/leaf";

}  // namespace kcontrol::test
