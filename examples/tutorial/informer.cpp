// An informer alone: a local copy of all pods, and a line for each that is there, changes or goes.
// usage: informer [KUBECONFIG]
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "pod.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <iostream>

namespace {

void print(const kcontrol::event<pod>& e) {
    const char* happened = "deleted";
    if (e.type == kcontrol::event_type::added) happened = e.initial ? "was there" : "added";
    if (e.type == kcontrol::event_type::updated) happened = "updated";
    std::cout << to_string(key_of(e.object().metadata)) << " " << happened << ": " << e.object().status.phase << "\n"
              << std::flush;
}

int fail(const kcontrol::error& why) {
    std::cerr << why.what() << "\n";
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto config = kcontrol::find_cluster_config(env, argc > 1 ? argv[1] : "");
    if (!config) return fail(config.error());
    const auto cl =
        kcontrol::client::connect(env, context.get_executor(), *config, kcontrol::http::make_transport_factory(env));
    if (!cl) return fail(cl.error());

    kcontrol::informer<pod> pods(env, context.get_executor(), *cl);
    const auto printing = pods.subscribe([](const kcontrol::any_event& e) { print(kcontrol::event<pod>(e)); });
    pods.start();  // lists, then watches, and does both again after whatever goes wrong

    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&context](auto, int) { context.stop(); });
    context.run();
    std::cout << pods.list().size() << " pods at the end\n";
}
