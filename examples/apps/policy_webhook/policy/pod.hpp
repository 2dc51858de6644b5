// What the policies look at of pods and nodes; everything else stays as it is.
#pragma once

#include <kcontrol/codec/resource_of.hpp>

namespace policy_webhook {

using kcontrol::boxed;
using kcontrol::dict;
using kcontrol::field;
using kcontrol::fields;
using kcontrol::list;
using kcontrol::text;

struct resources {
    dict<kcontrol::quantity_text> limits, requests;
    static constexpr auto kcontrol_fields() {
        return fields(field("limits", &resources::limits), field("requests", &resources::requests));
    }
};
struct security {
    bool privileged = false;
    static constexpr auto kcontrol_fields() { return fields(field("privileged", &security::privileged)); }
};
struct container {
    text name, image;
    text restart_policy;  // "Always" of an init container: a sidecar
    boxed<resources> wants;
    boxed<security> context;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &container::name), field("image", &container::image),
                      field("restartPolicy", &container::restart_policy), field("resources", &container::wants),
                      field("securityContext", &container::context));
    }
};
struct toleration {
    text key, operator_, value, effect;
    static constexpr auto kcontrol_fields() {
        return fields(field("key", &toleration::key), field("operator", &toleration::operator_),
                      field("value", &toleration::value), field("effect", &toleration::effect));
    }
    friend bool operator==(const toleration&, const toleration&) = default;
};
struct pod_spec {
    list<container> containers, init_containers, ephemeral_containers;
    list<toleration> tolerations;
    text runtime_class_name;
    static constexpr auto kcontrol_fields() {
        return fields(field("containers", &pod_spec::containers), field("initContainers", &pod_spec::init_containers),
                      field("ephemeralContainers", &pod_spec::ephemeral_containers),
                      field("tolerations", &pod_spec::tolerations),
                      field("runtimeClassName", &pod_spec::runtime_class_name));
    }
};
struct pod_status {
    text phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &pod_status::phase)); }
};
struct pod {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    using kcontrol_projection = void;
    kcontrol::object_meta metadata;
    pod_spec spec;
    boxed<pod_status> status;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &pod::spec), field("status", &pod::status)); }

    bool ended() const { return status && (status->phase == "Succeeded" || status->phase == "Failed"); }
};

struct node_status {
    dict<kcontrol::quantity_text> allocatable;
    static constexpr auto kcontrol_fields() { return fields(field("allocatable", &node_status::allocatable)); }
};
struct node {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "Node", "nodes",
                                                               kcontrol::resource_scope::cluster};
    using kcontrol_projection = void;
    kcontrol::object_meta metadata;
    node_status status;
    static constexpr auto kcontrol_fields() { return fields(field("status", &node::status)); }
};

}  // namespace policy_webhook
