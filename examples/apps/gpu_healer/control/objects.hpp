// Nodes and pods, as far as the healer reads them: nothing else is decoded or kept.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/resource.hpp>

#include "decide/facts.hpp"

#include <string>

namespace gpu_healer {

struct healed_node_spec {
    bool unschedulable = false;
    list<api::core::v1::taint> taints;
    static constexpr auto kcontrol_fields() {
        return fields(field("unschedulable", &healed_node_spec::unschedulable),
                      field("taints", &healed_node_spec::taints));
    }
    friend bool operator==(const healed_node_spec&, const healed_node_spec&) = default;
};

struct healed_node_status {
    list<api::core::v1::node_condition> conditions;
    static constexpr auto kcontrol_fields() { return fields(field("conditions", &healed_node_status::conditions)); }
};

struct healed_node {
    static constexpr resource_name kcontrol_resource{"", "v1", "Node", "nodes", resource_scope::cluster};
    using kcontrol_projection = void;
    object_meta metadata;
    healed_node_spec spec;
    healed_node_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &healed_node::spec), field("status", &healed_node::status));
    }
};

struct drained_container {
    api::core::v1::resource_requirements resources;
    static constexpr auto kcontrol_fields() { return fields(field("resources", &drained_container::resources)); }
};

struct drained_pod_spec {
    list<drained_container> containers;
    list<api::core::v1::pod_resource_claim> resource_claims;
    static constexpr auto kcontrol_fields() {
        return fields(field("containers", &drained_pod_spec::containers),
                      field("resourceClaims", &drained_pod_spec::resource_claims));
    }
};

struct drained_pod_status {
    text phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &drained_pod_status::phase)); }
};

struct drained_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    object_meta metadata;
    drained_pod_spec spec;
    drained_pod_status status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &drained_pod::spec), field("status", &drained_pod::status));
    }
};

/// Its place among the node's taints, if it has this one.
std::optional<std::size_t> place_of(const healed_node& node, const node_taint& taint);
/// The node as it concerns a case of that policy; null: the policy is gone.
node_view view_of(const healed_node& node, const node_repair& of, const healing_policy_spec* policy);
/// The value of an annotation; empty: none.
std::string annotation_of(const object_meta& meta, std::string_view name);
/// Whether anything has changed that cases or policies are decided on: not the heartbeat.
bool changes_matter(const healed_node& before, const healed_node& after);
/// Whether a drain concerns the pod: it runs, has GPUs (or all do), and is neither a DaemonSet's nor static.
bool is_drained(const drained_pod& pod, bool all);

}  // namespace gpu_healer
