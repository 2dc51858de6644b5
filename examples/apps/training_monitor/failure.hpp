// How the program says on standard error why it can't go on.
#pragma once

#include <kcontrol/base/error.hpp>

namespace training_monitor {

/// Writes the message to standard error, and returns the exit status 1. A file that is wrong at several places has a
/// line for each.
int fail(const kcontrol::error& why);

}  // namespace training_monitor
