// Events of GPUs, waited for on a thread of their own.
#pragma once

#include "health/gpu_event.hpp"
#include "nvml/guarded_calls.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>

namespace gpu_labeler {

/// How well the GPUs are watched.
struct watch_status {
    bool watching = false;           ///< somebody waits for events now
    std::uint64_t gaps = 0;          ///< times that nobody did between two that somebody did
    kcontrol::duration unwatched{};  ///< how long those were together
};

/// Waits for events until it is stopped. What ends the wait before, such as a driver's reload or a call that hangs, is
/// tried again after a while. NVML keeps no event for who does not wait, and forgets who waits when it starts anew; so
/// such times are an event of their own.
///
/// Thread-safety and object lifetime: as guarded_calls. Cancellation: a stop is not held up by a wait in NVML.
class event_watch {
public:
    event_watch(kcontrol::environment& env, kcontrol::executor ex, guarded_calls::session_factory make_session,
                reader_limits most);

    /// Calls `on_event` on the executor, for as long as this lasts.
    kcontrol::awaitable<void> run(std::function<void(const gpu_event&)> on_event, std::stop_token stop);

    const watch_status& status() const noexcept { return status_; }
    int hanging() const noexcept { return calls_.hanging(); }

private:
    struct mailbox;
    class listener;

    bool watches(const gpu_event& resumed);

    kcontrol::environment& env_;
    kcontrol::executor executor_;
    guarded_calls calls_;
    watch_status status_;
};

}  // namespace gpu_labeler
