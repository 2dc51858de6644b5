// `training_monitor cluster …`: the clusters that the state file keeps.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// What a command prints, and its exit status: 0 done, 1 failure, 2 wrong usage.
struct command_outcome {
    int status = 0;
    std::string output;  ///< for standard output
    std::string errors;  ///< for standard error
};

/// Runs `init-key`, `add`, `list` or `remove`; `arguments` come after the word `cluster`. Nothing it prints holds a
/// secret. Beside a running monitor, too.
command_outcome run_cluster_command(kcontrol::environment& env, const std::vector<std::string_view>& arguments);

}  // namespace training_monitor
