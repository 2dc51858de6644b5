// What NVML reports without being asked.
#pragma once

#include "nvml/session.hpp"

#include <functional>
#include <optional>
#include <string>

namespace gpu_labeler {

enum class gpu_event_kind {
    xid,
    memory_error,  ///< one that ECC can't correct, or poisoned memory that was used
    mig_changed,   ///< the GPU was divided otherwise: what there is must be asked again
    recovery,      ///< the driver asks for another recovery than before
    lost,          ///< a GPU is not there any more; often nothing says which
    // What only the watch itself reports:
    released,  ///< it is over for now, as NVML is to be started anew; who else uses NVML does well to ask it now
    unwatched  ///< for a while nobody waited, so that events of that time are not known; it is over
};

struct gpu_event {
    gpu_event_kind kind = gpu_event_kind::xid;
    std::optional<unsigned> index;
    std::string uuid;       ///< empty: of a GPU that is not named
    std::uint64_t xid = 0;  ///< where it is one; 999: the driver does not know the number
    std::optional<unsigned> gpu_instance;
    kcontrol::duration lasted{};  ///< of unwatched

    bool operator==(const gpu_event&) const = default;
};

/// Who waits for events.
class event_listener {
public:
    virtual ~event_listener() = default;

    /// Nobody wants to be notified any more.
    virtual bool is_over() const = 0;
    /// There was a notify() for each event up to now. Comes for the first time once GPUs are watched, and then after
    /// each wait.
    virtual void watching() = 0;
    virtual void notify(gpu_event event) = 0;
};

/// Waits for events of all GPUs until the listener is over, until another session wants NVML to start anew, or until
/// NVML fails; each wait is short. Answers the status that ended it, success for the first two.
int wait_for_events(nvml_session& session, event_listener& listener);

}  // namespace gpu_labeler
