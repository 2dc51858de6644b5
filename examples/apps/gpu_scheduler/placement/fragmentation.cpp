#include "placement/fragmentation.hpp"

#include <algorithm>
#include <cmath>

namespace gpu_scheduler {
namespace {

// Thousandths of a GPU for a thousandth of a core. From 0.01 to 0.1 the allocation of the openb trace differs by less
// than 0.1 %.
constexpr double charge_for_cpu = 0.03;

}  // namespace

fragmentation::fragmentation(const std::vector<usual_pod>& pods, std::string_view product) {
    double all = 0, cpu = 0, gpu = 0;
    for (const auto& pod : pods) {
        all += pod.weight;
        if (pod.what.gpus == 0) continue;
        cpu += pod.weight * static_cast<double>(pod.what.cpu_milli);
        gpu += pod.weight * pod.what.gpus * pod.what.milli;
    }
    if (gpu > 0) cpu_per_gpu_ = cpu / gpu;
    for (const auto& pod : pods) {
        if (pod.what.gpus == 0) continue;
        if (takes_product(pod.products, product)) {
            tasks_.push_back({pod.what.cpu_milli, pod.what.gpus, pod.what.milli, pod.weight / all});
        } else {
            without_ += pod.weight / all;
        }
    }
}

double fragmentation::of(const room& free) const {
    const auto total = static_cast<double>(free_milli(free));
    double sum = without_ * total;
    for (const auto& each : tasks_) {
        int able = 0, lost = 0;
        for (const int gpu : free.gpus) gpu >= each.milli ? ++able : lost += gpu;
        const bool fits = free.cpu_milli >= each.cpu_milli && able >= each.gpus;
        sum += each.weight * (fits ? lost : total);
    }
    return sum;
}

double fragmentation::stranded_cpu(const room& free) const {
    return std::max(0.0, static_cast<double>(free.cpu_milli) - cpu_per_gpu_ * static_cast<double>(free_milli(free)));
}

std::int64_t fragmentation::growth(const room& before, const room& after) const {
    return std::llround(of(after) - of(before) + charge_for_cpu * (stranded_cpu(after) - stranded_cpu(before)));
}

}  // namespace gpu_scheduler
