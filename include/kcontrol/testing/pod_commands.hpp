// What commands in a pod do where no container is: what its annotation says.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/pod_streams.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

class api_server;

/// What a command says and how it ends.
class command_outcome {
public:
    std::string output;        ///< what it writes to standard output
    std::string error_output;  ///< what it writes to standard error
    int exit_code = 0;         ///< 0: it succeeds
    bool echoes = false;       ///< it says back what it hears first, as `cat` does
};

/// The annotation `sim/exec` of a pod is a map in YAML: a command, its words joined by blanks, or "*" for all others,
/// to its output, or to a map of `stdout`, `stderr`, `code` and `echo` (true: it says its input back). A command that
/// is not there is `cat`, which echoes, `true`, `false`, `echo`, or not found (127).
command_outcome command_of(const json::value& pod, const std::vector<std::string>& command);

/// Plays every container of that server's pods so: `api.on_exec(annotated_containers(api))`, which a fake_cluster does.
/// Who attaches hears what he says.
/// Object lifetime: for that server only.
exec_handler annotated_containers(api_server& api);

}  // namespace kcontrol::testing
