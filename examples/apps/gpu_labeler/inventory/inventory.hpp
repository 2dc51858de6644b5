// What GPUs a node has, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpu_labeler {

/// A slice of a GPU that pods see as a device of its own.
struct mig_device {
    std::string uuid;
    std::string profile;  ///< as nvidia-smi names it: 1g.5gb, 1c.3g.20gb, 1g.5gb+me
    std::uint64_t memory_mib = 0;
    std::uint32_t multiprocessors = 0;
    std::uint32_t gpu_slices = 0;
    std::uint32_t compute_slices = 0;
    std::uint32_t copy_engines = 0;
    std::uint32_t decoders = 0;
    std::uint32_t encoders = 0;
    std::uint32_t jpeg_decoders = 0;
    std::uint32_t ofa_engines = 0;

    bool operator==(const mig_device&) const = default;
};

/// Compute capability.
struct compute_version {
    int major = 0;
    int minor = 0;

    bool operator==(const compute_version&) const = default;
};

/// Where in an NVLink fabric a GPU is.
struct fabric_place {
    std::string cluster;  ///< UUID
    std::uint32_t clique = 0;

    bool operator==(const fabric_place&) const = default;
};

struct gpu {
    unsigned index = 0;  ///< NVML's, which may be another one after a reboot
    std::string uuid;
    std::string name;
    std::uint64_t memory_bytes = 0;  ///< 0: the GPU has none of its own
    std::optional<compute_version> compute;
    std::string bus_id;  ///< domain:bus:device.function
    std::optional<std::uint32_t> pci_class;
    std::optional<bool> mig_enabled;  ///< nothing: it can't be divided
    std::vector<mig_device> migs;
    std::optional<fabric_place> fabric;

    bool operator==(const gpu&) const = default;
};

/// A GPU that is there and does not answer.
struct lost_gpu {
    unsigned index = 0;
    std::string why;

    bool operator==(const lost_gpu&) const = default;
};

struct inventory {
    std::string driver_version;       ///< X.Y or X.Y.Z
    std::optional<int> cuda_version;  ///< 1000 times major plus 10 times minor
    std::vector<gpu> gpus;            ///< by index
    std::vector<lost_gpu> lost;

    bool operator==(const inventory&) const = default;
};

}  // namespace gpu_labeler
