// What the probes of tests/e2e have in common: a client of a kubeconfig's cluster, and one coroutine that uses it.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/probe_options.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <string>
#include <utility>

namespace kcontrol::test {

/// Runs `play(client)`, which returns awaitable<result<void>>, to its end. Returns the exit status; a failure is told
/// on standard error.
template <class Play>
int run_probe(const std::string& kubeconfig, Play play) {
    system_environment env;
    boost::asio::io_context context(1);
    const auto config = find_cluster_config(env, kubeconfig);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    const auto c = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env));
    if (!c) return std::cerr << c.error().what() << "\n", 1;
    client api = c->with(probe_options(env));
    result<void> outcome = error(errc::unavailable, "it did not end");
    boost::asio::co_spawn(context, play(api), [&](std::exception_ptr failure, result<void> ended) {
        if (failure) std::rethrow_exception(failure);
        outcome = std::move(ended);
        context.stop();
    });
    context.run();
    if (!outcome) return std::cerr << outcome.error().what() << "\n", 1;
    return 0;
}

}  // namespace kcontrol::test
