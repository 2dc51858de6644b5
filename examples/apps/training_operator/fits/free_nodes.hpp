// How many workers of a job would find a place on the GPUs that are free, by what nodes have and pods ask for.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/resource.hpp>

#include "job/training_job.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace training_operator {

struct offered_node {
    struct node_part {
        list<api::core::v1::taint> taints;
        bool unschedulable = false;
        static constexpr auto kcontrol_fields() {
            return fields(field("taints", &node_part::taints), field("unschedulable", &node_part::unschedulable));
        }
    };
    struct status_part {
        dict<quantity_text> allocatable;
        list<api::core::v1::node_condition> conditions;
        static constexpr auto kcontrol_fields() {
            using self = status_part;
            return fields(field("allocatable", &self::allocatable), field("conditions", &self::conditions));
        }
    };
    static constexpr resource_name kcontrol_resource{"", "v1", "Node", "nodes", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    node_part spec;
    status_part status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &offered_node::spec), field("status", &offered_node::status));
    }
};

struct placed_pod {
    struct asked {
        api::core::v1::resource_requirements resources;
        text restart_policy;
        static constexpr auto kcontrol_fields() {
            return fields(field("resources", &asked::resources), field("restartPolicy", &asked::restart_policy));
        }
    };
    struct pod_part {
        text node_name;
        list<asked> containers, init_containers;
        static constexpr auto kcontrol_fields() {
            using self = pod_part;
            return fields(field("nodeName", &self::node_name), field("containers", &self::containers),
                          field("initContainers", &self::init_containers));
        }
    };
    struct status_part {
        text phase;
        static constexpr auto kcontrol_fields() { return fields(field("phase", &status_part::phase)); }
    };
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    pod_part spec;
    status_part status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &placed_pod::spec), field("status", &placed_pod::status));
    }
};

/// Nodes that are not ready, cordoned, tainted beyond what the template tolerates, or lack a label of its nodeSelector
/// have no place. Affinity, ports and volumes are not looked at: the scheduler has the last word. What is no quantity
/// counts as 0.
std::int64_t workers_that_fit(const training_job& job, const std::vector<std::shared_ptr<const offered_node>>& nodes,
                              const std::vector<std::shared_ptr<const placed_pod>>& pods);

/// What /api/v1/fits of the GPU scheduler says: whether the gang fits now. Errors: invalid_argument for another answer.
result<bool> read_fits(int status, std::string_view body);

}  // namespace training_operator
