// What people are shown of the state file.
#pragma once

#include "memory/memory.hpp"

#include <string>

namespace training_monitor {

/// The line of /readyz?verbose.
std::string memory_report(const memory_status& status);

/// The families of /metrics.
std::string memory_metrics(const memory_status& status);

}  // namespace training_monitor
