// A node as far as its GPUs go. Fields as core/v1 has them:
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/
#pragma once

#include "jobs/kinds.hpp"

#include <string>
#include <vector>

namespace training_monitor {

struct node_condition {
    std::string type;
    std::string status;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("type", &node_condition::type),
                                kcontrol::field("status", &node_condition::status));
    }
};

struct gpu_node_spec {
    bool unschedulable = false;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("unschedulable", &gpu_node_spec::unschedulable));
    }
};

struct gpu_node_status {
    gpu_list allocatable;
    std::vector<node_condition> conditions;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("allocatable", &gpu_node_status::allocatable),
                                kcontrol::field("conditions", &gpu_node_status::conditions));
    }
};

struct gpu_node : projection_of<gpu_node_spec, gpu_node_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Node", "nodes"};
};

}  // namespace training_monitor
