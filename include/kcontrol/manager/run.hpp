// Running a manager as a program of its own: command line, signals, event loop. Sugar on top of the library; a program
// that has an event loop of its own makes a manager itself.
#pragma once

#include <kcontrol/leader/leader_flags.hpp>
#include <kcontrol/logging/log_levels.hpp>
#include <kcontrol/manager/detail/setup_step.hpp>
#include <kcontrol/manager/manager.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol {

/// What a program of run() understands on its command line; values as `--name VALUE` or `--name=VALUE`.
class command_line {
public:
    std::string kubeconfig;    ///< --kubeconfig FILE
    std::string context;       ///< --context NAME
    std::string namespace_;    ///< --namespace NAME: watch only this one
    std::string listen = "0";  ///< --listen ADDR:PORT: /healthz, /readyz and /metrics; "0": nowhere
    /// --health-probe-bind-address ADDR:PORT: /healthz and /readyz; "0": nowhere
    std::string health_probe_bind_address = "0";
    std::optional<readiness> ready_when;  ///< --ready-when synced-once|live; else what the options say
    log_levels levels;                    ///< --log-level info,controller=websites:debug
    leader_flags leader;                  ///< --leader-elect, --leader-election-…; else what the options say
    bool help = false;                    ///< --help

    /// Errors: invalid_argument naming the flag.
    static KCONTROL_DECL result<command_line> parse(const std::vector<std::string>& arguments);
    /// The text of --help, without the first line.
    static KCONTROL_DECL std::string usage();
};

namespace detail {

KCONTROL_DECL int run_program(int argc, char** argv, const setup_step& setup, manager_options options);

}  // namespace detail

/// Makes a manager for the cluster that find_cluster_config finds, lets `setup` add controllers to it, and runs it
/// until SIGINT or SIGTERM: the first stops it gracefully, the second ends the process at once with status 1. Logs go
/// to standard error as text (standard_error_sink), unless the options have a logger. /readyz has the check
/// manager::informers_synced(). Returns the program's exit status: 0, 1 after a failure, 2 for a wrong command line.
///
/// `setup` takes `manager&`, and a `std::stop_token` if it likes, and returns nothing or a result; an error ends the
/// program. It may be a coroutine (`awaitable<void>`, `awaitable<result<T>>`): what has to be there before controllers
/// are built, such as CustomResourceDefinitions, it installs with the manager's client. The loop runs, the endpoints
/// answer, and /readyz says that the set-up has not ended. A signal triggers its stop token; it has the manager's
/// graceful_shutdown_timeout() to return then.
template <class Setup>
int run(int argc, char** argv, Setup setup, manager_options options = {}) {
    if constexpr (detail::assert_sets_up<Setup>()) {
        return detail::run_program(argc, argv, detail::make_setup_step(setup), std::move(options));
    } else {
        return 2;
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/command_line.ipp>
#include <kcontrol/manager/impl/run.ipp>
#endif
