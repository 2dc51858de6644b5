// What the program does from the moment its arguments are known.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"

#include <stop_token>

namespace training_monitor {

/// Watches until `stop`, or prints one snapshot (--once), or plays the demo. Returns the exit status; errors are
/// written to standard error. `ex` is a single-threaded context's.
///
/// `worker` runs what blocks: a thread beside it (one is enough). It outlives the coroutine.
kcontrol::awaitable<int> run_program(kcontrol::environment& env, kcontrol::executor ex, kcontrol::executor worker,
                                     options o, std::stop_token stop);

}  // namespace training_monitor
