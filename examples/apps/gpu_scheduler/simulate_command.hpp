// `gpu_scheduler simulate`: how well a placement fills a recorded cluster.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// Reads the files that the arguments name, runs the simulation, writes the placements if a file is named for them, and
/// returns the line of JSON. Errors: invalid_argument for arguments and for FILE:LINE; file_failed for a file that
/// can't be read or written.
kcontrol::result<std::string> simulate_command(const std::vector<std::string_view>& arguments,
                                               kcontrol::environment& env);

/// What --help prints.
std::string_view simulate_help() noexcept;

}  // namespace gpu_scheduler
