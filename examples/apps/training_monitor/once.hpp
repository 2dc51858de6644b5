// --once: one snapshot of the table, or the demo's scenario to its end.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"
#include "parts.hpp"

#include <stop_token>

namespace training_monitor {

/// Returns the exit status; errors are written to standard error. Object lifetime: the parts outlive the coroutine.
kcontrol::awaitable<int> run_once(kcontrol::environment& env, kcontrol::executor ex, const options& o, parts& p,
                                  kcontrol::logger log, std::stop_token stop);

}  // namespace training_monitor
