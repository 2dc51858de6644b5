// How an informer calls a handler: on which executor, how far it may lag behind, and what it is told then.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// How a handler is called. A function without an executor of its own is called by the informer itself, at once, with
/// every version, and the informer goes on when it returns; such a handler is never behind, and what is said below of
/// queues is not about it. All others have a queue.
class handler_options {
public:
    /// Where it is called, one event after another; any executor, also one of other threads. What it notifies of then
    /// may be older than what the informer's store shows. Empty, the default: the informer's.
    handler_options& run_on(executor e) { return executor_ = std::move(e), *this; }

    /// Tells the handler each version that the server sent, in order. The default tells a handler that is behind the
    /// newest state of an object, as a change from the one that it was told last.
    handler_options& every_version(bool on = true) { return every_version_ = on, *this; }

    /// How many events may wait for a handler of every_version(). When so many do, the watch of its informer waits,
    /// and says so, until half of them have been told; a list is queued whole. Default 1024, at least 1. Any other
    /// handler's queue holds two events an object at most.
    handler_options& queue_bound(std::size_t n) { return queue_bound_ = n > 0 ? n : 1, *this; }

    /// It gets every object again so often, as `updated` with the same object twice and `resync` set; nothing is asked
    /// of the server. A handler of every_version() whose queue is full is passed over that time. Default: never.
    handler_options& resync_period(duration d) { return resync_period_ = d, *this; }

    /// What metrics, status and log call it. Default: nothing.
    handler_options& named(std::string n) { return name_ = std::move(n), *this; }

    const executor& run_on() const noexcept { return executor_; }
    /// What every_version() was given; default false.
    bool wants_every_version() const noexcept { return every_version_; }
    std::size_t queue_bound() const noexcept { return queue_bound_; }
    duration resync_period() const noexcept { return resync_period_; }
    const std::string& name() const noexcept { return name_; }  ///< what named() was given; empty: nothing

private:
    executor executor_;
    std::string name_;
    std::size_t queue_bound_ = 1024;
    duration resync_period_{};
    bool every_version_ = false;
};

}  // namespace kcontrol
