// How many GPUs a pod asks for.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

/// Limits count; where there are none, requests do (they are equal where both are, for extended resources).
std::int64_t gpus_of(const gpu_requirements& resources);

/// What the scheduler reserves: all containers together, or the largest init container if that is more.
std::int64_t gpus_of(const std::vector<gpu_container>& containers, const std::vector<gpu_container>& init_containers);
inline std::int64_t gpus_of(const gpu_pod_template& pod) {
    return gpus_of(pod.spec.containers, pod.spec.init_containers);
}

/// Those of so many pods. The numbers come from whoever can make a job: the result is between 0 and 1,000,000,000.
std::int64_t gpus_of_pods(std::int64_t pods, std::int64_t each);

/// Two such results together, within the same bounds.
std::int64_t gpus_together(std::int64_t a, std::int64_t b);

}  // namespace training_monitor
