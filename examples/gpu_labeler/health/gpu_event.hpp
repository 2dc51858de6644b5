// What NVML tells without being asked.
#pragma once

#include "nvml/session.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace gpu_labeler {

enum class gpu_event_kind {
    xid,
    memory_error,  ///< one that ECC can't correct, or poisoned memory that was used
    mig_changed,   ///< the GPU was divided otherwise: what there is must be asked again
    recovery,      ///< the driver asks for another recovery than before
    lost           ///< a GPU is not there any more; often nothing tells which
};

struct gpu_event {
    gpu_event_kind kind = gpu_event_kind::xid;
    std::optional<unsigned> index;
    std::string uuid;       ///< empty: of a GPU that is not told
    std::uint64_t xid = 0;  ///< where it is one; 999: the driver does not know the number
    std::optional<unsigned> gpu_instance;

    bool operator==(const gpu_event&) const = default;
};

/// Waits for events of all GPUs and calls `tell` for each, until `stop`, until another session wants NVML to start
/// anew, or until NVML fails; each wait is short. Answers the status that ended it, success for the first two.
int wait_for_events(nvml_session& session, const std::atomic<bool>& stop, const std::function<void(gpu_event)>& tell);

}  // namespace gpu_labeler
