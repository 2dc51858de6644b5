// A router's view of a Service: its endpoints, each change of them, and how far they can be relied on.
// usage: 11_endpoints KUBECONFIG NAMESPACE/SERVICE
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/service/endpoints.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: 11_endpoints KUBECONFIG NAMESPACE/SERVICE\n", 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto ex = context.get_executor();
    const auto config = kcontrol::find_cluster_config(env, argv[1]).value();
    const auto cl = kcontrol::client::connect(env, ex, config, kcontrol::http::make_transport_factory(env)).value();

    service::endpoints backends(
        env, ex, cl, service::endpoints_target::parse(argv[2]).value(), service::endpoints_options(),
        [](const service::endpoints_change& change) {
            for (const auto& one : change.removed) std::cout << "- " << one.address << ":" << one.port << "\n";
            for (const auto& one : change.added)
                std::cout << "+ " << one.address << ":" << one.port << (one.ready ? " ready\n" : " not ready\n");
            if (change.problem) std::cout << change.problem->what() << "\n";
            std::cout << change.snapshot->endpoints.size() << " endpoints, " << to_string(change.state) << std::endl;
        });
    backends.start().value();

    std::stop_source interrupted;
    kcontrol::signal_stop signals(ex, interrupted);
    const std::stop_callback end(interrupted.get_token(), [&] {
        signals.cancel();
        boost::asio::co_spawn(ex, backends.stop(), boost::asio::detached);
    });
    context.run();
}
