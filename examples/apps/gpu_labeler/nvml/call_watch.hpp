// Which NVML call a thread is in, and since when: for those who must not wait for it for ever.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <mutex>
#include <optional>
#include <string>

namespace gpu_labeler::nvml {

/// A call goes down into the driver, and a sick driver does not come back. So one thread asks, and another looks here.
///
/// Thread-safety: shared objects safe.
class call_watch {
public:
    struct call {
        std::string name;
        std::optional<unsigned> gpu;  // that it is about, as far as the asking thread said
        kcontrol::time_point since;
    };

    explicit call_watch(const kcontrol::environment& env) : env_(env) {}

    /// Marks a call for as long as it lives.
    class mark {
    public:
        mark(call_watch& watch, const char* name) : watch_(watch) { watch_.set(name); }
        ~mark() { watch_.set(nullptr); }
        mark(const mark&) = delete;
        mark& operator=(const mark&) = delete;

    private:
        call_watch& watch_;
    };

    /// The call that lasts, or nothing.
    std::optional<call> current() const {
        const std::lock_guard lock(mutex_);
        if (name_ == nullptr) return std::nullopt;
        return call{name_, gpu_, since_};
    }

    /// What the following calls are about: a GPU, or nothing in particular.
    void about(std::optional<unsigned> gpu) {
        const std::lock_guard lock(mutex_);
        gpu_ = gpu;
    }

private:
    void set(const char* name) {
        const std::lock_guard lock(mutex_);
        name_ = name;
        since_ = env_.now();
    }

    const kcontrol::environment& env_;
    mutable std::mutex mutex_;
    const char* name_ = nullptr;
    std::optional<unsigned> gpu_;
    kcontrol::time_point since_{};
};

}  // namespace gpu_labeler::nvml
