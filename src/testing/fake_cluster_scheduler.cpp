// The scheduler and the nodes of a fake_cluster.
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"

#include <limits>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

json::object ready_condition_of_node(bool lost, const std::string& now) {
    json::object ready;
    ready["type"] = "Ready";
    ready["status"] = lost ? "Unknown" : "True";
    ready["reason"] = lost ? "NodeStatusUnknown" : "KubeletReady";
    ready["message"] = lost ? "Kubelet stopped posting node status." : "kubelet is posting ready status";
    ready["lastHeartbeatTime"] = ready["lastTransitionTime"] = now;
    return ready;
}

bool takes_pods(const json::value& node) {
    const json::value* closed = json::find(node, {"spec", "unschedulable"});
    if (closed != nullptr && *closed == true) return false;
    // A node that somebody made without a status is taken as well.
    const json::array conditions = array_at(node, {"status", "conditions"});
    return conditions.empty() || holds_condition(node, "Ready");
}

bool fits_node(const json::value& pod, const json::value& node) {
    for (const auto& wanted : object_at(pod, {"spec", "nodeSelector"})) {
        const json::value* label = json::find(node, {"metadata", "labels", wanted.key()});
        if (label == nullptr || *label != wanted.value()) return false;
    }
    return takes_pods(node);
}

}  // namespace

void fake_core::add_node(const std::string& name) {
    json::object metadata;
    metadata["name"] = name;
    metadata["labels"].emplace_object()["kubernetes.io/hostname"] = name;
    json::object node;
    node["apiVersion"] = "v1";
    node["kind"] = "Node";
    node["metadata"] = std::move(metadata);
    const auto made = api_.create(json::value(std::move(node)));
    if (!made) return;
    json::object room;
    room["cpu"] = "64";
    room["memory"] = "256Gi";
    room["pods"] = "110";
    json::object status;
    status["capacity"] = room;
    status["allocatable"] = std::move(room);
    status["conditions"] = json::array({ready_condition_of_node(false, now_text())});
    write_status(fake_nodes, *made, std::move(status));
}

void fake_core::set_lost(const std::string& name, bool lost) {
    if (lost ? !lost_nodes_.insert(name).second : lost_nodes_.erase(name) == 0) return;
    if (const auto node = api_.get(fake_nodes, {"", name})) {
        json::object status;
        status["conditions"] = json::array({ready_condition_of_node(lost, now_text())});
        write_status(fake_nodes, *node, std::move(status));
    }
    wake_pods(name);
}

std::string fake_core::choose_node(const json::value& pod) const {
    std::string chosen;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const auto& node : api_.list(fake_nodes)) {
        const std::string name = text_at(node, {"metadata", "name"});
        if (!fits_node(pod, node) || lost_nodes_.contains(name)) continue;
        std::size_t bound = 0;
        for (const auto& [uid, other] : pods_) bound += other.node == name ? 1U : 0U;
        if (bound < fewest) fewest = bound, chosen = name;
    }
    return chosen;
}

fake_core::again fake_core::schedule(const json::value& pod, pod_record& record) {
    json::array conditions = array_at(pod, {"status", "conditions"});
    std::string reason = "Unschedulable", why;
    std::string node;
    if (!array_at(pod, {"spec", "schedulingGates"}).empty()) {
        reason = "SchedulingGated";
        why = "Scheduling is blocked due to non-empty scheduling gates";
    } else if (record.behavior.unschedulable()) {
        why = *record.behavior.unschedulable();
    } else {
        node = choose_node(pod);
        if (node.empty()) why = "0/" + std::to_string(api_.list(fake_nodes).size()) + " nodes are available";
    }
    if (node.empty()) {
        put_condition(conditions, "PodScheduled", false, reason, why, now_text());
        json::object status;
        status["conditions"] = std::move(conditions);
        write_status(fake_pods, pod, std::move(status));
        return std::nullopt;
    }
    put_condition(conditions, "PodScheduled", true, {}, {}, now_text());
    json::object patch;
    patch["spec"].emplace_object()["nodeName"] = node;
    patch["status"].emplace_object()["conditions"] = std::move(conditions);
    static_cast<void>(api_.patch(fake_pods, record.key, json::value(std::move(patch)), "binding"));
    return std::nullopt;  // the change says that there is more to do
}

}  // namespace kcontrol::testing::detail
