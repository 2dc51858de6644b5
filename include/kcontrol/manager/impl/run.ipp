#pragma once

#include <kcontrol/access/delegated_access.hpp>
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/tracing/otlp_exporter.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>
#include <kcontrol/transport/serving_certificate.hpp>
#include <kcontrol/version.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::detail {

inline result<http::listen_address> address_of(const char* flag, const std::string& text) {
    auto parsed = http::parse_listen_address(text);
    if (!parsed) return parsed.error().with_context(flag);
    return parsed;
}

// What guards the endpoints, where they are guarded.
class endpoint_guard {
public:
    // Errors: naming the flags of the certificate.
    static result<std::unique_ptr<endpoint_guard>> make(environment& env, const command_line& flags, const client& cl,
                                                        const logger& log) {
        auto access = delegated_access::create(cl, {}, log);
        if (!access) return access.error();
        const bool files = !flags.metrics_cert_path.empty();
        const std::string at = flags.metrics_cert_path + "/";
        auto certificate = files ? http::serving_certificate::from_files(env, at + flags.metrics_cert_name,
                                                                         at + flags.metrics_cert_key, log)
                                 : http::serving_certificate::self_signed(env, log);
        auto tls = certificate.load();
        if (!tls) return tls.error().with_context("--metrics-cert-path");
        return std::make_unique<endpoint_guard>(std::move(*access), std::move(certificate), std::move(*tls));
    }

    endpoint_guard(delegated_access a, http::serving_certificate c, http::server_tls t)
        : access(std::move(a)), certificate(std::move(c)), tls(std::move(t)) {}

    delegated_access access;
    http::serving_certificate certificate;
    http::server_tls tls;
    std::stop_source stop;
};

// What a program of run() serves: everything at one port, health at another.
class run_servers {
public:
    // `guard` and `own`, the program's server in the place of the manager's, may be null.
    run_servers(environment& env, executor ex, manager& m, std::unique_ptr<endpoint_guard> guard,
                std::unique_ptr<listen_server> own, const logger& log)
        : log_(log),
          ex_(ex),
          guard_(std::move(guard)),
          own_(std::move(own)),
          endpoints_(env, ex, guard_ ? guard_->access.guard(m.handler()) : m.handler(), limits(guard_ != nullptr), log),
          probes_(env, ex, m.probe_handler(), health_server_options(), log) {
        m.metrics().collect([this](metrics_writer& out) {
            if (!own_) http::write_server_metrics(out, "main", endpoints_.stats());
            http::write_server_metrics(out, "health", probes_.stats());
            if (!guard_) return;
            write_access_metrics(out, "main", guard_->access.stats());
            http::write_certificate_metrics(out, guard_->certificate.stats());
        });
    }

    result<void> listen(const http::listen_address& at, const http::listen_address& health_at) {
        std::optional<http::server_tls> tls;
        if (guard_) tls = guard_->tls;
        auto all = own_ ? own_->start() : open(endpoints_, at, std::move(tls), "--listen");
        if (!all) return all;
        if (guard_ && at.enabled) {
            boost::asio::co_spawn(ex_, guard_->certificate.follow(endpoints_, guard_->stop.get_token()),
                                  boost::asio::detached);
        }
        return open(probes_, health_at, std::nullopt, "--health-probe-bind-address");
    }

    awaitable<void> stop() {
        if (guard_) guard_->stop.request_stop();
        if (own_) co_await own_->stop();
        co_await endpoints_.stop();
        co_await probes_.stop();
    }

private:
    // Behind a login strangers go first where there is no room.
    static http::server_options limits(bool guarded) {
        http::server_options out;
        out.max_connections(256).max_body(1024);
        return guarded ? out.login_timeout(std::chrono::seconds(30)) : out;
    }

    result<void> open(http::server& one, const http::listen_address& at, std::optional<http::server_tls> tls,
                      const char* flag) const {
        if (!at.enabled) return {};
        const bool secure = tls.has_value();
        const auto bound = one.listen(at, std::move(tls));
        if (!bound) return bound.error().with_context(flag);
        one.start();
        log_.info("listening", {{"flag", flag},
                                {"address", at.host + ":" + std::to_string(one.local_port())},
                                {"secure", secure ? "true" : "false"}});
        return {};
    }

    logger log_;
    executor ex_;
    std::unique_ptr<endpoint_guard> guard_;
    std::unique_ptr<listen_server> own_;
    http::server endpoints_, probes_;
};

// A manager's part of a program: its set-up, then its run.
struct set_up_manager {
    manager& m;
    const setup_step& setup;
    duration grace;
    std::unique_ptr<otlp_exporter> spans;  // or null
    bool done = false;                     // the set-up
};

inline awaitable<void> run_manager(set_up_manager& of, run_servers& servers, signal_stop& signals, std::stop_token stop,
                                   result<void>& outcome) {
    if (of.spans) of.spans->start();
    outcome = co_await run_setup(of.m, of.setup, of.grace, stop);
    of.done = true;
    if (outcome && !stop.stop_requested()) outcome = co_await of.m.run(std::move(stop));
    co_await servers.stop();
    if (of.spans) {
        const bool sent = co_await of.spans->stop();
        static_cast<void>(sent);  // the log and the metrics say it
    }
    signals.cancel();
}

KCONTROL_DECL result<manager_options> manager_options_of(const command_line& flags, const run_options& options) {
    manager_options out = options.manager();
    if (!flags.namespace_.empty()) {
        cache_options cache = out.cache();
        out.cache(std::move(cache.namespaces({flags.namespace_})));
    }
    if (flags.ready_when) out.ready_when(*flags.ready_when, out.ready_grace());
    const bool always = out.leader_election().has_value();
    const auto elected = flags.leader.options(always ? out.leader_election() : options.leader_election(), always);
    if (!elected) return elected.error();
    out.leader_election(*elected);
    return out;
}

KCONTROL_DECL result<bool> is_secure(const command_line& flags, const run_options& options) {
    const bool certificate = !flags.metrics_cert_path.empty();
    const command_line defaults;
    const bool names =
        flags.metrics_cert_name != defaults.metrics_cert_name || flags.metrics_cert_key != defaults.metrics_cert_key;
    if (names && !certificate) {
        return error(
            errc::invalid_argument,
            "--metrics-cert-name and --metrics-cert-key are files in a directory: give --metrics-cert-path DIR");
    }
    if (options.serve_listen() && (certificate || flags.metrics_secure.value_or(false))) {
        return error(errc::invalid_argument,
                     "--metrics-secure, --metrics-cert-path: this program guards --listen in its own way; see --help");
    }
    return !options.serve_listen() && flags.metrics_secure.value_or(options.metrics_secure() || certificate);
}

inline result<auth::cluster_config> config_of(environment& env, const command_line& flags) {
    auth::config_search how;
    how.file(flags.kubeconfig).order(auth::search_order::controller);
    how.overrides(auth::kubeconfig_overrides().context(flags.context).default_namespace(flags.namespace_));
    return auth::find_config(env, how);
}

KCONTROL_DECL void own_namespace_for_lease(manager_options& options, const auth::cluster_config& config) {
    const auto& election = options.leader_election();
    if (!election || !election->lease().namespace_.empty() || config.default_namespace().empty()) return;
    leader_options with = *election;
    with.lease(namespaced_name(config.default_namespace(), with.lease().name));
    options.leader_election(std::move(with));
}

// What OpenTelemetry's variables ask for; null: nothing.
inline result<std::unique_ptr<otlp_exporter>> exporter_of(environment& env, executor ex, const std::string& program,
                                                          const logger& log) {
    auto wanted = otlp_options::from_environment(env);
    if (!wanted) return wanted.error();
    if (!*wanted) return std::unique_ptr<otlp_exporter>();
    (*wanted)->default_service_name(program.substr(program.rfind('/') + 1));
    log.info("spans are sent", {{"collector", http::to_string((*wanted)->url().endpoint)}});
    return otlp_exporter::create(env, ex, std::move(**wanted), http::make_transport_factory(env), log);
}

// Says why the program does not run as it was called.
inline int refuse_usage(const std::string& program, const error& why) {
    std::cerr << program << ": " << escape_control(why.message()) << "\n";
    return 2;
}

// The exit status, or why the run failed.
inline result<int> run_with(environment& env, const std::string& program, const command_line& flags, const logger& log,
                            manager_options options, bool secure, const setup_step& setup, const run_options& wanted) {
    const auto at = address_of("--listen", flags.listen.value_or(wanted.listen()));
    if (!at) return refuse_usage(program, at.error());
    const auto health_at = address_of("--health-probe-bind-address", flags.health_probe_bind_address);
    if (!health_at) return refuse_usage(program, health_at.error());
    const auto config = config_of(env, flags);
    if (!config) return config.error();
    if (wanted.config_to() != nullptr) *wanted.config_to() = *config;
    options.log(log);
    own_namespace_for_lease(options, *config);

    boost::asio::io_context context(1);
    auto cl = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env), log);
    if (!cl) return cl.error();
    if (flags.kube_api_content_type != "application/json") {
        *cl = cl->with(client_options().encoding(protobuf_encoding()));
    }
    if (wanted.client()) *cl = cl->with(*wanted.client());
    log.info("cluster", {{"server", config->server_url()}});
    const duration grace = options.graceful_shutdown_timeout();
    auto spans = exporter_of(env, context.get_executor(), program, log);
    if (!spans) return spans.error();
    if (*spans && !options.trace()) options.trace((*spans)->sink(), (*spans)->sampler());
    manager m(env, context.get_executor(), *cl, std::move(options));
    m.add_readyz_check(m.informers_synced());
    if (*spans)
        m.metrics().collect([of = spans->get()](metrics_writer& out) { write_trace_metrics(out, of->stats()); });
    set_up_manager parts{m, setup, grace, std::move(*spans)};
    if (setup.waits) {
        m.add_readyz_check("setup", [&parts]() -> result<void> {
            if (parts.done) return {};
            return error(errc::not_synced, "the set-up step has not ended");
        });
    }

    std::unique_ptr<endpoint_guard> guard;
    if (secure && at->enabled) {
        auto made = endpoint_guard::make(env, flags, *cl, log);
        if (!made) return made.error();
        guard = std::move(*made);
    }
    std::unique_ptr<listen_server> own;
    if (wanted.serve_listen() && at->enabled) {
        auto made = wanted.serve_listen()(m, *at, log);
        if (!made && made.error() == errc::invalid_argument) return refuse_usage(program, made.error());
        if (!made) return made.error();
        own = std::move(*made);
    }
    run_servers servers(env, context.get_executor(), m, std::move(guard), std::move(own), log);
    auto listening = servers.listen(*at, *health_at);
    if (!listening) return listening.error();
    std::stop_source stop;
    signal_stop signals(context.get_executor(), stop, log);
    result<void> outcome;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, run_manager(parts, servers, signals, stop.get_token(), outcome),
                          [&](std::exception_ptr e) {
                              failure = std::move(e);
                              cl->close();
                              context.stop();  // what did not return in time can't keep the process alive
                          });
    context.run();
    if (failure) std::rethrow_exception(failure);
    if (!outcome) return outcome.error();
    return 0;
}

inline awaitable<void> print_of_manager(set_up_manager& of, const user_print& what, result<std::string>& out) {
    const auto done = co_await run_setup(of.m, of.setup, of.grace, std::stop_token());
    if (!done) {
        out = done.error();
        co_return;
    }
    out = what.text(of.m);
}

// There is no cluster behind the client: whoever asks it hears so.
inline result<std::string> text_of(environment& env, const user_print& what, const logger& log, manager_options options,
                                   const setup_step& setup) {
    boost::asio::io_context context(1);
    http::endpoint nowhere;
    nowhere.host = "cluster.invalid";
    auto cl = client::connect(env, context.get_executor(), auth::cluster_config(std::move(nowhere)),
                              http::make_transport_factory(env), log);
    if (!cl) return cl.error();
    options.log(log);
    const duration grace = options.graceful_shutdown_timeout();
    manager m(env, context.get_executor(), *cl, std::move(options));
    set_up_manager parts{m, setup, grace, nullptr};
    result<std::string> out{std::string()};
    std::exception_ptr failure;
    boost::asio::co_spawn(context, print_of_manager(parts, what, out), [&](std::exception_ptr e) {
        failure = std::move(e);
        cl->close();
        context.stop();
    });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return out;
}

// Nothing is printed by half: status 1, and why.
inline int print_instead(environment& env, const user_print& what, const std::string& program, const logger& log,
                         manager_options options, const setup_step& setup) {
    const auto text = text_of(env, what, log, std::move(options), setup);
    if (!text) return std::cerr << program << ": " << escape_control(text.error().what()) << "\n", 1;
    return std::cout << *text << std::flush ? 0 : 1;
}

// "web-site 1.2.0 (kcontrol 0.1.0)".
inline std::string version_line(std::string_view program, const std::string& version) {
    std::string out(program.substr(program.rfind('/') + 1));
    if (!version.empty()) out += " " + version;
    return out + " (kcontrol " + std::string(library_version) + ")";
}

KCONTROL_DECL int run_program(int argc, char** argv, const setup_step& setup, run_options options) {
    const std::string program = argc > 0 ? argv[0] : "program";
    try {
        const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
        const auto flags = command_line::parse(words, options.user_flags());
        if (!flags) return refuse_usage(program, flags.error());
        if (flags->help) {
            std::cout << "usage: " << program << " [flags]\n" << command_line::usage(options);
            return 0;
        }
        if (flags->version) {
            std::cout << version_line(program, options.version()) << "\n";
            return 0;
        }
        auto of_manager = manager_options_of(*flags, options);
        if (!of_manager) return refuse_usage(program, of_manager.error());
        const auto secure = is_secure(*flags, options);
        if (!secure) return refuse_usage(program, secure.error());
        system_environment env;
        logger log = of_manager->log();
        if (!log.enabled(log_level::error)) {
            log = flags->levels.logger_to(standard_error_sink(env, flags->format.value_or(options.log_as())));
        }
        for (const user_print& one : options.prints()) {
            if (one.wanted()) return print_instead(env, one, program, log, std::move(*of_manager), setup);
        }
        const auto outcome = run_with(env, program, *flags, log, std::move(*of_manager), *secure, setup, options);
        if (outcome) return *outcome;
        std::cerr << program << ": " << escape_control(outcome.error().what()) << "\n";
    } catch (...) {
        std::cerr << program << ": " << escape_control(describe_thrown()) << "\n";
    }
    return 1;
}

}  // namespace kcontrol::detail
