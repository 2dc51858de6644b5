#include "pods/disruption.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> meanings{{
    {"PreemptionByScheduler", "preempted by a pod of higher priority"},
    {"EvictionByEvictionAPI", "evicted by somebody, as when a node is drained"},
    {"DeletionByPodGC", "deleted, for its node is gone"},
}};

}  // namespace

std::string disruption_text(const pod_row& pod) {
    if (pod.disrupted_reason == "DeletionByTaintManager") {
        return (pod.node.empty() ? std::string("node") : "node " + pod.node) + " not ready (NoExecute taint)";
    }
    if (pod.disrupted_reason == "TerminationByKubelet") {
        constexpr std::string_view low = "low on resource: ";
        const std::string& text = pod.message.empty() ? pod.disrupted_message : pod.message;
        const auto at = text.find(low);
        if (at == std::string::npos) return "evicted by the node";
        const auto begin = at + low.size();
        return "evicted by the node: low on " + text.substr(begin, text.find('.', begin) - begin);
    }
    for (const auto& [reason, meaning] : meanings) {
        if (pod.disrupted_reason == reason) return std::string(meaning) + " (" + pod.disrupted_reason + ")";
    }
    return pod.disrupted_reason;
}

bool has_failed(const pod_row& pod) {
    if (pod.failed || pod.phase == "Failed") return true;
    return !pod.disrupted_reason.empty() && pod.phase != "Succeeded";
}

}  // namespace training_monitor
