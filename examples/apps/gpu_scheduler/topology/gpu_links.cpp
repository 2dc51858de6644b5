#include "topology/gpu_links.hpp"

#include <cmath>

namespace gpu_scheduler {

cost_time link_costs::between(unsigned nvlinks, std::string_view pcie_path) const {
    const auto take = [this](const link_cost& link, unsigned lanes) {
        return cost_time(std::llround((link.per_mb / lanes * message_mb + link.fixed) * 1e6));
    };
    if (nvlinks > 0) return take(nvlink, nvlinks);
    for (const std::string_view near : {"INT", "PIX", "PXB", "PHB"}) {
        if (pcie_path == near) return take(pcie, 1);
    }
    return take(pcie_path == "NODE" ? numa : socket, 1);
}

}  // namespace gpu_scheduler
