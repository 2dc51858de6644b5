// What a pod requests of GPUs.
#pragma once

#include <kcontrol/api/core/v1.hpp>

#include "messages.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// What one container requests.
struct container_request {
    int gpus = 0;                     ///< whole ones, or so many shares
    bool is_share = false;            ///< of each GPU a part
    std::int64_t memory_mib = 0;      ///< of a share; 0: memory_percent holds
    int memory_percent = 0;           ///< of a share, of the memory of its GPU
    int cores = 0;                    ///< of a share: per cent; 0: no limit
    std::vector<std::string> slices;  ///< the profile of each slice, sorted

    friend bool operator==(const container_request&, const container_request&) = default;
};

/// What the containers of a pod request, in their order.
struct gpu_request {
    std::vector<container_request> containers;  ///< those that request GPUs

    bool empty() const noexcept { return containers.empty(); }  ///< no container requests GPUs
    friend bool operator==(const gpu_request&, const gpu_request&) = default;
};

/// Whether read_request() counts that resource: GPUs or slices.
inline bool is_requested_gpu(std::string_view resource) {
    return resource == "nvidia.com/gpu" || resource.starts_with("nvidia.com/mig-");
}

/// Reads it from limits and requests: nvidia.com/gpu, gpumem (MiB), gpumem-percentage, gpucores, and mig-PROFILE.
/// Sidecars (init containers with restartPolicy Always) count as containers; other init containers may request as many
/// whole GPUs as the containers have. Errors: the field, its value and what is expected.
result<gpu_request> read_request(const kcontrol::api::core::v1::pod& pod);

}  // namespace gpu_scheduler
