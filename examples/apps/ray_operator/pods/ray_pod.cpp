#include "pods/ray_pod.hpp"

#include <kcontrol/controllerutil/pods.hpp>

#include "api/names.hpp"
#include "pods/start_command.hpp"

namespace ray_operator {
namespace {

using namespace api::core::v1;

constexpr std::int32_t probe_timeout = 2, head_probe_timeout = 5, readiness_failures = 10, liveness_failures = 120;

std::string label_path(std::string_view label) { return "metadata.labels['" + std::string(label) + "']"; }
void set_amounts(container& of, const char* cpu, const char* memory) {
    for (auto* amounts : {&of.resources.limits, &of.resources.requests}) {
        (*amounts)["cpu"] = quantity_text(cpu);
        (*amounts)["memory"] = quantity_text(memory);
    }
}

void set_labels(const ray_cluster& c, std::string_view group, bool head, const dict<text>& group_labels, pod& to) {
    const std::string type = head ? "head" : "worker";
    const dict<text> given = to.metadata.labels;
    to.metadata.labels = {{is_ray_node_label, "yes"},
                          {cluster_label, c.metadata.name},
                          {node_type_label, type},
                          {group_label, text(group)},
                          {identifier_label, short_label(c.metadata.name.str() + "-" + type)},
                          {app_label, application_name},
                          {created_by_label, component_name}};
    for (const auto* from : {&given, &group_labels}) {
        for (const auto& [key, value] : *from) {
            if (key == node_type_label || key == group_label || key == cluster_label) continue;
            to.metadata.labels[key] = value;
        }
    }
}

void complete_parameters(dict<text>& params, const ray_cluster& c, bool head) {
    const auto set_default = [&params](const char* key, const std::string& value) { params.emplace(key, text(value)); };
    const text* port = c.spec.head_group_spec.ray_start_params.get("port");
    const std::string head_port = port == nullptr ? std::to_string(gcs_port) : port->str();
    if (head) set_default("dashboard-host", "0.0.0.0");
    if (!head) set_default("address", head_address(c) + ":" + head_port);
    set_default("metrics-export-port", std::to_string(metrics_port));
    set_default("dashboard-agent-listen-port", std::to_string(agent_port));
    params["block"] = "true";
}

container autoscaler_container(const ray_cluster& c, const container& ray) {
    container out;
    out.name = "autoscaler";
    out.image = ray.image;
    out.image_pull_policy = "IfNotPresent";
    set_field_variable(out.env, "RAY_CLUSTER_NAME", label_path(cluster_label));
    set_field_variable(out.env, "RAY_CLUSTER_NAMESPACE", "metadata.namespace");
    set_field_variable(out.env, "RAY_HEAD_POD_NAME", "metadata.name");
    set_variable(out.env, "KUBERAY_CRD_VER", "v1");
    out.command = shell_command();
    out.args = {
        "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace "
        "$(RAY_CLUSTER_NAMESPACE)"};
    set_amounts(out, "500m", "512Mi");
    const auto& options = c.spec.autoscaler_options;
    if (options->resources) out.resources = *options->resources;
    if (!options->image.empty()) out.image = options->image;
    if (!options->image_pull_policy.empty()) out.image_pull_policy = options->image_pull_policy;
    for (const auto& each : options->env) out.env.push_back(each);
    for (const auto& each : options->env_from) out.env_from.push_back(each);
    for (const auto& each : options->volume_mounts) out.volume_mounts.push_back(each);
    if (options->security_context) out.security_context = security_context(*options->security_context);
    return out;
}

void add_credential(container& to, const char* name, const redis_credential& from) {
    auto& added = to.env.emplace_back();
    added.name = name;
    added.value = from.value;
    if (from.value_from) added.value_from = env_var_source(*from.value_from);
}

void set_fault_tolerance(const ray_cluster& c, bool head, dict<text>& params, pod& to) {
    const bool enabled = is_fault_tolerant(c);
    if (head) to.metadata.annotations[fault_tolerance_annotation] = enabled ? "true" : "false";
    if (!enabled) return;
    container& ray = to.spec.containers[0];
    if (!head) return set_default_variable(ray.env, "RAY_gcs_rpc_server_reconnect_timeout_s", "600");
    const auto& options = c.spec.gcs_fault_tolerance_options;
    text storage = c.metadata.uid;
    if (const text* given = c.metadata.annotations.get(storage_namespace_annotation)) storage = *given;
    if (!options->external_storage_namespace.empty()) storage = options->external_storage_namespace;
    to.metadata.annotations[storage_namespace_annotation] = storage;
    set_default_variable(ray.env, "RAY_external_storage_namespace", storage);
    if (options) {
        set_variable(ray.env, "RAY_REDIS_ADDRESS", options->redis_address);
        if (options->redis_username) {
            params["redis-username"] = "$REDIS_USERNAME";
            add_credential(ray, "REDIS_USERNAME", *options->redis_username);
        }
        if (options->redis_password) {
            params["redis-password"] = "$REDIS_PASSWORD";
            add_credential(ray, "REDIS_PASSWORD", *options->redis_password);
        }
    } else if (const text* password = params.get("redis-password")) {
        set_default_variable(ray.env, "REDIS_PASSWORD", *password);
    }
}

container wait_container(const ray_cluster& c, const container& ray, const std::string& port) {
    const std::string check = "ray health-check --address " + head_address(c) + ":" + port;
    container out;
    out.name = "wait-gcs-ready";
    out.image = ray.image;
    out.image_pull_policy = ray.image_pull_policy;
    out.command = shell_command();
    out.args = {"SECONDS=0\nuntil " + check +
                " > /tmp/wait-gcs-ready 2>&1; do\n"
                "  echo \"$SECONDS seconds elapsed: waiting for the GCS of the head.\"\n"
                "  if (( SECONDS > 120 )); then cat /tmp/wait-gcs-ready; fi\n"
                "  sleep 5\ndone\necho \"The GCS is ready.\"\n"};
    out.security_context = ray.security_context;
    out.env = ray.env;
    out.volume_mounts = ray.volume_mounts;
    set_amounts(out, "200m", "256Mi");
    return out;
}

void add_empty_dir(pod& to, std::size_t at, const char* name, const char* path, bool in_memory) {
    container& c = to.spec.containers[at];
    if (std::ranges::any_of(c.volume_mounts, [&](const volume_mount& m) { return m.mount_path == path; })) return;
    if (std::ranges::none_of(to.spec.volumes, [&](const volume& v) { return v.name == name; })) {
        auto& added = to.spec.volumes.emplace_back();
        added.name = name;
        auto& dir = added.empty_dir.edit();
        const auto* limit = c.resources.limits.get("memory");
        if (limit == nullptr) limit = c.resources.requests.get("memory");
        if (in_memory) dir.medium = "Memory";
        if (in_memory && limit != nullptr) dir.size_limit = *limit;
    }
    auto& mount = c.volume_mounts.emplace_back();
    mount.name = name;
    mount.mount_path = path;
}

void set_command(pod& to, const std::string& start) {
    container& ray = to.spec.containers[0];
    std::string own;
    for (const auto* words : {&ray.command, &ray.args}) {
        for (const text& word : *words) own += " " + word.str() + " ";
    }
    const bool stays = says_true(to.metadata.annotations, overwrite_command_annotation);
    if (stays || own.find("ray start") != std::string::npos) return;
    ray.command = shell_command();
    ray.args = {(own.empty() ? "" : own + " && ") + "ulimit -n 65536; " + start};
}

void set_variables(const ray_cluster& c, bool head, const std::string& port, const std::string& start, pod& to) {
    const std::string address = head_address(c), service = address.substr(0, address.find('.'));
    for (container& each : to.spec.init_containers) {
        set_variable(each.env, "FQ_RAY_IP", address);
        set_variable(each.env, "RAY_IP", service);
    }
    container& ray = to.spec.containers[0];
    if (!head) {
        set_variable(ray.env, "FQ_RAY_IP", address);
        set_variable(ray.env, "RAY_IP", service);
    }
    set_field_variable(ray.env, "RAY_CLUSTER_NAME", label_path(cluster_label));
    set_field_variable(ray.env, "RAY_CLOUD_INSTANCE_ID", "metadata.name");
    set_field_variable(ray.env, "RAY_NODE_TYPE_NAME", label_path(group_label));
    set_variable(ray.env, "KUBERAY_GEN_RAY_START_CMD", start);
    set_default_variable(ray.env, "RAY_PORT", port);
    set_default_variable(ray.env, "RAY_ADDRESS", (head ? "127.0.0.1" : address) + ":" + port);
    set_default_variable(ray.env, "RAY_USAGE_STATS_KUBERAY_IN_USE", "1");
    if (head)
        set_variable(ray.env, "RAY_USAGE_STATS_EXTRA_TAGS",
                     std::string("kuberay_version=") + kuberay_version +
                         ";kuberay_crd=" + (is_of_job(c) ? "RayJob" : "RayCluster"));
    set_default_variable(ray.env, "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1");
}

void set_probes(bool head, container& ray) {
    const auto asked = [](int seconds, int port, const char* path) {
        return "wget --tries 1 -T " + std::to_string(seconds) + " -q -O- http://localhost:" + std::to_string(port) +
               "/" + path + " | grep success";
    };
    std::string command = asked(probe_timeout, agent_port, "api/local_raylet_healthz");
    if (head) command += " && " + asked(readiness_failures, dashboard_port, "api/gcs_healthz");
    const auto make = [&](std::int32_t delay, std::int32_t failures) {
        probe out;
        out.exec.edit().command = {"bash", "-c", text(command)};
        out.initial_delay_seconds = delay;
        out.timeout_seconds = head ? head_probe_timeout : probe_timeout;
        out.period_seconds = 5;
        out.success_threshold = 1;
        out.failure_threshold = failures;
        return out;
    };
    if (!ray.liveness_probe) ray.liveness_probe = make(30, liveness_failures);
    if (!ray.readiness_probe) ray.readiness_probe = make(10, readiness_failures);
}

// What heads and workers have in common. `params` are complete but for what follows from the limits.
void finish(const ray_cluster& c, bool head, const dict<text>& params, pod& to) {
    container& ray = to.spec.containers[0];
    if (port_of(ray, "metrics", -1) == -1) {
        auto& added = ray.ports.emplace_back();
        added.name = "metrics";
        added.container_port = metrics_port;
    }
    add_empty_dir(to, 0, "shared-mem", "/dev/shm", true);
    if (head && is_autoscaling(c.spec)) {
        add_empty_dir(to, 0, "ray-logs", "/tmp/ray", false);
        add_empty_dir(to, to.spec.containers.size() - 1, "ray-logs", "/tmp/ray", false);
    }
    const std::string start = start_command(head, params, to.spec.containers[0].resources);
    set_command(to, start);
    const text* port = c.spec.head_group_spec.ray_start_params.get("port");
    set_variables(c, head, port == nullptr ? std::to_string(gcs_port) : port->str(), start, to);
    set_probes(head, to.spec.containers[0]);
}

template <class Group>
pod begin(const ray_cluster& c, const Group& from, std::string name) {
    pod out;
    out.metadata.generate_name = name.substr(0, name.rfind('-') + 1);  // KubeRay's have one
    out.metadata.labels = from.template_.metadata.labels;
    out.metadata.annotations = from.template_.metadata.annotations;
    out.metadata.name = name;
    out.metadata.namespace_ = c.metadata.namespace_;
    out.spec = from.template_.spec;
    if (says_true(c.metadata.annotations, overwrite_command_annotation))
        out.metadata.annotations[overwrite_command_annotation] = "true";
    out.metadata.annotations[template_annotation] = template_digest(from.template_, from.ray_start_params);
    return out;
}

}  // namespace

list<text> shell_command(std::string_view options) { return {"/bin/bash", text(options), "--"}; }

std::int32_t port_of(const container& in, std::string_view name, std::int32_t otherwise) {
    for (const container_port& each : in.ports) {
        if (each.name == name) return each.container_port;
    }
    return otherwise;
}

std::string template_digest(const pod_template& from, const dict<text>& ray_start_params) {
    std::string all = to_json(static_cast<const pod_template_spec&>(from));
    for (const auto& [key, value] : ray_start_params) all += "\n" + key.str() + "=" + value.str();
    return name_suffix(all) + name_suffix(all + "\n");
}

pod make_head_pod(const ray_cluster& c, std::string name) {
    const auto& group = c.spec.head_group_spec;
    pod out = begin(c, group, std::move(name));
    dict<text> params = group_parameters(group.ray_start_params, group.resources, group.labels);
    set_labels(c, head_group, true, group.labels, out);
    complete_parameters(params, c, true);
    if (is_autoscaling(c.spec)) {
        params["no-monitor"] = "true";
        const text& account = group.template_.spec.service_account_name;
        out.spec.service_account_name = short_name(account.empty() ? c.metadata.name.str() : account.str());
        out.spec.containers.push_back(autoscaler_container(c, out.spec.containers[0]));
        if (c.spec.autoscaler_options->version == "v2") {
            set_variable(out.spec.containers[0].env, "RAY_enable_autoscaler_v2", "true");
            out.spec.restart_policy = "Never";
        }
    }
    set_fault_tolerance(c, true, params, out);
    finish(c, true, params, out);
    return out;
}

pod make_worker_pod(const ray_cluster& c, const worker_group_spec& group, std::string name,
                    const replica_place& place) {
    pod out = begin(c, group, std::move(name));
    const text* port = c.spec.head_group_spec.ray_start_params.get("port");
    out.spec.init_containers.push_back(
        wait_container(c, out.spec.containers[0], port == nullptr ? std::to_string(gcs_port) : port->str()));
    dict<text> params = group_parameters(group.ray_start_params, group.resources, group.labels);
    set_labels(c, group.group_name, false, group.labels, out);
    if (!place.name.empty()) {
        out.metadata.labels[replica_name_label] = place.name;
        out.metadata.labels[replica_index_label] = std::to_string(place.index);
        out.metadata.labels[host_index_label] = std::to_string(place.host);
    }
    complete_parameters(params, c, false);
    set_fault_tolerance(c, false, params, out);
    if (is_autoscaling(c.spec) && c.spec.autoscaler_options->version == "v2") out.spec.restart_policy = "Never";
    finish(c, false, params, out);
    if (const text* queue = queue_of(c)) {
        if (place.name.empty()) kueue::join_queue(*queue, out);
        if (!place.name.empty()) kueue::join_group(*queue, place.name, *group.num_of_hosts, out);
    }
    return out;
}

}  // namespace ray_operator
