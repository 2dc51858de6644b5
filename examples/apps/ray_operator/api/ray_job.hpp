// RayJob of ray.io/v1: the fields of KubeRay's that the operator reads or writes.
// Source: KubeRay 1.5.0, ray-operator/apis/ray/v1/rayjob_types.go.
#pragma once

#include "api/ray_cluster.hpp"

namespace ray_operator {

struct submitter_config {
    std::optional<std::int32_t> backoff_limit;
    static constexpr auto kcontrol_fields() { return fields(field("backoffLimit", &submitter_config::backoff_limit)); }
    friend bool operator==(const submitter_config&, const submitter_config&) = default;
};

struct deletion_condition {
    text job_status;
    std::int32_t ttl_seconds = 0;
    static constexpr auto kcontrol_fields() {
        return fields(field("jobStatus", &deletion_condition::job_status),
                      field("ttlSeconds", &deletion_condition::ttl_seconds));
    }
    friend bool operator==(const deletion_condition&, const deletion_condition&) = default;
};

/// One of deletionRules; in onSuccess and onFailure only the policy is there.
struct deletion_rule {
    text policy;  ///< DeleteCluster, DeleteWorkers, DeleteSelf, DeleteNone
    deletion_condition condition;
    static constexpr auto kcontrol_fields() {
        return fields(field("policy", &deletion_rule::policy), field("condition", &deletion_rule::condition));
    }
    friend bool operator==(const deletion_rule&, const deletion_rule&) = default;
};

struct deletion_strategy {
    boxed<deletion_rule> on_success, on_failure;
    list<deletion_rule> deletion_rules;
    static constexpr auto kcontrol_fields() {
        using self = deletion_strategy;
        return fields(field("onSuccess", &self::on_success), field("onFailure", &self::on_failure),
                      field("deletionRules", &self::deletion_rules));
    }
    friend bool operator==(const deletion_strategy&, const deletion_strategy&) = default;
};

struct ray_job_spec {
    std::optional<std::int32_t> active_deadline_seconds, backoff_limit;
    raw_json ray_cluster_spec;  ///< as it is: what this operator does not know of a RayCluster is kept
    boxed<pod_template> submitter_pod_template;
    boxed<ray_operator::submitter_config> submitter_config;
    dict<text> metadata, cluster_selector;
    text managed_by, entrypoint, runtime_env_yaml, job_id, submission_mode, entrypoint_resources;
    double entrypoint_num_cpus = 0, entrypoint_num_gpus = 0;
    std::int32_t ttl_seconds_after_finished = 0;
    bool shutdown_after_job_finishes = false, suspend = false;
    boxed<ray_operator::deletion_strategy> deletion_strategy;
    static constexpr auto kcontrol_fields() {
        using self = ray_job_spec;
        return fields(field("activeDeadlineSeconds", &self::active_deadline_seconds),
                      field("backoffLimit", &self::backoff_limit), field("rayClusterSpec", &self::ray_cluster_spec),
                      field("submitterPodTemplate", &self::submitter_pod_template),
                      field("submitterConfig", &self::submitter_config), field("metadata", &self::metadata),
                      field("clusterSelector", &self::cluster_selector), field("managedBy", &self::managed_by),
                      field("entrypoint", &self::entrypoint), field("runtimeEnvYAML", &self::runtime_env_yaml),
                      field("jobId", &self::job_id), field("submissionMode", &self::submission_mode),
                      field("entrypointResources", &self::entrypoint_resources),
                      field("entrypointNumCpus", &self::entrypoint_num_cpus),
                      field("entrypointNumGpus", &self::entrypoint_num_gpus),
                      field("ttlSecondsAfterFinished", &self::ttl_seconds_after_finished),
                      field("shutdownAfterJobFinishes", &self::shutdown_after_job_finishes),
                      field("suspend", &self::suspend), field("deletionStrategy", &self::deletion_strategy));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const ray_job_spec&, const ray_job_spec&) = default;
};

struct ray_job_times {
    timestamp start_time, end_time;
    static constexpr auto kcontrol_fields() {
        return fields(field("startTime", &ray_job_times::start_time), field("endTime", &ray_job_times::end_time));
    }
    friend bool operator==(const ray_job_times&, const ray_job_times&) = default;
};

struct ray_job_status {
    ray_job_times ray_job_info;
    text job_id, ray_cluster_name, dashboard_url, job_status, job_deployment_status, reason, message;
    timestamp start_time, end_time;
    std::optional<std::int32_t> succeeded, failed;
    boxed<ray_operator::ray_cluster_status> ray_cluster_status;  ///< as it was when the rest was written
    std::int64_t observed_generation = 0;
    static constexpr auto kcontrol_fields() {
        using self = ray_job_status;
        return fields(field("rayJobInfo", &self::ray_job_info), field("jobId", &self::job_id),
                      field("rayClusterName", &self::ray_cluster_name), field("dashboardURL", &self::dashboard_url),
                      field("jobStatus", &self::job_status), field("jobDeploymentStatus", &self::job_deployment_status),
                      field("reason", &self::reason), field("message", &self::message),
                      field("startTime", &self::start_time), field("endTime", &self::end_time),
                      field("succeeded", &self::succeeded), field("failed", &self::failed),
                      field("rayClusterStatus", &self::ray_cluster_status),
                      field("observedGeneration", &self::observed_generation));
    }
    static constexpr auto kcontrol_rules() { return rules().preserve_unknown_fields(); }
    friend bool operator==(const ray_job_status&, const ray_job_status&) = default;
};

struct ray_job {
    static constexpr resource_name kcontrol_resource{"ray.io", "v1", "RayJob", "rayjobs"};
    object_meta metadata;
    ray_job_spec spec;
    ray_job_status status;

    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &ray_job::spec, rules().required()), field("status", &ray_job::status));
    }
    static constexpr auto kcontrol_crd() {
        return crd()
            .categories("all")
            .status()
            .column({"job status", path(&ray_job::status, &ray_job_status::job_status)})
            .column({"deployment status", path(&ray_job::status, &ray_job_status::job_deployment_status)})
            .column({"ray cluster name", path(&ray_job::status, &ray_job_status::ray_cluster_name)})
            .column({"age", "date", ".metadata.creationTimestamp"});
    }
    friend bool operator==(const ray_job&, const ray_job&) = default;
};

/// The cluster of a job as it is created: its specification is the job's, word for word.
struct new_ray_cluster {
    static constexpr resource_name kcontrol_resource{"ray.io", "v1", "RayCluster", "rayclusters"};
    object_meta metadata;
    raw_json spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &new_ray_cluster::spec)); }
};

}  // namespace ray_operator
