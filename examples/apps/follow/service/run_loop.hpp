// From the source to the outputs, until it is done, fails, is too old, or is stopped.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "outputs/output.hpp"
#include "service/source.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace follow {

/// What the process returns.
enum class exit_status { done = 0, failed = 1, usage = 2, stale = 3 };

/// Follows the source until `stop` (done) and brings each value to all outputs. With --once it ends after the first
/// value that the server confirmed (done), or once an output could not be brought up to date (failed). Why it ends with
/// another status is logged. The outputs stay as they are at the end.
///
/// Object lifetime: `env`, `from` and the outputs outlive it.
kcontrol::awaitable<exit_status> run_loop(kcontrol::environment& env, kcontrol::executor ex, options o, source& from,
                                          std::vector<std::unique_ptr<output>>& outputs, kcontrol::logger log,
                                          std::stop_token stop);

}  // namespace follow
