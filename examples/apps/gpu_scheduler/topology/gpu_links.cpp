#include "topology/gpu_links.hpp"

#include <algorithm>
#include <cmath>

namespace gpu_scheduler {

cost_time link_costs::over(const link_cost& link, unsigned lanes) const {
    return cost_time(std::llround((link.per_mb / lanes * message_mb + link.fixed) * 1e6));
}

cost_time link_costs::between(unsigned nvlinks, std::string_view pcie_path) const {
    if (nvlinks > 0) return over(nvlink, nvlinks);
    for (const std::string_view near : {"INT", "PIX", "PXB", "PHB"}) {
        if (pcie_path == near) return over(pcie);
    }
    return over(pcie_path == "NODE" ? numa : socket);
}

cost_time gpu_links::least() const {
    auto out = cost_time::max();
    for (std::size_t a = 0; a < size_; ++a) {
        for (std::size_t b = a + 1; b < size_; ++b) out = std::min(out, cost(a, b));
    }
    return out;
}

std::size_t largest_group(const gpu_links& links, std::vector<std::size_t> gpus, cost_time bound) {
    std::size_t out = 0;
    while (!gpus.empty()) {
        std::vector<std::size_t> group{gpus.back()};
        gpus.pop_back();
        for (std::size_t i = 0; i < group.size(); ++i) {
            const auto far = [&](std::size_t gpu) { return links.cost(group[i], gpu) >= bound; };
            const auto near = std::partition(gpus.begin(), gpus.end(), far);
            group.insert(group.end(), near, gpus.end());
            gpus.erase(near, gpus.end());
        }
        out = std::max(out, group.size());
    }
    return out;
}

}  // namespace gpu_scheduler
