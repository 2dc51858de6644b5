#include "jobs/gpus.hpp"

#include <algorithm>

namespace training_monitor {

std::int64_t gpus_of(const gpu_requirements& resources) {
    if (resources.limits.gpu) return resources.limits.gpu->count;
    return resources.requests.gpu ? resources.requests.gpu->count : 0;
}

std::int64_t gpus_of(const gpu_pod_template& pod) {
    std::int64_t together = 0, largest_init = 0;
    for (const auto& container : pod.spec.containers) together += gpus_of(container.resources);
    for (const auto& container : pod.spec.init_containers) {
        largest_init = std::max(largest_init, gpus_of(container.resources));
    }
    return std::max(together, largest_init);
}

}  // namespace training_monitor
