// A program that is no candidate itself finds the leader of a service, and follows it to the next one.
// usage: 12_follow KUBECONFIG k8s://NAMESPACE/LEASE
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/leader_follower.hpp>

#include <csignal>
#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: 12_follow KUBECONFIG k8s://NAMESPACE/LEASE\n", 2;
    sigset_t ends;
    sigemptyset(&ends), sigaddset(&ends, SIGINT), sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // they are waited for below

    auto cluster = service::connection::open(service::connection_options().kubeconfig(argv[1]));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;
    const auto lease = service::parse_leader_url(argv[2]);
    if (!lease) return std::cerr << lease.error().what() << "\n", 1;

    const auto print = [](const service::leader_change& change) {  // on the connection's thread
        std::cout << "leader: " << change.leader->address << ", " << to_string(change.state) << std::endl;
    };
    const auto leader = cluster->start<service::leader_follower>(*lease, service::leader_follower_options(), print);
    if (!leader) return std::cerr << leader.error().what() << "\n", 1;

    int signal = 0;
    sigwait(&ends, &signal);  // meanwhile (*leader)->leader() is the newest, on any thread
}
