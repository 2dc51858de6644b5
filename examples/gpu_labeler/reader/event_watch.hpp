// Events of GPUs, waited for on a thread of their own.
#pragma once

#include "health/gpu_event.hpp"
#include "nvml/guarded_calls.hpp"

#include <functional>
#include <memory>
#include <stop_token>

namespace gpu_labeler {

/// Waits for events until it is stopped. What ends the wait before, such as a driver's reload or a call that hangs, is
/// tried again after some seconds.
///
/// Thread-safety and object lifetime: as guarded_calls. Cancellation: a stop is not held up by a wait in NVML.
class event_watch {
public:
    event_watch(kcontrol::environment& env, kcontrol::executor ex, guarded_calls::session_factory make_session,
                reader_limits most);

    /// Calls `on_event` on the executor, for as long as this lasts.
    kcontrol::awaitable<void> run(std::function<void(const gpu_event&)> on_event, std::stop_token stop);

    int hanging() const noexcept { return calls_.hanging(); }

private:
    struct mailbox;

    kcontrol::environment& env_;
    kcontrol::executor executor_;
    guarded_calls calls_;
};

}  // namespace gpu_labeler
