// A service without controllers: it registers its address, one of all such services leads, and each knows which.
// usage: 9_lease KUBECONFIG NAME ADDRESS
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: 9_lease KUBECONFIG NAME ADDRESS\n", 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto config = kcontrol::find_cluster_config(env, argv[1]);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    const auto ex = context.get_executor();
    auto cl = kcontrol::client::connect(env, ex, *config, kcontrol::http::make_transport_factory(env));
    if (!cl) return std::cerr << cl.error().what() << "\n", 1;

    // A Lease of its own says that it is there, and where, as long as it renews that: as nodes do.
    const std::string name = argv[2], address = argv[3];
    kcontrol::leader_elector member(env, ex, *cl,
                                    kcontrol::leader_options({"default", "cache-" + name}).identity(address));

    kcontrol::leader_callbacks calls;
    calls.on_new_leader([](const std::string& who) { std::cout << "leader: " << who << std::endl; });
    kcontrol::leader_elector elector(env, ex, *cl, kcontrol::leader_options({"default", "cache"}).identity(address),
                                     calls);
    if (!member.start() || !elector.start()) return 1;

    std::stop_source interrupted;
    kcontrol::signal_stop signals(ex, interrupted);
    const auto leave = [&]() -> kcontrol::awaitable<void> {
        kcontrol::async_event never;
        co_await never.wait(env, interrupted.get_token());
        co_await elector.stop();  // whoever is next leads within a second
        co_await member.stop();
        signals.cancel();
    };
    boost::asio::co_spawn(context, leave(), boost::asio::detached);
    context.run();
}
