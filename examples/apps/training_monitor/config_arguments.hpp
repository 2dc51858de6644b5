// The file of --config: flags as keys of YAML.
#pragma once

#include <kcontrol/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

inline constexpr std::size_t most_config_bytes = std::size_t{1} << 20;

/// What the file says as arguments of the command line, each with the key that it came from: `listen: ":8080"` is
/// `--listen=:8080`, `once: true` is `--once`, `logs: false` is `--no-logs`, and a list is one argument per element.
/// Errors: invalid_argument with the key, and the line where the text is no YAML.
kcontrol::result<std::vector<std::pair<std::string, std::string>>> config_arguments(std::string_view text);

}  // namespace training_monitor
