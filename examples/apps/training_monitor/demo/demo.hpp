// --demo: the monitor watching simulated clusters; with --once, a check that ends by itself.
#pragma once

#include <kcontrol/base/log.hpp>

#include "monitor.hpp"
#include "output/live_output.hpp"

#include <stop_token>

namespace training_monitor::demo {

/// Plays the scenario again and again, until `stop`. The monitor's changes go to `publish`, and what happens now to the
/// output.
/// Errors: the simulated clusters can't be started.
kcontrol::awaitable<kcontrol::result<void>> play_for_ever(kcontrol::environment& env, kcontrol::executor ex, monitor& m,
                                                          change_handler publish, live_output& output,
                                                          std::stop_token stop);

/// Plays it once, prints what happened and the counts, and returns the exit status: 0 if the monitor published
/// everything that was written, exactly once, and touched nobody it should not have.
kcontrol::awaitable<int> play_once(kcontrol::environment& env, kcontrol::executor ex, monitor& m, live_output& output,
                                   std::stop_token stop);

}  // namespace training_monitor::demo
