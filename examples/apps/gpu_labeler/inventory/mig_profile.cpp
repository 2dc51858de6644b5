#include "inventory/mig_profile.hpp"

#include <cmath>

namespace gpu_labeler {

std::string mig_profile_name(const nvml::attributes& parts, std::uint64_t gpu_memory_bytes) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const double total = static_cast<double>(gpu_memory_bytes);
    const double own = static_cast<double>(parts.memory_mib) * 1024.0 * 1024.0;
    const double eighths = total > 0 ? std::ceil(8 * own / total) : 0;
    const auto gigabytes = static_cast<std::uint64_t>(std::round(eighths / 8 * std::ceil(total / gib)));
    std::string name;
    if (parts.compute_slices != parts.gpu_slices) name += std::to_string(parts.compute_slices) + "c.";
    name += std::to_string(parts.gpu_slices) + "g." + std::to_string(gigabytes) + "gb";
    // A part of a GPU with the optical flow accelerator, of which there is one, is a profile with media extensions; the
    // whole has it anyway.
    if (parts.ofa_engines > 0 && eighths < 8) name += "+me";
    return name;
}

}  // namespace gpu_labeler
