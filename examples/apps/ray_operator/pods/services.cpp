#include "pods/services.hpp"

#include <kcontrol/controllerutil/pods.hpp>

#include "api/names.hpp"
#include "pods/ray_pod.hpp"

#include <map>

namespace ray_operator {
namespace {

using namespace api::core::v1;

// By name, as KubeRay has them: those of the head's container, or all of Ray's.
std::map<std::string, std::int32_t> ports_of(const ray_cluster& c) {
    std::map<std::string, std::int32_t> out;
    for (const container_port& each : c.spec.head_group_spec.template_.spec.containers[0].ports) {
        out[each.name.empty() ? std::to_string(each.container_port) + "-port" : each.name.str()] = each.container_port;
    }
    if (out.empty())
        out = {{"client", client_port}, {"gcs-server", gcs_port}, {"dashboard", dashboard_port}, {"serve", serve_port}};
    out.emplace("metrics", metrics_port);
    return out;
}

object_meta autoscaler_meta(const ray_cluster& c, std::string name) {
    object_meta out;
    out.name = short_name(std::move(name));
    out.namespace_ = c.metadata.namespace_;
    out.labels = {{cluster_label, c.metadata.name}, {app_label, application_name}, {created_by_label, component_name}};
    return out;
}

std::string account_of(const ray_cluster& c) {
    const text& given = c.spec.head_group_spec.template_.spec.service_account_name;
    return given.empty() ? c.metadata.name.str() : given.str();
}

api::rbac::v1::policy_rule rule(const char* group, const char* resource, list<text> verbs) {
    api::rbac::v1::policy_rule out;
    out.api_groups = {text(group)};
    out.resources = {text(resource)};
    out.verbs = std::move(verbs);
    return out;
}

}  // namespace

service make_head_service(const ray_cluster& c) {
    const auto& group = c.spec.head_group_spec;
    const text* app = group.template_.metadata.labels.get(app_label);
    const dict<text> selector = {{cluster_label, c.metadata.name},
                                 {node_type_label, "head"},
                                 {identifier_label, short_label(c.metadata.name + "-head")},
                                 {app_label, app == nullptr ? text(application_name) : *app},
                                 {created_by_label, component_name}};
    service out;
    const bool own = group.head_service.present();
    if (own) {
        out.metadata.labels = group.head_service->metadata.labels;
        out.metadata.annotations = group.head_service->metadata.annotations;
        out.spec = group.head_service->spec;
    }
    out.metadata.name = head_service_name(c);
    out.metadata.namespace_ = c.metadata.namespace_;
    for (const auto& [key, value] : selector) out.metadata.labels[key] = value;
    for (const auto& [key, value] : c.spec.head_service_annotations) out.metadata.annotations[key] = value;
    out.spec.selector = selector;
    for (const auto& [name, number] : ports_of(c)) {
        auto& port = out.spec.ports.emplace_back();
        port.name = name;
        port.port = number;
        port.app_protocol = "tcp";
    }
    if (out.spec.type.empty()) out.spec.type = group.service_type;
    if (!own && (group.service_type.empty() || group.service_type == "ClusterIP")) {
        out.spec.cluster_ip = "None";
        out.spec.publish_not_ready_addresses = true;
    }
    return out;
}

service make_headless_service(const ray_cluster& c) {
    service out;
    out.metadata.name = c.metadata.name + "-headless";
    out.metadata.namespace_ = c.metadata.namespace_;
    out.metadata.labels[headless_label] = c.metadata.name;
    out.spec.cluster_ip = "None";
    out.spec.type = "ClusterIP";
    out.spec.publish_not_ready_addresses = true;
    out.spec.selector = {{cluster_label, c.metadata.name}, {node_type_label, "worker"}};
    return out;
}

bool serves(const ray_cluster& c) {
    const text* asked = c.metadata.annotations.get(serve_annotation);
    return asked != nullptr && *asked == "true" && ports_of(c).contains("serve");
}

service make_serve_service(const ray_cluster& c) {
    service out;
    out.metadata.name = c.metadata.name + "-serve-svc";
    out.metadata.namespace_ = c.metadata.namespace_;
    out.metadata.labels = {{origin_name_label, c.metadata.name},
                           {origin_kind_label, "RayCluster"},
                           {serve_label, c.metadata.name + "-serve"}};
    out.spec.selector = {{cluster_label, c.metadata.name}};
    out.spec.type = c.spec.head_group_spec.service_type;
    auto& port = out.spec.ports.emplace_back();
    port.name = "serve";
    port.port = ports_of(c).at("serve");
    return out;
}

service_account make_autoscaler_account(const ray_cluster& c) {
    service_account out;
    out.metadata = autoscaler_meta(c, account_of(c));
    return out;
}

api::rbac::v1::role make_autoscaler_role(const ray_cluster& c) {
    api::rbac::v1::role out;
    out.metadata = autoscaler_meta(c, c.metadata.name);
    out.rules = {rule("", "pods", {"get", "list", "watch", "patch"}), rule("", "pods/resize", {"patch"}),
                 rule("ray.io", "rayclusters", {"get", "patch"})};
    return out;
}

api::rbac::v1::role_binding make_autoscaler_binding(const ray_cluster& c) {
    api::rbac::v1::role_binding out;
    out.metadata = autoscaler_meta(c, c.metadata.name);
    auto& subject = out.subjects.emplace_back();
    subject.kind = "ServiceAccount";
    subject.name = short_name(account_of(c));
    subject.namespace_ = c.metadata.namespace_;
    out.role_ref.api_group = "rbac.authorization.k8s.io";
    out.role_ref.kind = "Role";
    out.role_ref.name = short_name(c.metadata.name);
    return out;
}

std::string redis_cleanup_name(const ray_cluster& c) { return short_label(c.metadata.name + "-redis-cleanup"); }

api::batch::v1::job make_redis_cleanup(const ray_cluster& c) {
    auto pod = make_head_pod(c, {});
    pod.metadata.labels[node_type_label] = "redis-cleanup";
    pod.metadata.labels[created_by_label] = component_name;  // by which it is watched
    container& ray = pod.spec.containers[0];
    ray.command = shell_command();
    const std::string user = std::ranges::any_of(ray.env, [](const env_var& v) { return v.name == "REDIS_USERNAME"; })
                                 ? "username=os.getenv('REDIS_USERNAME', at.username), "
                                 : "";
    ray.args = {
        "python -c \"import os, sys; from urllib.parse import urlparse; "
        "from ray._private.gcs_utils import cleanup_redis_storage; "
        "given = os.getenv('RAY_REDIS_ADDRESS', '').split(',')[0]; "
        "at = urlparse(given if '://' in given else 'redis://' + given); "
        "sys.exit(0 if cleanup_redis_storage(host=at.hostname, port=at.port, " +
        user +
        "password=os.getenv('REDIS_PASSWORD', at.password or ''), use_ssl=at.scheme == 'rediss', "
        "storage_namespace=os.getenv('RAY_external_storage_namespace')) else 1)\""};
    ray.liveness_probe.reset();
    ray.readiness_probe.reset();
    set_variable(ray.env, "RAY_redis_db_connect_retries", "120");
    set_variable(ray.env, "RAY_redis_db_connect_wait_milliseconds", "500");
    ray.resources = {};
    for (auto* amounts : {&ray.resources.limits, &ray.resources.requests})
        *amounts = {{"cpu", quantity_text("200m")}, {"memory", quantity_text("256Mi")}};
    pod.spec.containers.erase(pod.spec.containers.begin() + 1, pod.spec.containers.end());
    pod.spec.restart_policy = "Never";
    api::batch::v1::job out;
    out.metadata.name = redis_cleanup_name(c);
    out.metadata.namespace_ = c.metadata.namespace_;
    out.metadata.labels = pod.metadata.labels;
    out.metadata.annotations = pod.metadata.annotations;
    out.spec.backoff_limit = 0;
    out.spec.active_deadline_seconds = 300;
    out.spec.template_.metadata.labels = pod.metadata.labels;
    out.spec.template_.metadata.annotations = pod.metadata.annotations;
    out.spec.template_.spec = std::move(pod.spec);
    return out;
}

bool has_several_hosts(const ray_cluster& c) {
    return std::ranges::any_of(c.spec.worker_group_specs,
                               [](const worker_group_spec& g) { return g.num_of_hosts.value_or(1) > 1; });
}

}  // namespace ray_operator
