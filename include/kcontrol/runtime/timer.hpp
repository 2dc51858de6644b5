// timer: the seam for waiting. An environment makes timers; a user waits with wait.hpp.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <boost/asio/any_completion_handler.hpp>

namespace kcontrol::inline v0_1 {

/// One timer. At most one wait at a time.
///
/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
class timer {
public:
    virtual ~timer() = default;

    /// Calls `handler(true)` at `when`, or `handler(false)` soon after cancel(); never from inside this call.
    virtual void async_wait(time_point when, boost::asio::any_completion_handler<void(bool expired)> handler) = 0;

    /// Ends a wait in progress. Does nothing if there is none.
    virtual void cancel() = 0;
};

}  // namespace kcontrol
