// How often and how long a receiver is tried: its defaults, and what the configuration says.
#pragma once

#include <kcontrol/base/result.hpp>

#include "notices/config.hpp"
#include "notices/config_file.hpp"

namespace training_monitor::notices {

/// Sets timeout, queue, rate and retries of a receiver whose kind is known.
/// Errors: invalid_config, naming the field and what would be right.
kcontrol::result<void> read_limits(const receiver_section& section, receiver_config& out);

}  // namespace training_monitor::notices
