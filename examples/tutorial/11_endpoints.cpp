// A router's view of a Service: its endpoints, each change of them, and how far they can be relied on.
// usage: 11_endpoints KUBECONFIG NAMESPACE/SERVICE
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/endpoints.hpp>

#include <csignal>
#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: 11_endpoints KUBECONFIG NAMESPACE/SERVICE\n", 2;
    sigset_t ends;
    sigemptyset(&ends), sigaddset(&ends, SIGINT), sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // they are waited for below

    auto cluster = service::connection::open(service::connection_options().kubeconfig(argv[1]));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;
    const auto target = service::endpoints_target::parse(argv[2]);
    if (!target) return std::cerr << target.error().what() << "\n", 1;

    const auto print = [](const service::endpoints_change& change) {  // on the connection's thread
        for (const auto& one : change.removed) std::cout << "- " << one.address << ":" << one.port << "\n";
        for (const auto& one : change.added)
            std::cout << "+ " << one.address << ":" << one.port << (one.ready ? " ready\n" : " not ready\n");
        if (change.problem) std::cout << change.problem->what() << "\n";
        std::cout << change.snapshot->endpoints.size() << " endpoints, " << to_string(change.state) << std::endl;
    };
    const auto backends = cluster->start<service::endpoints>(*target, service::endpoints_options(), print);
    if (!backends) return std::cerr << backends.error().what() << "\n", 1;

    int signal = 0;
    sigwait(&ends, &signal);  // meanwhile (*backends)->snapshot() is the newest, on any thread
}
