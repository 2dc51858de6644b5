#pragma once

#include <kcontrol/scheduling/detail/scheduler_metrics.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <tuple>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

inline std::vector<double> exponential_buckets(double first, double factor, int count) {
    std::vector<double> out;
    for (; count > 0; --count, first *= factor) out.push_back(first);
    return out;
}

inline const char* attempt_result(decision_result result) noexcept {
    switch (result) {
    case decision_result::scheduled: return "scheduled";
    case decision_result::unschedulable: return "unschedulable";
    case decision_result::error: break;
    }
    return "error";
}

inline const char* answered_code(status_code code) noexcept {
    switch (code) {
    case status_code::success: return "Success";
    case status_code::error: return "Error";
    case status_code::unschedulable: return "Unschedulable";
    case status_code::unschedulable_and_unresolvable: return "UnschedulableAndUnresolvable";
    case status_code::wait: return "Wait";
    case status_code::skip: return "Skip";
    case status_code::pending: break;
    }
    return "Pending";
}

inline double in_seconds(duration d) { return std::chrono::duration<double>(d).count(); }

KCONTROL_DECL scheduler_metrics::scheduler_metrics(environment& env, metrics_registry& to)
    : env_(env),
      to_(to),
      victims_(to.histogram("scheduler_preemption_victims", "Pods that make room for another one",
                            exponential_buckets(1, 2, 7))) {}

KCONTROL_DECL void scheduler_metrics::attempted(std::string_view profile, decision_result result, duration took) {
    const std::pair key(std::string(profile), result);
    auto found = attempts_.find(key);
    if (found == attempts_.end()) {
        const metric_labels labels{{"result", attempt_result(result)}, {"profile", key.first}};
        of_attempts made{to_.counter("scheduler_schedule_attempts_total", "Decisions about pods", labels),
                         to_.histogram("scheduler_scheduling_attempt_duration_seconds", "How long a decision took",
                                       exponential_buckets(0.001, 2, 15), labels)};
        found = attempts_.emplace(key, std::move(made)).first;
    }
    found->second.count.increment();
    found->second.took.observe(in_seconds(took));
}

KCONTROL_DECL void scheduler_metrics::bound(std::uint32_t attempts, duration waited) {
    // As kube-scheduler: up to 15 attempts each have a series of their own.
    attempts = std::min(attempts, 16U);
    auto found = waits_.find(attempts);
    if (found == waits_.end()) {
        const metric_labels labels{{"attempts", attempts > 15 ? "16+" : std::to_string(attempts)}};
        found = waits_
                    .emplace(attempts, to_.histogram("scheduler_pod_scheduling_sli_duration_seconds",
                                                     "From the queue to the binding, decisions that failed included",
                                                     exponential_buckets(0.01, 2, 20), labels))
                    .first;
    }
    found->second.observe(in_seconds(waited));
}

KCONTROL_DECL void scheduler_metrics::preempted(std::size_t victims) { victims_.observe(static_cast<double>(victims)); }

KCONTROL_DECL std::int64_t scheduler_metrics::now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(env_.now().time_since_epoch()).count();
}

KCONTROL_DECL void scheduler_metrics::called(std::string_view plugin, plugin_point point, status_code answer,
                                             std::int64_t took) noexcept {
    try {
        const std::tuple key(plugin.data(), point, answer);
        auto found = plugins_.find(key);
        if (found == plugins_.end()) {
            const metric_labels labels{{"plugin", std::string(plugin)},
                                       {"extension_point", std::string(name_of(point))},
                                       {"status", answered_code(answer)}};
            found = plugins_
                        .emplace(key, to_.histogram("scheduler_plugin_execution_duration_seconds",
                                                    "How long a call of a plugin took",
                                                    exponential_buckets(0.00001, 1.5, 20), labels))
                        .first;
        }
        found->second.observe(static_cast<double>(took) * 1e-9);
    } catch (const std::bad_alloc&) {  // a call that is not counted
    }
}

}  // namespace kcontrol::scheduling::detail
