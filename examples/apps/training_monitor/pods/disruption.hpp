// A pod that the cluster itself ends: preempted, evicted, its node lost. Kubernetes says so in the condition
// DisruptionTarget: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
#pragma once

#include "pods/pod_row.hpp"

#include <string>

namespace training_monitor {

/// "preempted by a pod of higher priority (PreemptionByScheduler)"; empty if nothing disrupts it.
std::string disruption_text(const pod_row& pod);

/// It failed, or the cluster ended it before it could succeed.
bool has_failed(const pod_row& pod);

}  // namespace training_monitor
