// How the GPUs of a node are connected, as plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_labeler {

/// The way between two GPUs over PCIe, nearest first; named as by `nvidia-smi topo -m`.
enum class pcie_path {
    same_board,   ///< INT
    one_switch,   ///< PIX
    switches,     ///< PXB: several, without a host bridge
    host_bridge,  ///< PHB
    numa_node,    ///< NODE: several host bridges of one NUMA node
    system        ///< SYS: between NUMA nodes
};

std::string_view name_of(pcie_path path) noexcept;

/// What one GPU says about itself.
struct connected_gpu {
    unsigned index = 0;
    std::string uuid;
    std::string bus_id;
    std::optional<unsigned> numa_node;
    bool divided = false;                ///< by MIG, in which mode GPUs don't talk to each other
    std::vector<std::string> gpu_links;  ///< for each active NVLink to a GPU that one's bus_id
    unsigned switch_links = 0;           ///< active NVLinks to NVSwitches

    bool operator==(const connected_gpu&) const = default;
};

/// GPUs by index, and between the i-th and the j-th of them:
struct topology {
    std::vector<connected_gpu> gpus;
    std::vector<std::vector<unsigned>> nvlinks;
    std::vector<std::vector<std::optional<pcie_path>>> paths;  ///< nothing: not known

    bool operator==(const topology&) const = default;
};

/// How many NVLinks connect two GPUs: those from one to the other, and where both are at NVSwitches as many as the one
/// with fewer has, for a switch connects all with all. None where one of them is divided.
unsigned nvlinks_between(const connected_gpu& a, const connected_gpu& b);

/// The key of the annotation for schedulers.
inline constexpr std::string_view topology_annotation_key = "kcontrol.dev/gpu-topology";

/// Its value, compact JSON:
/// `{"gpus":[{"index":0,"uuid":"GPU-…","numa":0}…],"nvlinks":[[0,12…]…],"pcie":[["X","PXB"…]…]}`. `numa` is missing
/// where it is not known, `"mig":true` marks a GPU that is divided, and `null` in `pcie` is a way that is not known.
std::string topology_annotation(const topology& t);

}  // namespace gpu_labeler
