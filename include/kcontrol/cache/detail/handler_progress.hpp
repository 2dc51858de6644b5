// How far a subscribed handler is: what its subscription is asked.
#pragma once

#include <kcontrol/cache/detail/handler_lane.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <memory>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: belongs to the informer's executor.
struct handler_progress {
    environment* env = nullptr;
    std::shared_ptr<handler_lane> lane;                    // null of a handler without a queue
    bool synced = false;                                   // it has been told all of the first list
    bool ended = false;                                    // subscription or informer is gone
    async_event changed;                                   // one of these, or the lane is idle
    std::vector<std::shared_ptr<handler_progress>> parts;  // of several subscriptions as one
};

}  // namespace kcontrol::detail
