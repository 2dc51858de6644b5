#include "jobs/gpus.hpp"

#include <algorithm>

namespace training_monitor {
namespace {

constexpr std::int64_t most_gpus = 1'000'000'000;  // no cluster has as many; sums over all jobs don't overflow

}  // namespace

std::int64_t gpus_of(const gpu_requirements& resources) {
    if (resources.limits.gpu) return resources.limits.gpu->count;
    return resources.requests.gpu ? resources.requests.gpu->count : 0;
}

std::int64_t gpus_of(const std::vector<gpu_container>& containers, const std::vector<gpu_container>& init_containers) {
    std::int64_t together = 0, largest_init = 0;
    for (const auto& container : containers) together = gpus_together(together, gpus_of(container.resources));
    for (const auto& container : init_containers) {
        largest_init = std::max(largest_init, gpus_of(container.resources));
    }
    return std::max(together, largest_init);
}

std::int64_t gpus_of_pods(std::int64_t pods, std::int64_t each) {
    if (pods <= 0 || each <= 0) return 0;
    return pods > most_gpus / each ? most_gpus : pods * each;
}

std::int64_t gpus_together(std::int64_t a, std::int64_t b) { return std::min(a + b, most_gpus); }

}  // namespace training_monitor
