#include "control/target_pod.hpp"

#include "api/validation.hpp"

#include <algorithm>

namespace inference_autoscaler {
namespace {

constexpr std::int32_t load_seconds = 600;  // without warmUp: what is not ready after so long has failed

bool restarts_again_and_again(const target_pod& pod) {
    return std::ranges::any_of(pod.status.container_statuses, [](const auto& c) {
        return c.state.waiting &&
               (c.state.waiting->reason == "CrashLoopBackOff" || c.state.waiting->reason == "ImagePullBackOff");
    });
}

const api::core::v1::pod_condition* unschedulable(const target_pod& pod) {
    const auto* placed = find_condition(pod.status.conditions, "PodScheduled");
    return placed != nullptr && placed->status == "False" && placed->reason == "Unschedulable" ? placed : nullptr;
}

}  // namespace

bool has_gate(const target_pod& pod) {
    return std::ranges::any_of(pod.spec.readiness_gates,
                               [](const auto& gate) { return gate.condition_type == warm_condition; });
}

bool is_ready(const target_pod& pod) {
    return !pod.metadata.deletion_timestamp && is_true(pod.status.conditions, "Ready");
}

void count_pods(const target_pods& pods, const inference_scaler_spec& spec, wall_time now, facts& into) {
    const auto most = std::chrono::seconds(spec.warm_up ? spec.warm_up->timeout_seconds : load_seconds);
    const auto overdue = std::chrono::seconds(spec.capacity ? spec.capacity->give_back_seconds : 0);
    for (const auto& pod : pods) {
        if (pod->metadata.deletion_timestamp) continue;
        if (const auto* waits = unschedulable(*pod)) {
            ++into.unplaced;
            if (now - waits->last_transition_time.value() >= overdue) ++into.overdue;
            into.words = waits->message;
            continue;
        }
        if (is_ready(*pod)) {
            ++into.warm;
            continue;
        }
        const auto* placed = find_condition(pod->status.conditions, "PodScheduled");
        const auto since = placed != nullptr && placed->status == "True" ? placed->last_transition_time
                                                                         : pod->metadata.creation_timestamp;
        const bool ended = pod->status.phase == "Failed" || pod->status.phase == "Succeeded";
        if (ended || restarts_again_and_again(*pod) || now - since.value() > most) ++into.failed;
    }
}

}  // namespace inference_autoscaler
