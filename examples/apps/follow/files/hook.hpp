// The commands of --check and --reload.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <stop_token>
#include <string>

namespace follow {

/// Runs `command` with /bin/sh; `path` is its $1. It inherits the environment variables, has no input, and is killed
/// after 30 s. `flag` names it in errors.
///
/// Errors: unavailable, with the exit status and what it wrote to standard error, else to standard output; those of
/// environment::run_process().
kcontrol::awaitable<kcontrol::result<void>> run_hook(kcontrol::environment& env, std::string flag, std::string command,
                                                     std::string path, std::stop_token stop);

}  // namespace follow
