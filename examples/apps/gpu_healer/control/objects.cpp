#include "control/objects.hpp"

#include <algorithm>
#include <tuple>

namespace gpu_healer {
namespace {

std::optional<seen_condition> seen_of(const healed_node& node, std::string_view type) {
    const auto* found = find_condition(node.status.conditions, type);
    if (found == nullptr) return std::nullopt;
    return seen_condition{found->status, found->reason, found->message, found->last_transition_time.value()};
}

bool has_gpu(const drained_pod& pod) {
    if (!pod.spec.resource_claims.empty()) return true;
    return std::ranges::any_of(pod.spec.containers, [](const drained_container& c) {
        return std::ranges::any_of(c.resources.limits,
                                   [](const auto& each) { return each.first.view().starts_with("nvidia.com/"); });
    });
}

}  // namespace

std::optional<std::size_t> place_of(const healed_node& node, const node_taint& taint) {
    std::size_t at = 0;
    for (const auto& each : node.spec.taints) {
        if (each.key == taint.key && each.value == taint.value && each.effect == taint.effect) return at;
        ++at;
    }
    return std::nullopt;
}

node_view view_of(const healed_node& node, const node_repair& of, const healing_policy_spec* policy) {
    node_view out;
    out.uid = node.metadata.uid;
    out.unschedulable = node.spec.unschedulable;
    if (const auto ready = seen_of(node, "Ready")) {
        out.ready = ready->status == "True";
        out.ready_since = ready->since;
    }
    if (of.spec.trigger) out.fault = seen_of(node, of.spec.trigger->type);
    if (policy != nullptr) {
        if (const auto by = healthy_condition_of(*policy, of.spec.trigger)) out.healthy = seen_of(node, by->type);
    }
    out.tainted = of.status.taint && place_of(node, *of.status.taint);
    out.hold = annotation_of(node.metadata, hold_annotation);
    out.exempt = annotation_of(node.metadata, exempt_annotation) == "true";
    return out;
}

std::string annotation_of(const object_meta& meta, std::string_view name) {
    const text* found = meta.annotations.get(name);
    return found == nullptr ? std::string() : found->str();
}

bool changes_matter(const healed_node& before, const healed_node& after) {
    const auto same = [](const auto& a, const auto& b) {
        return a.type == b.type && a.status == b.status && a.reason == b.reason &&
               a.last_transition_time == b.last_transition_time;
    };
    return before.metadata.uid != after.metadata.uid || before.metadata.labels != after.metadata.labels ||
           before.metadata.annotations != after.metadata.annotations || before.spec != after.spec ||
           !std::ranges::equal(before.status.conditions, after.status.conditions, same);
}

bool is_drained(const drained_pod& pod, bool all) {
    if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return false;
    if (pod.metadata.annotations.get("kubernetes.io/config.mirror") != nullptr) return false;
    const auto by_daemon_set = [](const owner_reference& owner) { return owner.kind == "DaemonSet"; };
    if (std::ranges::any_of(pod.metadata.owner_references, by_daemon_set)) return false;
    return all || has_gpu(pod);
}

}  // namespace gpu_healer
