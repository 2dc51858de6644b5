// `inference_autoscaler simulate`: what a scaler does under a recorded load.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace inference_autoscaler {

/// Reads the files that the arguments name, runs the simulation, writes the timeline if a file is named for it, and
/// returns the line of JSON. Errors: invalid_argument for arguments and for FILE:LINE; file_failed for a file that
/// can't be read or written.
kcontrol::result<std::string> simulate_command(const std::vector<std::string_view>& arguments,
                                               kcontrol::environment& env);

/// What --help prints.
std::string_view simulate_help() noexcept;

}  // namespace inference_autoscaler
