// A program that is no candidate itself finds the leader of a service, and follows it to the next one.
// usage: 12_follow KUBECONFIG k8s://NAMESPACE/LEASE
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/service/leader_follower.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: 12_follow KUBECONFIG k8s://NAMESPACE/LEASE\n", 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto ex = context.get_executor();
    const auto config = kcontrol::find_cluster_config(env, argv[1]).value();
    const auto cl = kcontrol::client::connect(env, ex, config, kcontrol::http::make_transport_factory(env)).value();
    service::leader_follower follower(env, ex, cl, service::parse_leader_url(argv[2]).value());
    follower.start().value();

    std::stop_source interrupted;
    kcontrol::signal_stop signals(ex, interrupted);
    const auto print = [&]() -> kcontrol::awaitable<void> {
        std::uint64_t seen = 0;
        while (const auto leader = co_await follower.wait(seen, interrupted.get_token())) {
            seen = (*leader)->version;
            std::cout << "leader: " << (*leader)->address << ", " << to_string(follower.state()) << std::endl;
        }
        signals.cancel();
        co_await follower.stop();
    };
    boost::asio::co_spawn(ex, print(), boost::asio::detached);
    context.run();
}
