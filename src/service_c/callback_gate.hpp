// Between the loop and a callback of the program: after it is closed none is called, and none runs any more.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace kcontrol::inline v0_1::service_c {

/// Thread-safety: shared objects safe.
class callback_gate {
public:
    /// Calls `callback` unless the gate is closed. Called on the client's loop, so never twice at a time.
    template <class Callback>
    void call(Callback&& callback) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return;
            running_ = std::this_thread::get_id();
        }
        // A C function; an exception of a C++ program ends with the program, as it does in a C library's callback.
        [&]() noexcept { callback(); }();
        {
            const std::lock_guard lock(mutex_);
            running_ = {};
        }
        left_.notify_all();
    }

    /// Whether the calling thread is in the callback.
    bool runs_here() const {
        const std::lock_guard lock(mutex_);
        return running_ == std::this_thread::get_id();
    }

    /// Returns when no callback runs; none will.
    void close() {
        std::unique_lock lock(mutex_);
        closed_ = true;
        left_.wait(lock, [&] { return running_ == std::thread::id() || running_ == std::this_thread::get_id(); });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable left_;
    std::thread::id running_;
    bool closed_ = false;
};

}  // namespace kcontrol::service_c
