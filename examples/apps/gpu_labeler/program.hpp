// What the program does from the moment its arguments are known.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "options.hpp"
#include "service/live_settings.hpp"

#include <stop_token>

namespace gpu_labeler {

struct program_result {
    int status = 0;
    bool hanging = false;  ///< a thread is stuck in the driver: leave with _Exit
};

/// Keeps the node's labels until `stop`, or for one pass (--once), or removes them (--cleanup). Errors are logged to
/// standard error. `ex` is a single-threaded context's. `reloads`, which outlives this, has the settings read again.
kcontrol::awaitable<program_result> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                                std::stop_token stop, reload_request* reloads = nullptr);

}  // namespace gpu_labeler
