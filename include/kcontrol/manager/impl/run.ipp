#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace kcontrol::detail {

inline result<http::listen_address> address_of(const char* flag, const std::string& text) {
    auto parsed = http::parse_listen_address(text);
    if (!parsed) return parsed.error().with_context(flag);
    return parsed;
}

// What a program of run() serves: everything at one port, health at another.
class run_servers {
public:
    run_servers(environment& env, executor ex, manager& m, const logger& log)
        : log_(log),
          endpoints_(env, ex, m.handler(), http::server_options().max_connections(256).max_body(1024), log),
          probes_(env, ex, m.probe_handler(), health_server_options(), log) {
        m.metrics().collect([this](metrics_writer& out) {
            http::write_server_metrics(out, "main", endpoints_.stats());
            http::write_server_metrics(out, "health", probes_.stats());
        });
    }

    result<void> listen(const http::listen_address& at, const http::listen_address& health_at) {
        auto all = open(endpoints_, at, "--listen");
        if (!all) return all;
        return open(probes_, health_at, "--health-probe-bind-address");
    }

    awaitable<void> stop() {
        co_await endpoints_.stop();
        co_await probes_.stop();
    }

private:
    result<void> open(http::server& one, const http::listen_address& at, const char* flag) const {
        if (!at.enabled) return {};
        const auto bound = one.listen(at);
        if (!bound) return bound.error().with_context(flag);
        one.start();
        log_.info("listening", {{"flag", flag}, {"address", at.host + ":" + std::to_string(one.local_port())}});
        return {};
    }

    logger log_;
    http::server endpoints_, probes_;
};

// A manager's part of a program: its set-up, then its run.
struct set_up_manager {
    manager& m;
    const setup_step& setup;
    duration grace;
    bool done = false;  // the set-up
};

inline awaitable<void> run_manager(set_up_manager& of, run_servers& servers, signal_stop& signals, std::stop_token stop,
                                   result<void>& outcome) {
    outcome = co_await run_setup(of.m, of.setup, of.grace, stop);
    of.done = true;
    if (outcome && !stop.stop_requested()) outcome = co_await of.m.run(std::move(stop));
    co_await servers.stop();
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

inline result<void> run_with(environment& env, const command_line& flags, const logger& log, manager_options options,
                             const setup_step& setup) {
    const auto at = address_of("--listen", flags.listen);
    if (!at) return at.error();
    const auto health_at = address_of("--health-probe-bind-address", flags.health_probe_bind_address);
    if (!health_at) return health_at.error();
    const auto config = find_cluster_config(env, flags.kubeconfig, flags.context);
    if (!config) return config.error();
    options.log(log);

    boost::asio::io_context context(1);
    auto cl = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env), log);
    if (!cl) return cl.error();
    log.info("cluster", {{"server", config->server_url()}});
    const duration grace = options.graceful_shutdown_timeout();
    manager m(env, context.get_executor(), *cl, std::move(options));
    m.add_readyz_check(m.informers_synced());
    set_up_manager program{m, setup, grace};
    if (setup.waits) {
        m.add_readyz_check("setup", [&program]() -> result<void> {
            if (program.done) return {};
            return error(errc::not_synced, "the set-up step has not ended");
        });
    }

    run_servers servers(env, context.get_executor(), m, log);
    auto listening = servers.listen(*at, *health_at);
    if (!listening) return listening;
    std::stop_source stop;
    signal_stop signals(context.get_executor(), stop, log);
    result<void> outcome;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, run_manager(program, servers, signals, stop.get_token(), outcome),
                          [&](std::exception_ptr e) {
                              failure = std::move(e);
                              cl->close();
                              context.stop();  // what did not return in time can't keep the process alive
                          });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return outcome;
}

KCONTROL_DECL int run_program(int argc, char** argv, const setup_step& setup, run_options options) {
    const std::string program = argc > 0 ? argv[0] : "program";
    const auto refuse = [&program](const error& why) {
        std::cerr << program << ": " << escape_control(why.message()) << "\n";
        return 2;
    };
    try {
        const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
        const auto flags = command_line::parse(words, options.own_flags());
        if (!flags) return refuse(flags.error());
        if (flags->help) {
            std::cout << "usage: " << program << " [flags]\n" << command_line::usage(options.own_flags());
            return 0;
        }
        auto of_manager = manager_options_of(*flags, options);
        if (!of_manager) return refuse(of_manager.error());
        system_environment env;
        logger log = of_manager->log();
        if (!log.enabled(log_level::error)) {
            log = flags->levels.logger_to(standard_error_sink(env, flags->format.value_or(options.log_as())));
        }
        const result<void> outcome = run_with(env, *flags, log, std::move(*of_manager), setup);
        if (outcome) return 0;
        std::cerr << program << ": " << escape_control(outcome.error().what()) << "\n";
    } catch (...) {
        std::cerr << program << ": " << escape_control(describe_thrown()) << "\n";
    }
    return 1;
}

}  // namespace kcontrol::detail
