// A node that pods of jobs run on: what is shown of it and nothing else. Fields as core/v1 has them:
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/
#pragma once

#include "jobs/kinds.hpp"

#include <string>
#include <vector>

namespace training_monitor {

struct node_taint {
    std::string key, value, effect, time_added;

    static constexpr auto kcontrol_fields() {
        using self = node_taint;
        return kcontrol::fields(kcontrol::field("key", &self::key), kcontrol::field("value", &self::value),
                                kcontrol::field("effect", &self::effect),
                                kcontrol::field("timeAdded", &self::time_added));
    }
};

struct training_node_spec {
    bool unschedulable = false;
    std::vector<node_taint> taints;

    static constexpr auto kcontrol_fields() {
        using self = training_node_spec;
        return kcontrol::fields(kcontrol::field("unschedulable", &self::unschedulable),
                                kcontrol::field("taints", &self::taints));
    }
};

struct training_node_status {
    gpu_list allocatable;
    std::vector<job_condition> conditions;

    static constexpr auto kcontrol_fields() {
        using self = training_node_status;
        return kcontrol::fields(kcontrol::field("allocatable", &self::allocatable),
                                kcontrol::field("conditions", &self::conditions));
    }
};

struct training_node : projection_of<training_node_spec, training_node_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Node", "nodes",
                                                               kcontrol::resource_scope::cluster};
};

}  // namespace training_monitor
