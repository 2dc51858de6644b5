// What a HorizontalPodAutoscaler with its defaults would do, to compare with.
// Source: kubernetes 1.37, pkg/controller/podautoscaler: replica_calculator.go, horizontal.go.
#pragma once

#include "decide/decision.hpp"

#include <deque>
#include <utility>

namespace inference_autoscaler {

class hpa_policy {
public:
    /// Replicas that it sets: each rule is a metric and its threshold the target; `Mean` is a metric of pods, all else
    /// that of an object.
    std::int32_t decide(const inference_scaler_spec& spec, const std::vector<scaling_rule>& rules, const facts& now);

private:
    std::deque<std::pair<time_point, std::int32_t>> recommended_;  // of the last five minutes
};

}  // namespace inference_autoscaler
