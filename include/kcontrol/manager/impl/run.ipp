#pragma once

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
#include <optional>

namespace kcontrol::detail {

inline awaitable<void> run_manager(manager& m, http::server& endpoints, signal_stop& signals, std::stop_token stop,
                                   result<void>& outcome) {
    outcome = co_await m.run(std::move(stop));
    co_await endpoints.stop();
    signals.cancel();
}

inline result<void> run_with(environment& env, const command_line& flags, const logger& log, manager_options options,
                             const std::function<result<void>(manager&)>& setup) {
    const auto address = http::parse_listen_address(flags.listen);
    if (!address) return address.error().with_context("--listen");
    const auto config = find_cluster_config(env, flags.kubeconfig, flags.context);
    if (!config) return config.error();
    if (!flags.namespace_.empty()) {
        informer_options informers = options.informers();
        options.informers(std::move(informers.in_namespace(flags.namespace_)));
    }
    options.log(log);

    boost::asio::io_context context(1);
    auto cl = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env), log);
    if (!cl) return cl.error();
    log.info("cluster", {{"server", config->server_url()}});
    manager m(env, context.get_executor(), *cl, std::move(options));
    result<void> prepared = setup(m);
    if (!prepared) return prepared;

    http::server endpoints(env, context.get_executor(), m.handler(), {}, log);
    if (address->enabled) {
        const auto bound = endpoints.listen(*address);
        if (!bound) return bound.error().with_context("--listen");
        endpoints.start();
        log.info("listening", {{"address", address->host + ":" + std::to_string(endpoints.local_port())}});
    }
    std::stop_source stop;
    signal_stop signals(context.get_executor(), stop, log);
    result<void> outcome;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, run_manager(m, endpoints, signals, stop.get_token(), outcome),
                          [&](std::exception_ptr e) {
                              failure = std::move(e);
                              cl->close();
                              context.stop();  // what did not return in time can't keep the process alive
                          });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return outcome;
}

KCONTROL_DECL int run_program(int argc, char** argv, const std::function<result<void>(manager&)>& setup,
                              manager_options options) {
    const std::string program = argc > 0 ? argv[0] : "program";
    const auto flags = command_line::parse(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    if (!flags) {
        std::cerr << program << ": " << flags.error().message() << "\n";
        return 2;
    }
    if (flags->help) {
        std::cout << "usage: " << program << " [flags]\n" << command_line::usage();
        return 0;
    }
    try {
        system_environment env;
        logger log = options.log();
        if (!log.enabled(log_level::error)) log = logger(standard_error_sink(env), flags->verbosity);
        const result<void> outcome = run_with(env, *flags, log, std::move(options), setup);
        if (outcome) return 0;
        std::cerr << program << ": " << escape_control(outcome.error().what()) << "\n";
    } catch (const std::exception& e) {
        std::cerr << program << ": " << escape_control(e.what()) << "\n";
    }
    return 1;
}

}  // namespace kcontrol::detail
