// The columns of pods, whose Status is a word about all of their containers.
#pragma once

#include "testserver/cell_parts.hpp"

namespace kcontrol::inline v0_1::testing::detail {

/// What is said of a pod's containers so far.
class pod_summary {
public:
    std::string reason;
    std::int64_t ready = 0, total = 0, restarts = 0;
    std::string last_restart;  ///< a timestamp

    void count_restarts(const json::value& container) {
        restarts += number_in(container, {"restartCount"});
        last_restart = std::max(last_restart, text_in(container, {"lastState", "terminated", "finishedAt"}));
    }
};

inline bool restarts_beside(const json::value& pod, std::string_view init_container) {
    for (const auto& one : list_in(pod, {"spec", "initContainers"})) {
        if (json::get_string(one, {"name"}) == init_container) {
            return json::get_string(one, {"restartPolicy"}) == "Always";
        }
    }
    return false;
}

// "OOMKilled", "Signal:9", "ExitCode:1".
inline std::string end_of_container(const json::value& terminated) {
    const std::string reason = text_in(terminated, {"reason"});
    if (!reason.empty()) return reason;
    const std::int64_t signal = number_in(terminated, {"signal"});
    if (signal != 0) return "Signal:" + std::to_string(signal);
    return "ExitCode:" + std::to_string(number_in(terminated, {"exitCode"}));
}

// Init containers, up to the first that is not done. `beside`: restarts of those that run on beside the others. Whether
// the pod is still being initialised.
inline bool sum_up_init(const json::value& pod, pod_summary& sum, pod_summary& beside) {
    std::size_t index = 0;
    for (const auto& container : list_in(pod, {"status", "initContainerStatuses"})) {
        const bool sidecar = restarts_beside(pod, json::get_string(container, {"name"}));
        sum.count_restarts(container);
        if (sidecar) beside.count_restarts(container);
        const std::size_t place = index++;
        const json::value& ended = value_in(container, {"state", "terminated"});
        if (ended.is_object() && number_in(ended, {"exitCode"}) == 0) continue;
        if (sidecar && flag_in(container, {"started"})) {
            sum.ready += flag_in(container, {"ready"}) ? 1 : 0;
            continue;
        }
        const std::string waits = text_in(container, {"state", "waiting", "reason"});
        if (ended.is_object()) {
            sum.reason = "Init:" + end_of_container(ended);
        } else if (!waits.empty() && waits != "PodInitializing") {
            sum.reason = "Init:" + waits;
        } else {
            sum.reason =
                "Init:" + std::to_string(place) + "/" + std::to_string(list_in(pod, {"spec", "initContainers"}).size());
        }
        return true;
    }
    return false;
}

inline void sum_up_containers(const json::value& pod, pod_summary& sum) {
    bool runs = false;
    std::string failed;
    const json::array& all = list_in(pod, {"status", "containerStatuses"});
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
        sum.count_restarts(*it);
        const std::string waits = text_in(*it, {"state", "waiting", "reason"});
        const json::value& ended = value_in(*it, {"state", "terminated"});
        if (!waits.empty()) {
            sum.reason = waits;
        } else if (ended.is_object()) {
            sum.reason = end_of_container(ended);
            if (number_in(ended, {"exitCode"}) != 0) failed = sum.reason;
        } else if (flag_in(*it, {"ready"}) && value_in(*it, {"state", "running"}).is_object()) {
            runs = true;
            ++sum.ready;
        }
    }
    if (sum.reason != "Completed") return;
    if (runs && state_of_condition(pod, "Ready") == "True") {
        sum.reason = "Running";
    } else if (!failed.empty()) {
        sum.reason = failed;
    } else if (runs) {
        sum.reason = "NotReady";
    }
}

inline pod_summary sum_up_pod(const json::value& pod) {
    pod_summary sum, beside;
    const std::string phase = text_in(pod, {"status", "phase"});
    sum.reason = text_in(pod, {"status", "reason"}, phase);
    for (const auto& one : list_in(pod, {"status", "conditions"})) {
        const bool gated = json::get_string(one, {"reason"}) == "SchedulingGated";
        if (gated && json::get_string(one, {"type"}) == "PodScheduled") sum.reason = "SchedulingGated";
    }
    sum.total = static_cast<std::int64_t>(list_in(pod, {"spec", "containers"}).size());
    for (const auto& one : list_in(pod, {"spec", "initContainers"})) {
        if (json::get_string(one, {"restartPolicy"}) == "Always") ++sum.total;
    }
    const bool initialising = sum_up_init(pod, sum, beside);
    if (!initialising || state_of_condition(pod, "Initialized") == "True") {
        sum.restarts = beside.restarts;
        sum.last_restart = beside.last_restart;
        sum_up_containers(pod, sum);
    }
    const bool leaves = json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
    if (leaves && json::get_string(pod, {"status", "reason"}) == "NodeLost") {
        sum.reason = "Unknown";
    } else if (leaves && phase != "Succeeded" && phase != "Failed") {
        sum.reason = "Terminating";
    }
    return sum;
}

inline std::string readiness_gates(const json::value& pod) {
    const json::array& gates = list_in(pod, {"spec", "readinessGates"});
    if (gates.empty()) return "<none>";
    std::int64_t open = 0;
    for (const auto& gate : gates) {
        if (state_of_condition(pod, json::get_string(gate, {"conditionType"})) == "True") ++open;
    }
    return quotient(open, static_cast<std::int64_t>(gates.size()));
}

inline json::array pod_cells(const json::value& pod, wall_time now) {
    const pod_summary sum = sum_up_pod(pod);
    std::string restarts = std::to_string(sum.restarts);
    if (sum.restarts != 0 && !sum.last_restart.empty()) restarts += " (" + age_text(sum.last_restart, now) + " ago)";
    const json::array& addresses = list_in(pod, {"status", "podIPs"});
    return {name_in(pod),
            quotient(sum.ready, sum.total),
            sum.reason,
            restarts,
            age_of(pod, now),
            addresses.empty() ? "<none>" : text_in(addresses.front(), {"ip"}, "<none>"),
            text_in(pod, {"spec", "nodeName"}, "<none>"),
            text_in(pod, {"status", "nominatedNodeName"}, "<none>"),
            readiness_gates(pod)};
}

}  // namespace kcontrol::testing::detail
