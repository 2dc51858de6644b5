// How many GPUs a pod asks for.
#pragma once

#include "jobs/kinds.hpp"

namespace training_monitor {

/// Limits count; where there are none, requests do (they are equal where both are, for extended resources).
std::int64_t gpus_of(const gpu_requirements& resources);

/// What the scheduler reserves: all containers together, or the largest init container if that is more.
std::int64_t gpus_of(const gpu_pod_template& pod);

}  // namespace training_monitor
