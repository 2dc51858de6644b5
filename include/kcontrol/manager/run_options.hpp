// What a program of run() is besides its set-up: its manager, flags of its own, the Lease that its replicas contend
// for.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client_options.hpp>
#include <kcontrol/leader/options.hpp>
#include <kcontrol/logging/log_format.hpp>
#include <kcontrol/manager/listen_server.hpp>
#include <kcontrol/manager/options.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A flag of the embedding program. `value` is what --help shows in the place of its value; empty: it takes none.
class user_flag {
public:
    /// Takes the value, which is empty for a flag without one, or refuses it.
    using function = std::function<result<void>(std::string_view)>;

    /// In this order: the name, what stands for its value, the help, what takes it.
    user_flag(std::string n, std::string v, std::string h, function f)
        : name(std::move(n)), value(std::move(v)), help(std::move(h)), take(std::move(f)) {}

    std::string name;   ///< dashes included, and none of run()'s own
    std::string value;  ///< what stands for the value in --help; empty: it takes none
    std::string help;   ///< what --help says of it
    function take;      ///< called for each time that it is there
};

/// What a program prints in place of running.
class user_print {
public:
    /// Makes the text; an error ends the program with status 1.
    using function = std::function<result<std::string>(manager&)>;

    /// In this order: whether to print, and what.
    user_print(std::function<bool()> w, function t) : wanted(std::move(w)), text(std::move(t)) {}

    std::function<bool()> wanted;  ///< asked once the flags are read; the first that says yes is printed
    function text;                 ///< called after the set-up
};

/// How run() goes about it; a manager_options is one, too.
class run_options {
public:
    run_options() = default;
    /// Those of a manager, for a program without flags of its own.
    run_options(manager_options m) : manager_(std::move(m)) {}  // NOLINT(google-explicit-constructor): enough for most

    /// The manager's own; the command line comes before them, but not before their logger.
    run_options& manager(manager_options m) { return manager_ = std::move(m), *this; }
    /// How the program's client treats its server: the name in the audit log, a limit of requests, hot_loop_limit()… An
    /// encoding comes before that of the command line.
    run_options& client(client_options o) { return client_ = std::move(o), *this; }
    /// A flag without a value, dashes included: `set` becomes true. `set` outlives run().
    run_options& flag(std::string name, std::string help, bool& set) {
        auto take = [&set](std::string_view) -> result<void> { return set = true, result<void>(); };
        return user_flags_.emplace_back(std::move(name), std::string(), std::move(help), std::move(take)), *this;
    }
    /// A flag with a value, which may be there several times: `take` gets each value, and may refuse it; the program
    /// ends with the flag's name, its words and status 2 then. `value` stands for the value in --help.
    run_options& flag(std::string name, std::string value, std::string help, user_flag::function take) {
        return user_flags_.emplace_back(std::move(name), std::move(value), std::move(help), std::move(take)), *this;
    }
    /// If `wanted` says so once the flags are read, the program makes its set-up with a client of no cluster, prints
    /// what `text` says of the manager, and ends: what is derived from a program and put into its manifests.
    run_options& print_instead(std::function<bool()> wanted, user_print::function text) {
        return prints_.emplace_back(std::move(wanted), std::move(text)), *this;
    }
    /// What --leader-elect does; --leader-election-namespace and --leader-election-id say another Lease. (Where
    /// manager_options has leader election, there is one without the flag.)
    run_options& leader_election(leader_options o) { return leader_election_ = std::move(o), *this; }
    /// What --version prints behind the program's name and before the library's version. Default: nothing.
    run_options& version(std::string of_program) { return version_ = std::move(of_program), *this; }
    /// Of the log, unless --log-format says otherwise. Default: text.
    run_options& log_as(log_format f) { return log_format_ = f, *this; }

    /// Where to put how this program reaches its cluster, before the set-up is called: for what else connects there,
    /// such as a source of more clusters. `out` outlives run().
    run_options& config_to(auth::cluster_config& out) { return config_to_ = &out, *this; }

    /// Whether --listen speaks TLS and asks the cluster who may ask, unless --metrics-secure says otherwise. Default
    /// false: it takes the right to create TokenReviews and SubjectAccessReviews, which a program must be given.
    run_options& metrics_secure(bool yes) { return metrics_secure_ = yes, *this; }

    /// What serves at --listen in the place of the manager's endpoints, such as a program's page behind a login of its
    /// own. --metrics-secure and its kin are refused then, and --help leaves them out.
    run_options& serve_listen(listen_server_function make) { return serve_listen_ = std::move(make), *this; }
    /// Where --listen listens unless the command line says it. Default: "0", nowhere.
    run_options& listen(std::string address) { return listen_ = std::move(address), *this; }

    const manager_options& manager() const noexcept { return manager_; }
    const std::optional<client_options>& client() const noexcept { return client_; }
    const std::vector<user_flag>& user_flags() const noexcept {
        return user_flags_;
    }  ///< those of flag(), in their order
    /// Those of print_instead(), in their order.
    const std::vector<user_print>& prints() const noexcept { return prints_; }
    const std::optional<leader_options>& leader_election() const noexcept { return leader_election_; }
    const std::string& version() const noexcept { return version_; }
    log_format log_as() const noexcept { return log_format_; }
    bool metrics_secure() const noexcept { return metrics_secure_; }
    const listen_server_function& serve_listen() const noexcept { return serve_listen_; }
    const std::string& listen() const noexcept { return listen_; }
    auth::cluster_config* config_to() const noexcept { return config_to_; }

private:
    manager_options manager_;
    std::optional<client_options> client_;
    std::vector<user_flag> user_flags_;
    std::vector<user_print> prints_;
    std::optional<leader_options> leader_election_;
    std::string version_;
    log_format log_format_ = log_format::text;
    bool metrics_secure_ = false;
    listen_server_function serve_listen_;
    std::string listen_ = "0";
    auth::cluster_config* config_to_ = nullptr;
};

}  // namespace kcontrol
