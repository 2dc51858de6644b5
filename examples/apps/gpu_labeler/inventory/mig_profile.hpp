// The names of MIG profiles.
#pragma once

#include "nvml/abi.hpp"

#include <cstdint>
#include <string>

namespace gpu_labeler {

/// The profile of a MIG device as nvidia-smi names it: `1g.5gb`, `1c.3g.20gb`, `1g.5gb+me`. NVML has no such name; it
/// follows from the slices and the share of the GPU's memory in eighths.
std::string mig_profile_name(const nvml::attributes& parts, std::uint64_t gpu_memory_bytes);

}  // namespace gpu_labeler
