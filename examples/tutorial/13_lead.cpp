// A service of which one instance leads: with a token for its store, and a label on its pod for a Service's selector.
// usage: 13_lead KUBECONFIG LEASE ADDRESS
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/lead.hpp>

#include <csignal>
#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: 13_lead KUBECONFIG LEASE ADDRESS\n", 2;
    sigset_t ends;
    sigemptyset(&ends), sigaddset(&ends, SIGINT), sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // they are waited for below

    auto cluster = service::connection::open(service::connection_options().kubeconfig(argv[1]));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;

    service::lead_options options({"default", argv[2]});
    options.identity(argv[3]).address(argv[3]).label({"role", "leader"});
    service::lead_callbacks calls;
    calls.on_change([](bool leading, std::uint64_t token) {
        // On the connection's thread. The store gets the token with each write, and refuses smaller ones.
        std::cout << (leading ? "leading with token " : "not leading any more: ") << token << std::endl;
    });
    const auto leader = cluster->start<service::lead>(options, calls);
    if (!leader) return std::cerr << leader.error().what() << "\n", 1;

    int signal = 0;
    sigwait(&ends, &signal);
}  // the label is taken off, then the Lease is given up
