// Asks NVML how the GPUs are connected.
#pragma once

#include <kcontrol/base/result.hpp>

#include "nvml/session.hpp"
#include "topology/topology.hpp"

namespace gpu_labeler {

/// How the GPUs that answer are connected now. Errors: as read_inventory.
kcontrol::result<topology> read_topology(nvml_session& session);

/// The path that a level of NVML's means, or nothing for a level that is not known.
std::optional<pcie_path> path_of(unsigned level) noexcept;

}  // namespace gpu_labeler
