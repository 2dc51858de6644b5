// Running a manager as a program of its own: command line, signals, event loop. Sugar on top of the library; a program
// that has an event loop of its own makes a manager itself.
#pragma once

#include <kcontrol/leader/leader_flags.hpp>
#include <kcontrol/logging/log_levels.hpp>
#include <kcontrol/manager/detail/setup_step.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/manager/run_options.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a program of run() understands on its command line; values as `--name VALUE` or `--name=VALUE`.
class command_line {
public:
    std::string kubeconfig;  ///< --kubeconfig FILE
    std::string context;     ///< --context NAME
    std::string namespace_;  ///< --namespace NAME: watch only this one
    /// --listen ADDR:PORT, or --metrics-bind-address: /healthz, /readyz and /metrics; "0": nowhere; else what the
    /// options say
    std::optional<std::string> listen;
    /// --health-probe-bind-address ADDR:PORT: /healthz and /readyz; "0": nowhere
    std::string health_probe_bind_address = "0";
    /// --metrics-secure[=false]: --listen speaks TLS, and the cluster's accounts and roles say who may ask there; else
    /// what the options say, and true with --metrics-cert-path
    std::optional<bool> metrics_secure;
    std::string metrics_cert_path;  ///< --metrics-cert-path DIR; without one: a certificate of its own making
    std::string metrics_cert_name = "tls.crt";  ///< --metrics-cert-name FILE
    std::string metrics_cert_key = "tls.key";   ///< --metrics-cert-key FILE
    std::optional<readiness> ready_when;        ///< --ready-when synced-once|live; else what the options say
    log_levels levels;                          ///< --log-level info,controller=websites:debug
    leader_flags leader;                        ///< --leader-elect, --leader-election-…; else what the options say
    std::optional<log_format> format;           ///< --log-format text|json; else what the options say
    /// --kube-api-content-type TYPE: application/vnd.kubernetes.protobuf where kind and server have it, or
    /// application/json
    std::string kube_api_content_type = "application/vnd.kubernetes.protobuf";
    bool help = false;     ///< --help
    bool version = false;  ///< --version

    /// Calls the functions of the program's own flags as it meets them. Errors: invalid_argument, and theirs; each
    /// names the flag.
    static KCONTROL_DECL result<command_line> parse(const std::vector<std::string>& arguments,
                                                    std::span<const user_flag> own = {});
    /// The text of --help, without the first line, for a program with these options.
    static KCONTROL_DECL std::string usage(const run_options& of = {});
};

namespace detail {

KCONTROL_DECL int run_program(int argc, char** argv, const setup_step& setup, run_options options);
/// A manager's options as the flags have them. Errors: invalid_argument (nothing says which Lease).
KCONTROL_DECL result<manager_options> manager_options_of(const command_line& flags, const run_options& options);
/// Whether --listen is guarded. Errors: invalid_argument (a certificate that nobody shows).
KCONTROL_DECL result<bool> is_secure(const command_line& flags, const run_options& options);
/// Where the Lease names no namespace: the one that the configuration says, which is --namespace, the context's or the
/// pod's.
KCONTROL_DECL void own_namespace_for_lease(manager_options& options, const auth::cluster_config& config);

}  // namespace detail

/// Makes a manager for the cluster that find_cluster_config finds, lets `setup` add controllers to it, and runs it
/// until SIGINT or SIGTERM: the first stops it gracefully, the second ends the process at once with status 1. Logs go
/// to standard error as text or JSON (standard_error_sink), unless the options have a logger. /readyz has the check
/// manager::informers_synced(). Returns the program's exit status: 0, 1 after a failure, 2 for a wrong command line.
/// With --metrics-secure the endpoints ask for a token of the cluster (access/delegated_access.hpp).
/// The options are those of the manager, or run_options, with which a program has flags of its own.
///
/// `setup` takes `manager&`, and a `std::stop_token` if it likes, and returns nothing or a result; an error ends the
/// program. It may be a coroutine (`awaitable<void>`, `awaitable<result<T>>`): what has to be there before controllers
/// are built, such as CustomResourceDefinitions, it installs with the manager's client. The loop runs, the endpoints
/// answer, and /readyz says that the set-up has not ended. A signal triggers its stop token; it has the manager's
/// graceful_shutdown_timeout() to return then.
template <class Setup>
int run(int argc, char** argv, Setup setup, run_options options = {}) {
    if constexpr (detail::assert_sets_up<Setup>()) {
        return detail::run_program(argc, argv, detail::make_setup_step(setup), std::move(options));
    } else {
        return 2;
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/run.ipp>
#include <kcontrol/manager/impl/run_command_line.ipp>
#endif
