// Who uses NVML in this process.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <chrono>
#include <mutex>
#include <optional>

namespace gpu_labeler {

/// NVML counts who initialised it and starts anew only when all have shut it down. So who finds its handles stale asks
/// the others here to release it, and nobody begins again before they did; but one that hangs is not waited for.
///
/// Thread-safety: shared objects safe.
class nvml_users {
public:
    /// Called before NVML is initialised; not allowed (false) while a restart waits for others.
    bool enter(kcontrol::time_point now) {
        const std::lock_guard lock(mutex_);
        if (wanted_ && users_ > 0 && now - *wanted_ < patience) return false;
        wanted_.reset();
        ++users_;
        return true;
    }

    /// Called after NVML was shut down.
    void leave() {
        const std::lock_guard lock(mutex_);
        if (--users_ == 0) wanted_.reset();
    }

    void want_restart(kcontrol::time_point now) {
        const std::lock_guard lock(mutex_);
        wanted_ = now;
    }

    bool restart_is_wanted() const {
        const std::lock_guard lock(mutex_);
        return wanted_.has_value();
    }

    /// Whether one session at most uses NVML.
    bool is_alone() const {
        const std::lock_guard lock(mutex_);
        return users_ <= 1;
    }

private:
    static constexpr auto patience = std::chrono::seconds(10);

    mutable std::mutex mutex_;
    int users_ = 0;
    std::optional<kcontrol::time_point> wanted_;
};

}  // namespace gpu_labeler
