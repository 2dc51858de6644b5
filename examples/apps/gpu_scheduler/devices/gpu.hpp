// The GPUs of a node, whatever told of them.
#pragma once

#include "topology/gpu_links.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// A GPU.
struct gpu {
    std::string uuid;
    unsigned index = 0;
    std::int64_t memory_mib = 0;   ///< 0: not known
    int cores = 100;               ///< per cent of its time that shares may take together
    int most_shares = 1;           ///< how many shares it takes at most
    std::optional<unsigned> numa;  ///< its NUMA node
    bool is_divided = false;       ///< in MIG mode: slices only
    bool is_healthy = true;

    friend bool operator==(const gpu&, const gpu&) = default;
};

/// What told of the GPUs. It decides what a node takes.
enum class device_source {
    none,         ///< no GPUs
    hami,         ///< hami.io/node-nvidia-register: whole GPUs, shares
    topology,     ///< kcontrol.dev/gpu-topology: whole GPUs, slices of divided ones
    allocatable,  ///< nvidia.com/gpu: whole GPUs, whose names are made up
    claims,       ///< ResourceSlices: ResourceClaims alone
};

/// The GPUs of a node, by index.
struct node_devices {
    device_source source = device_source::none;
    std::string product;  ///< "NVIDIA-A100-SXM4-40GB"; may be empty
    std::vector<gpu> gpus;
    std::optional<gpu_links> links;  ///< between all of `gpus`

    friend bool operator==(const node_devices&, const node_devices&) = default;
};

}  // namespace gpu_scheduler
