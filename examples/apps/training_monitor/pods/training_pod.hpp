// A pod of a training job: what is shown of it and nothing else. Fields as core/v1 has them:
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
#pragma once

#include "jobs/kinds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

struct waiting_container {
    std::string reason;
    std::string message;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("reason", &waiting_container::reason),
                                kcontrol::field("message", &waiting_container::message));
    }
};

struct ended_container {
    std::int64_t exit_code = 0;
    std::string reason;
    std::string message;
    std::string finished_at;

    static constexpr auto kcontrol_fields() {
        using self = ended_container;
        return kcontrol::fields(kcontrol::field("exitCode", &self::exit_code), kcontrol::field("reason", &self::reason),
                                kcontrol::field("message", &self::message),
                                kcontrol::field("finishedAt", &self::finished_at));
    }
};

struct container_situation {
    std::optional<waiting_container> waiting;
    std::optional<ended_container> terminated;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("waiting", &container_situation::waiting),
                                kcontrol::field("terminated", &container_situation::terminated));
    }
};

struct container_report {
    std::string name;
    std::int64_t restart_count = 0;
    container_situation state;
    container_situation last_state;

    static constexpr auto kcontrol_fields() {
        using self = container_report;
        return kcontrol::fields(
            kcontrol::field("name", &self::name), kcontrol::field("restartCount", &self::restart_count),
            kcontrol::field("state", &self::state), kcontrol::field("lastState", &self::last_state));
    }
};

struct training_pod_spec {
    std::string node_name;
    std::vector<gpu_container> containers;
    std::vector<gpu_container> init_containers;

    static constexpr auto kcontrol_fields() {
        using self = training_pod_spec;
        return kcontrol::fields(kcontrol::field("nodeName", &self::node_name),
                                kcontrol::field("containers", &self::containers),
                                kcontrol::field("initContainers", &self::init_containers));
    }
};

struct training_pod_status {
    std::string phase;
    std::string reason;  ///< of the whole pod: Evicted, DeadlineExceeded, NodeLost…
    std::string message;
    std::vector<job_condition> conditions;
    std::vector<container_report> init_container_statuses;
    std::vector<container_report> container_statuses;

    static constexpr auto kcontrol_fields() {
        using self = training_pod_status;
        return kcontrol::fields(kcontrol::field("phase", &self::phase), kcontrol::field("reason", &self::reason),
                                kcontrol::field("message", &self::message),
                                kcontrol::field("conditions", &self::conditions),
                                kcontrol::field("initContainerStatuses", &self::init_container_statuses),
                                kcontrol::field("containerStatuses", &self::container_statuses));
    }
};

struct training_pod : projection_of<training_pod_spec, training_pod_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
};

}  // namespace training_monitor
