// `gpu_labeler --dry-run`: what the labels would be.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "options.hpp"

#include <stop_token>
#include <string>

namespace gpu_labeler {

/// What a dry run has to say: to standard output, and to standard error.
struct dry_run_report {
    std::string labels;    ///< `key=value`, a line each, sorted
    std::string notes;     ///< GPUs that do not answer, a line each
    bool hanging = false;  ///< a thread is stuck in the driver: leave with _Exit
    int status = 0;
};

/// Reads the GPUs once. Never throws, and waits for at most the time that the options allow for a call of NVML, many
/// times over.
kcontrol::awaitable<dry_run_report> dry_run(kcontrol::environment& env, kcontrol::executor ex, options o,
                                            std::stop_token stop);

}  // namespace gpu_labeler
