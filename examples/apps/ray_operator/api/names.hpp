// What KubeRay calls things: labels, annotations, ports, and the names of what is made for a cluster.
// Source: KubeRay 1.5.0, ray-operator/controllers/ray/utils/constant.go and util.go.
#pragma once

#include <kcontrol/controllerutil/kueue.hpp>

#include "api/ray_cluster.hpp"

#include <algorithm>
#include <string>

namespace ray_operator {

inline constexpr const char* operator_name = "ray-operator";
inline constexpr const char* kuberay_version = "v1.5.0";  ///< the one whose pods ours are alike

inline constexpr const char* cluster_label = "ray.io/cluster";
inline constexpr const char* node_type_label = "ray.io/node-type";
inline constexpr const char* group_label = "ray.io/group";
inline constexpr const char* identifier_label = "ray.io/identifier";
inline constexpr const char* is_ray_node_label = "ray.io/is-ray-node";
inline constexpr const char* headless_label = "ray.io/headless-worker-svc";
inline constexpr const char* serve_label = "ray.io/serve";
inline constexpr const char* replica_name_label = "ray.io/worker-group-replica-name";
inline constexpr const char* replica_index_label = "ray.io/worker-group-replica-index";
inline constexpr const char* host_index_label = "ray.io/replica-host-index";
inline constexpr const char* origin_name_label = "ray.io/originated-from-cr-name";
inline constexpr const char* origin_kind_label = "ray.io/originated-from-crd";
inline constexpr const char* app_label = "app.kubernetes.io/name";
inline constexpr const char* created_by_label = "app.kubernetes.io/created-by";
inline constexpr const char* application_name = "kuberay";
inline constexpr const char* component_name = "kuberay-operator";
inline constexpr const char* head_group = "headgroup";

inline constexpr const char* fault_tolerance_annotation = "ray.io/ft-enabled";
inline constexpr const char* storage_namespace_annotation = "ray.io/external-storage-namespace";
inline constexpr const char* overwrite_command_annotation = "ray.io/overwrite-container-cmd";
inline constexpr const char* serve_annotation = "ray.io/enable-serve-service";
/// Of a pod: a digest of the template and the start parameters that it was made from. No annotation of KubeRay's.
inline constexpr const char* template_annotation = "ray.kcontrol.dev/template";
inline constexpr const char* job_finalizer = "ray.io/rayjob-finalizer";
inline constexpr const char* redis_finalizer = "ray.io/gcs-ft-redis-cleanup-finalizer";
/// Of a cluster whose replicas are groups of Kueue: their Workloads must go, too. None of KubeRay's.
inline constexpr const char* queue_finalizer = "ray.kcontrol.dev/queue";
inline constexpr const char* gang_label = "ray.io/gang-scheduling-enabled";

inline constexpr std::int32_t gcs_port = 6379, dashboard_port = 8265, client_port = 10001, metrics_port = 8080,
                              serve_port = 8000, agent_port = 52365;

/// Whether an annotation says "true", in whatever case.
inline bool says_true(const dict<text>& in, std::string_view key) {
    const text* found = in.get(key);
    std::string lower = found == nullptr ? std::string() : found->str();
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return lower == "true";
}
inline bool is_autoscaling(const ray_cluster_spec& spec) { return spec.enable_in_tree_autoscaling.value_or(false); }
inline bool is_fault_tolerant(const ray_cluster& c) {
    return says_true(c.metadata.annotations, fault_tolerance_annotation) || c.spec.gcs_fault_tolerance_options;
}

/// Whether it is the cluster of a RayJob.
inline bool is_of_job(const ray_cluster& c) {
    const text* origin = c.metadata.labels.get(origin_kind_label);
    return origin != nullptr && *origin == "RayJob";
}
/// Whether head and minReplicas are to start together or not at all. With Volcano always, as in KubeRay.
inline bool is_gang(const ray_cluster& c) {
    return c.metadata.labels.contains(gang_label) || c.spec.head_group_spec.template_.spec.scheduler_name == "volcano";
}
/// The queue of Kueue in which each replica of a cluster with an autoscaler waits by itself; null: there is none. Such
/// a cluster is never suspended for another size, and its head is outside of the queue, so that it is never given back
/// (Kueue #7569). Kueue suspends all others, and those of RayJobs with their job; it gates elastic ones itself.
inline const text* queue_of(const ray_cluster& c) {
    const bool elastic = c.metadata.annotations.contains("kueue.x-k8s.io/elastic-job");
    if (!is_autoscaling(c.spec) || is_of_job(c) || elastic) return nullptr;
    return c.metadata.labels.get(kueue::queue_label);
}

/// The last 50 characters, beginning with a letter: names that get "-head-" and five characters more.
inline std::string short_name(std::string s) {
    if (s.size() > 50) s.erase(0, s.size() - 50);
    if (!s.empty() && !(s[0] >= 'a' && s[0] <= 'z')) s[0] = 'r';
    return s;
}
/// The last 63 characters, beginning with no punctuation: a value of a label.
inline std::string short_label(std::string s) {
    if (s.size() > 63) s.erase(0, s.size() - 63);
    if (!s.empty() && (s[0] == '-' || s[0] == '.' || s[0] == '_')) s[0] = 'r';
    return s;
}
/// What the names of a cluster's pods begin with: "small-head-", "small-gpu-worker-".
inline std::string pod_prefix(const ray_cluster& c, std::string_view group, bool head) {
    std::string out = head ? c.metadata.name.str() : c.metadata.name + ("-" + std::string(group));
    return out.substr(0, 50) + (head ? "-head-" : "-worker-");
}
inline std::string head_service_name(const ray_cluster& c) {
    const auto& own = c.spec.head_group_spec.head_service;
    return own && !own->metadata.name.empty() ? own->metadata.name.str() : c.metadata.name + "-head-svc";
}
/// Where the head is reached: "small-head-svc.ml.svc.cluster.local".
inline std::string head_address(const ray_cluster& c) {
    return head_service_name(c) + "." + c.metadata.namespace_.str() + ".svc.cluster.local";
}

/// Five characters that follow from a text, of those that Kubernetes makes names of.
inline std::string name_suffix(std::string_view from) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : from) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    hash ^= hash >> 32U;
    std::string out;
    for (int i = 0; i < 5; ++i, hash /= 27) out += "bcdfghjklmnpqrstvwxz2456789"[hash % 27];
    return out;
}

}  // namespace ray_operator
