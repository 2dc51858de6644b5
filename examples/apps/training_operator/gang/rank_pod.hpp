// A rank's pod and its node, as far as the operator reads them: nothing else is decoded or kept.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/resource.hpp>

namespace training_operator {

using namespace kcontrol;

struct named_container {
    text name;
    static constexpr auto kcontrol_fields() { return fields(field("name", &named_container::name)); }
};

struct rank_pod_spec {
    text node_name;
    list<named_container> containers;
    list<api::core::v1::pod_scheduling_gate> scheduling_gates;
    static constexpr auto kcontrol_fields() {
        using self = rank_pod_spec;
        return fields(field("nodeName", &self::node_name), field("containers", &self::containers),
                      field("schedulingGates", &self::scheduling_gates));
    }
};

struct rank_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    rank_pod_spec spec;
    api::core::v1::pod_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &rank_pod::spec), field("status", &rank_pod::status));
    }
};

struct rank_node_status {
    list<api::core::v1::node_condition> conditions;
    static constexpr auto kcontrol_fields() { return fields(field("conditions", &rank_node_status::conditions)); }
};

struct rank_node {
    static constexpr resource_name kcontrol_resource{"", "v1", "Node", "nodes", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    rank_node_status status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &rank_node::status)); }
};

}  // namespace training_operator
