// A pod of the GPU labelers' DaemonSet: on which node it is.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>

namespace training_monitor {

struct labeler_pod_spec {
    std::string node_name;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("nodeName", &labeler_pod_spec::node_name));
    }
};

struct labeler_pod_status {
    std::string phase;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("phase", &labeler_pod_status::phase));
    }
};

struct labeler_pod {
    using kcontrol_projection = void;
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};

    kcontrol::object_meta metadata;
    labeler_pod_spec spec;
    labeler_pod_status status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &labeler_pod::spec),
                                kcontrol::field("status", &labeler_pod::status));
    }
};

}  // namespace training_monitor
