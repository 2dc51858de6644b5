// Reads the GPUs of a node from what its annotations, labels and allocatable amounts say.
#pragma once

#include <kcontrol/api/core/v1.hpp>

#include "devices/gpu.hpp"
#include "messages.hpp"
#include "topology/gpu_links.hpp"

#include <string_view>

namespace gpu_scheduler {

inline constexpr std::string_view hami_annotation = "hami.io/node-nvidia-register";
inline constexpr std::string_view topology_annotation = "kcontrol.dev/gpu-topology";
inline constexpr std::string_view product_label = "nvidia.com/gpu.product";
inline constexpr std::string_view memory_label = "nvidia.com/gpu.memory";
inline constexpr std::string_view gpu_resource = "nvidia.com/gpu";

/// The GPUs of a node by the first source that it has. Errors: the annotation, label or amount, the field and its
/// value.
result<node_devices> read_devices(const kcontrol::api::core::v1::node& node, const link_costs& costs);

/// The value of hami_annotation: a JSON array, or `UUID,COUNT,MEM,CORE,TYPE,NUMA,HEALTH:` for each GPU. Errors: field
/// and value. GPUs of MIG mode take nothing here: HAMi's plugin divides them by itself.
result<node_devices> read_hami(std::string_view text);

/// The value of topology_annotation; `memory_mib` is that of each GPU. Errors: field and value.
result<node_devices> read_topology(std::string_view text, std::int64_t memory_mib, const link_costs& costs);

}  // namespace gpu_scheduler
