#pragma once

#include <kcontrol/client/detail/blocking_loop.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL std::optional<error> blocking_loop::refuse_nested() {
    if (!context_.get_executor().running_in_this_thread()) return std::nullopt;
    return error(
        errc::invalid_argument,
        "a blocking call inside of a call on the same client would wait for itself: await the client of underlying() "
        "there instead");
}

KCONTROL_DECL void blocking_loop::finished(std::atomic<bool>& done) {
    {
        // Under the lock, so that who has just looked does not miss it.
        const std::lock_guard lock(mutex_);
        done = true;
    }
    changed_.notify_all();
}

// What a handler throws ends that handler, whose call ends as one that nothing brings to an end.
inline std::size_t blocking_loop::run_one() {
    try {
        return context_.run_one();
    } catch (...) {
        return 1;
    }
}

KCONTROL_DECL std::optional<error> blocking_loop::drive(const std::atomic<bool>& done) {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return done || !driven_; });
        if (done) return std::nullopt;
        driven_ = true;
        lock.unlock();
        std::size_t ran = 1;
        context_.restart();
        while (!done && ran > 0) ran = run_one();
        lock.lock();
        driven_ = false;
        changed_.notify_all();
        if (done) return std::nullopt;
        // Another thread may have added work meanwhile, but none that this call waits for.
        if (ran == 0) return error(errc::unavailable, "the call waits for something that nothing brings");
    }
}

}  // namespace kcontrol::detail
