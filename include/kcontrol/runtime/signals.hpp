// What a program does on signals. The library installs no signal handler by itself: a program that makes one of these
// objects, or calls run(), asks for it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <stop_token>

namespace kcontrol::inline v0_1 {

/// Calls `call` for each of these signals, until it is cancelled or destroyed. Signals that come faster than they are
/// handled may become one call. What `call` throws is logged, and the next signal calls it again.
///
/// Thread-safety: shared objects unsafe; use it on the executor given, where `call` runs too.
/// Object lifetime: `call` may destroy it. The executor's context outlives it.
class signal_calls {
public:
    /// Throws boost::system::system_error for a number that is no signal of this system.
    KCONTROL_DECL signal_calls(executor ex, std::initializer_list<int> numbers, std::function<void()> call,
                               logger log = {});
    KCONTROL_DECL ~signal_calls();
    signal_calls(const signal_calls&) = delete;
    signal_calls& operator=(const signal_calls&) = delete;

    /// No call begins after this returns. The signals have their default effect again once this object is destroyed:
    /// until then they have none, so that a program may finish what it is ending.
    KCONTROL_DECL void cancel();

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

/// SIGINT and SIGTERM as the end of what a program does: the first stops it in good order, the second ends the process
/// at once with exit status 1, as the user means it.
///
/// Thread-safety: shared objects unsafe; use it on the executor given.
/// Object lifetime: the executor's context outlives it, and so does `stop`.
class signal_stop {
public:
    /// `log` gets a record of the first signal.
    KCONTROL_DECL signal_stop(executor ex, std::stop_source& stop, logger log = {});

    /// Signals are not waited for any more.
    void cancel() { signals_.cancel(); }

private:
    signal_calls signals_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/signals.ipp>
#endif
