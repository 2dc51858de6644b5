#include "decide/facts.hpp"

#include <kcontrol/controllerutil/pods.hpp>

#include "api/names.hpp"

#include <charconv>

namespace ray_operator {
namespace {

std::string label_of(const ray_pod& pod, const char* label) {
    const text* found = pod.metadata.labels.get(label);
    return found == nullptr ? std::string() : found->str();
}
std::int32_t number_of(const std::string& digits) {
    std::int32_t out = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
}

// Of the container of Ray, which is the first; the statuses have any order.
std::string end_of(const ray_pod& pod) {
    const text& phase = pod.status.phase;
    if (phase == "Failed" || phase == "Succeeded")
        return "its phase is " + phase.str() + (pod.status.reason.empty() ? "" : " (" + pod.status.reason.str() + ")");
    if (phase != "Running" || pod.spec.restart_policy != "Never" || pod.spec.containers.empty()) return {};
    for (const auto& each : pod.status.container_statuses) {
        if (each.name != pod.spec.containers[0].name || !each.state.terminated) continue;
        return "the container of Ray ended with code " + std::to_string(each.state.terminated->exit_code);
    }
    return {};
}

}  // namespace

pod_fact read_pod(const ray_pod& pod, const ray_node* node) {
    pod_fact out;
    out.name = pod.metadata.name;
    out.uid = pod.metadata.uid;
    out.group = label_of(pod, group_label);
    out.head = label_of(pod, node_type_label) == "head";
    out.created = pod.metadata.creation_timestamp.value();
    out.running = out.started = pod.status.phase == "Running";
    out.ended = end_of(pod);
    if (!out.ended.empty()) out.started = true;
    if (pod.metadata.deletion_timestamp) out.deletion = pod.metadata.deletion_timestamp.value();
    out.place = {label_of(pod, replica_name_label), number_of(label_of(pod, replica_index_label)),
                 number_of(label_of(pod, host_index_label))};
    if (const text* digest = pod.metadata.annotations.get(template_annotation)) out.digest = *digest;
    out.ip = pod.status.pod_ip;
    const auto* ready = find_condition(pod.status.conditions, "Ready");
    out.ready = out.running && (ready == nullptr || ready->status == "True");
    if (ready != nullptr) {
        out.ready_status = ready->status;
        out.ready_reason = ready->reason;
        out.ready_message = ready->message;
    }
    const auto* scheduled = find_condition(pod.status.conditions, "PodScheduled");
    if (pod.spec.node_name.empty() && scheduled != nullptr && scheduled->status == "False") {
        out.waits = reason_text(scheduled->reason, scheduled->message, 200);
        out.waits_since = scheduled->last_transition_time.value();
    }
    out.queued = pod.metadata.labels.contains(kueue::queue_label) && !pod.spec.scheduling_gates.empty();
    out.queue_group = label_of(pod, kueue::group_label);
    if (!pod.spec.node_name.empty() && node == nullptr) out.lost_at = wall_time();
    if (node != nullptr) {
        if (const auto since = unready_since(*node)) out.lost_at = *since + node_grace;
    }
    return out;
}

std::optional<wall_time> unready_since(const ray_node& node) {
    const auto* ready = find_condition(node.status.conditions, "Ready");
    if (ready == nullptr || ready->status == "True") return std::nullopt;
    return ready->last_transition_time.value();
}

batch_job_fact read_job(const api::batch::v1::job& from) {
    batch_job_fact out;
    out.leaving = from.metadata.deletion_timestamp.present();
    for (const auto& each : from.status.conditions) {
        if (each.status != "True" || (each.type != "Failed" && each.type != "Complete")) continue;
        out.failed = each.type == "Failed";
        out.reason = each.reason;
        out.message = each.message;
        out.finished = each.last_transition_time.value();
    }
    return out;
}

service_fact read_service(const api::core::v1::service& from) {
    service_fact out;
    out.name = from.metadata.name;
    out.cluster_ip = from.spec.cluster_ip;
    for (const auto& port : from.spec.ports) {
        if (port.name.empty()) continue;
        std::string to = std::to_string(port.port);
        if (port.target_port) {
            to = port.target_port->is_string() ? std::string(port.target_port->as_string())
                                               : std::to_string(port.target_port->as_int());
        }
        if (port.node_port.value_or(0) != 0) to = std::to_string(*port.node_port);
        out.endpoints[port.name] = to;
    }
    return out;
}

}  // namespace ray_operator
