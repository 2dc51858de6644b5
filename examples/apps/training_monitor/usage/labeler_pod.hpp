// A pod of the GPU labelers' DaemonSet: on which node it is.
#pragma once

#include "jobs/kinds.hpp"

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

struct labeler_pod : projection_of<labeler_pod_spec, labeler_pod_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
};

}  // namespace training_monitor
