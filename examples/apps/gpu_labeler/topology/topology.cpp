#include "topology/topology.hpp"

#include <kcontrol/json/members.hpp>

#include <algorithm>

namespace gpu_labeler {

std::string_view name_of(pcie_path path) noexcept {
    switch (path) {
    case pcie_path::same_board: return "INT";
    case pcie_path::one_switch: return "PIX";
    case pcie_path::switches: return "PXB";
    case pcie_path::host_bridge: return "PHB";
    case pcie_path::numa_node: return "NODE";
    case pcie_path::system: return "SYS";
    }
    return "";
}

unsigned nvlinks_between(const connected_gpu& a, const connected_gpu& b) {
    if (a.divided || b.divided) return 0;
    const auto to = [](const connected_gpu& from, const connected_gpu& other) {
        return static_cast<unsigned>(std::count(from.gpu_links.begin(), from.gpu_links.end(), other.bus_id));
    };
    // Both ends count the same links, unless one of them is being brought up.
    return std::min(to(a, b), to(b, a)) + std::min(a.switch_links, b.switch_links);
}

std::string topology_annotation(const topology& t) {
    kcontrol::json::writer out;
    out.begin_object();
    begin_array(out, "gpus");
    for (const auto& gpu : t.gpus) {
        out.begin_object();
        out.member("index", gpu.index);
        out.member("uuid", gpu.uuid);
        if (gpu.numa_node) out.member("numa", *gpu.numa_node);
        if (gpu.divided) out.member("mig", true);
        out.end_object();
    }
    out.end_array();
    begin_array(out, "nvlinks");
    for (const auto& row : t.nvlinks) {
        out.begin_array();
        for (const auto links : row) out.value(links);
        out.end_array();
    }
    out.end_array();
    begin_array(out, "pcie");
    for (std::size_t i = 0; i < t.paths.size(); ++i) {
        out.begin_array();
        for (std::size_t j = 0; j < t.paths[i].size(); ++j) {
            if (i == j) {
                out.value("X");
            } else if (t.paths[i][j]) {
                out.value(name_of(*t.paths[i][j]));
            } else {
                out.null();
            }
        }
        out.end_array();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace gpu_labeler
