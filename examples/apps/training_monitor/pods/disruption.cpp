#include "pods/disruption.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> meanings{{
    {"PreemptionByScheduler", "preempted by a pod of higher priority"},
    {"DeletionByTaintManager", "its node is lost, or tainted so that the pod may not stay"},
    {"EvictionByEvictionAPI", "evicted by somebody, as when a node is drained"},
    {"DeletionByPodGC", "deleted, for its node is gone"},
    {"TerminationByKubelet", "ended by its node, which is short of something or shuts down"},
}};

}  // namespace

std::string disruption_text(const pod_row& pod) {
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
