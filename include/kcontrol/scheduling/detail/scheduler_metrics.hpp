// scheduler_metrics: what a scheduler counts, under kube-scheduler's names.
#pragma once

#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/scheduling/decision.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

/// Source: https://kubernetes.io/docs/reference/instrumentation/metrics/
///
/// Thread-safety: shared objects unsafe. Object lifetime: environment and registry outlive it.
class scheduler_metrics final : public plugin_observer {
public:
    KCONTROL_DECL scheduler_metrics(environment& env, metrics_registry& to);

    /// A pod was decided about.
    KCONTROL_DECL void attempted(std::string_view profile, decision_result result, duration took);
    /// A pod is bound, so long after it came into the queue.
    KCONTROL_DECL void bound(std::uint32_t attempts, duration waited);
    KCONTROL_DECL void preempted(std::size_t victims);  ///< so many pods make room for another one

    std::int64_t now() noexcept override;
    void called(std::string_view plugin, plugin_point point, status_code answer, std::int64_t took) noexcept override;

private:
    struct of_attempts {
        metric_counter count;
        metric_histogram took;
    };

    environment& env_;
    metrics_registry& to_;
    std::map<std::pair<std::string, decision_result>, of_attempts, std::less<>> attempts_;
    std::map<std::uint32_t, metric_histogram> waits_;
    metric_histogram victims_;
    // By the address of the plugin's name, which is a constant.
    std::map<std::tuple<const char*, plugin_point, status_code>, metric_histogram> plugins_;
};

}  // namespace kcontrol::scheduling::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/scheduler_metrics.ipp>
#endif
