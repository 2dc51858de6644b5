// --crds-of and --rbac-of: a program runs against the server for a time, and what it needed of it is printed.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "child.hpp"
#include "manifests.hpp"
#include "needs.hpp"
#include "options.hpp"

#include <csignal>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol_apiserver {

/// Thread-safety: shared objects unsafe; use it on the server's executor. Object lifetime: what it is given outlives
/// it.
class trial {
public:
    /// `out` gets the YAML and nothing else, `log` the rest.
    trial(kcontrol::environment& env, kcontrol::testing::local_api_server& server, const options& o, std::ostream& out,
          std::ostream& log);

    /// Starts the program. `late` are objects whose kinds it is to install itself.
    kcontrol::result<void> start(std::vector<manifest> late);
    /// Waits for its time to be over, for `stop` or for its end, ends it and prints. Gives the exit status.
    kcontrol::awaitable<int> run(std::stop_token stop);
    /// It had its chance to end.
    void kill() { program_.signal(SIGKILL); }

private:
    kcontrol::awaitable<void> wait_for_end(kcontrol::time_point limit, std::stop_token stop);
    kcontrol::awaitable<std::string> end_program();
    int report(const std::string& ending);
    int fail(const std::string& what);
    void tell_gaps();

    kcontrol::environment& env_;
    kcontrol::testing::local_api_server& server_;
    const options& options_;
    std::ostream& out_;
    std::ostream& log_;
    kcontrol::testing::temporary_directory folder_;
    needs needs_;
    std::vector<manifest> late_;
    child program_;
};

}  // namespace kcontrol_apiserver
