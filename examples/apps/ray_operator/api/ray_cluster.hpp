// RayCluster of ray.io/v1: the fields of KubeRay's that the operator reads or writes. What else there is in an object
// stays as it is. Source: KubeRay 1.5.0, ray-operator/apis/ray/v1/raycluster_types.go.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/model/condition.hpp>
#include <kcontrol/schema/crd_options.hpp>

#include "api/opaque.hpp"

#include <cstdint>
#include <optional>

namespace ray_operator {

using pod_template = opaque<api::core::v1::pod_template_spec>;

struct head_group_spec {
    pod_template template_;
    boxed<opaque<api::core::v1::service>> head_service;
    dict<text> resources, labels, ray_start_params;
    text service_type;
    static constexpr auto kcontrol_fields() {
        using self = head_group_spec;
        return fields(field("template", &self::template_, rules().required()),
                      field("headService", &self::head_service), field("resources", &self::resources),
                      field("labels", &self::labels), field("rayStartParams", &self::ray_start_params),
                      field("serviceType", &self::service_type));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const head_group_spec&, const head_group_spec&) = default;
};

struct scale_strategy {
    list<text> workers_to_delete;
    static constexpr auto kcontrol_fields() {
        return fields(field("workersToDelete", &scale_strategy::workers_to_delete));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const scale_strategy&, const scale_strategy&) = default;
};

struct worker_group_spec {
    text group_name;
    std::optional<std::int32_t> replicas, min_replicas, max_replicas, num_of_hosts;
    pod_template template_;
    dict<text> resources, labels, ray_start_params;
    std::optional<bool> suspend;
    boxed<ray_operator::scale_strategy> scale_strategy;
    static constexpr auto kcontrol_fields() {
        using self = worker_group_spec;
        return fields(field("groupName", &self::group_name, rules().required()), field("replicas", &self::replicas),
                      field("minReplicas", &self::min_replicas), field("maxReplicas", &self::max_replicas),
                      field("numOfHosts", &self::num_of_hosts), field("template", &self::template_, rules().required()),
                      field("resources", &self::resources), field("labels", &self::labels),
                      field("rayStartParams", &self::ray_start_params), field("suspend", &self::suspend),
                      field("scaleStrategy", &self::scale_strategy));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const worker_group_spec&, const worker_group_spec&) = default;
};

struct autoscaler_options {
    boxed<opaque<api::core::v1::resource_requirements>> resources;
    text image, image_pull_policy, version;
    boxed<opaque<api::core::v1::security_context>> security_context;
    list<opaque<api::core::v1::env_var>> env;
    list<opaque<api::core::v1::env_from_source>> env_from;
    list<opaque<api::core::v1::volume_mount>> volume_mounts;
    static constexpr auto kcontrol_fields() {
        using self = autoscaler_options;
        return fields(field("resources", &self::resources), field("image", &self::image),
                      field("imagePullPolicy", &self::image_pull_policy), field("version", &self::version),
                      field("securityContext", &self::security_context), field("env", &self::env),
                      field("envFrom", &self::env_from), field("volumeMounts", &self::volume_mounts));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const autoscaler_options&, const autoscaler_options&) = default;
};

struct redis_credential {
    text value;
    boxed<opaque<api::core::v1::env_var_source>> value_from;
    static constexpr auto kcontrol_fields() {
        return fields(field("value", &redis_credential::value), field("valueFrom", &redis_credential::value_from));
    }
    friend bool operator==(const redis_credential&, const redis_credential&) = default;
};

struct gcs_fault_tolerance_options {
    text redis_address, external_storage_namespace;
    boxed<redis_credential> redis_username, redis_password;
    static constexpr auto kcontrol_fields() {
        using self = gcs_fault_tolerance_options;
        return fields(field("redisAddress", &self::redis_address, rules().required()),
                      field("externalStorageNamespace", &self::external_storage_namespace),
                      field("redisUsername", &self::redis_username), field("redisPassword", &self::redis_password));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const gcs_fault_tolerance_options&, const gcs_fault_tolerance_options&) = default;
};

struct upgrade_strategy {
    text type;
    static constexpr auto kcontrol_fields() { return fields(field("type", &upgrade_strategy::type)); }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const upgrade_strategy&, const upgrade_strategy&) = default;
};

struct ray_cluster_spec {
    std::optional<bool> suspend, enable_in_tree_autoscaling;
    text managed_by;
    ray_operator::head_group_spec head_group_spec;
    list<worker_group_spec> worker_group_specs;
    dict<text> head_service_annotations;
    boxed<ray_operator::autoscaler_options> autoscaler_options;
    boxed<ray_operator::gcs_fault_tolerance_options> gcs_fault_tolerance_options;
    boxed<ray_operator::upgrade_strategy> upgrade_strategy;
    static constexpr auto kcontrol_fields() {
        using self = ray_cluster_spec;
        return fields(
            field("suspend", &self::suspend), field("enableInTreeAutoscaling", &self::enable_in_tree_autoscaling),
            field("managedBy", &self::managed_by), field("headGroupSpec", &self::head_group_spec, rules().required()),
            field("workerGroupSpecs", &self::worker_group_specs),
            field("headServiceAnnotations", &self::head_service_annotations),
            field("autoscalerOptions", &self::autoscaler_options),
            field("gcsFaultToleranceOptions", &self::gcs_fault_tolerance_options),
            field("upgradeStrategy", &self::upgrade_strategy));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const ray_cluster_spec&, const ray_cluster_spec&) = default;
};

struct head_info {
    text pod_ip, pod_name, service_ip, service_name;
    static constexpr auto kcontrol_fields() {
        using self = head_info;
        return fields(field("podIP", &self::pod_ip), field("podName", &self::pod_name),
                      field("serviceIP", &self::service_ip), field("serviceName", &self::service_name));
    }
    friend bool operator==(const head_info&, const head_info&) = default;
};

struct ray_cluster_status {
    text state;  ///< ready, suspended, or none yet
    text phase;  ///< for people: Pending, Provisioning, Running, Suspended, Failed; KubeRay's definition drops it
    list<status_condition> conditions;
    std::int32_t ready_worker_replicas = 0, available_worker_replicas = 0, desired_worker_replicas = 0,
                 min_worker_replicas = 0, max_worker_replicas = 0;
    quantity_text desired_cpu, desired_memory, desired_gpu, desired_tpu;
    dict<text> endpoints;
    head_info head;
    timestamp last_update_time;
    dict<timestamp> state_transition_times;
    std::int64_t observed_generation = 0;
    static constexpr auto kcontrol_fields() {
        using self = ray_cluster_status;
        return fields(field("state", &self::state), field("phase", &self::phase),
                      field("conditions", &self::conditions),
                      field("readyWorkerReplicas", &self::ready_worker_replicas),
                      field("availableWorkerReplicas", &self::available_worker_replicas),
                      field("desiredWorkerReplicas", &self::desired_worker_replicas),
                      field("minWorkerReplicas", &self::min_worker_replicas),
                      field("maxWorkerReplicas", &self::max_worker_replicas), field("desiredCPU", &self::desired_cpu),
                      field("desiredMemory", &self::desired_memory), field("desiredGPU", &self::desired_gpu),
                      field("desiredTPU", &self::desired_tpu), field("endpoints", &self::endpoints),
                      field("head", &self::head), field("lastUpdateTime", &self::last_update_time),
                      field("stateTransitionTimes", &self::state_transition_times),
                      field("observedGeneration", &self::observed_generation));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const ray_cluster_status&, const ray_cluster_status&) = default;
};

struct ray_cluster {
    static constexpr resource_name kcontrol_resource{"ray.io", "v1", "RayCluster", "rayclusters"};
    object_meta metadata;
    ray_cluster_spec spec;
    ray_cluster_status status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &ray_cluster::spec, rules().required()), field("status", &ray_cluster::status));
    }
    static constexpr auto kcontrol_crd() {
        return crd()
            .categories("all")
            .status()
            .column({"desired workers", path(&ray_cluster::status, &ray_cluster_status::desired_worker_replicas)})
            .column({"available workers", path(&ray_cluster::status, &ray_cluster_status::available_worker_replicas)})
            .column({"phase", path(&ray_cluster::status, &ray_cluster_status::phase)})
            .column({"status", path(&ray_cluster::status, &ray_cluster_status::state)})
            .column({"age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const ray_cluster&, const ray_cluster&) = default;
};

}  // namespace ray_operator
