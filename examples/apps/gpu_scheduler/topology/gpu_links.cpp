#include "topology/gpu_links.hpp"

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

}  // namespace gpu_scheduler
