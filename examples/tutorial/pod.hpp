// The fields of a Pod that the tutorial's programs look at. Nothing else of a Pod is decoded or kept.
#pragma once

#include <kcontrol/model/resource.hpp>

#include <string>

struct pod_status {
    std::string phase;

    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("phase", &pod_status::phase)); }
};

struct pod {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;

    kcontrol::object_meta metadata;
    pod_status status;

    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("status", &pod::status)); }
};
