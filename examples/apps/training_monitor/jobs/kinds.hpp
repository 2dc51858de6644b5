// The job kinds the monitor reads: projections that hold what the view of a job needs and nothing else.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/resource.hpp>

#include "jobs/gpu_quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// A kind of which spec and status are read, and of them some members.
template <class Spec, class Status>
struct projection_of {
    using kcontrol_projection = void;

    kcontrol::object_meta metadata;
    Spec spec;
    Status status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &projection_of::spec),
                                kcontrol::field("status", &projection_of::status));
    }
};

/// A condition, as metav1.Condition and as Kubeflow's JobCondition spell it.
struct job_condition {
    std::string type;
    std::string status;
    std::string reason;
    std::string message;
    std::string last_transition_time;

    static constexpr auto kcontrol_fields() {
        using self = job_condition;
        return kcontrol::fields(kcontrol::field("type", &self::type), kcontrol::field("status", &self::status),
                                kcontrol::field("reason", &self::reason), kcontrol::field("message", &self::message),
                                kcontrol::field("lastTransitionTime", &self::last_transition_time));
    }
};

/// A resource list of which only the GPUs count.
struct gpu_list {
    std::optional<gpu_quantity> gpu;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("nvidia.com/gpu", &gpu_list::gpu));
    }
};

struct gpu_requirements {
    gpu_list limits;
    gpu_list requests;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("limits", &gpu_requirements::limits),
                                kcontrol::field("requests", &gpu_requirements::requests));
    }
};

struct gpu_container {
    gpu_requirements resources;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("resources", &gpu_container::resources));
    }
};

struct gpu_pod_spec {
    std::vector<gpu_container> containers;
    std::vector<gpu_container> init_containers;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("containers", &gpu_pod_spec::containers),
                                kcontrol::field("initContainers", &gpu_pod_spec::init_containers));
    }
};

struct gpu_pod_template {
    gpu_pod_spec spec;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("spec", &gpu_pod_template::spec));
    }
};

}  // namespace training_monitor
