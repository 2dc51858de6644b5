// The pods of the own node, and the devices and CPUs that the kubelet gave to each of their containers.
// usage: NODE_NAME=NODE 10_node KUBECONFIG [SOCKET]
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/node_pods.hpp>
#include <kcontrol/service/pod_resources_client.hpp>

#include <iostream>

namespace service = kcontrol::service;

kcontrol::awaitable<kcontrol::result<void>> report(const service::connection& cluster, std::string socket) {
    const auto node = service::own_node_name(cluster.env());
    if (!node) co_return node.error();
    service::node_pods pods(cluster.env(), cluster.get_executor(), cluster.client(), *node);
    pods.start();
    const auto deadline = cluster.env().now() + std::chrono::seconds(30);
    const bool synced = co_await pods.wait_synced({}, deadline);
    if (!synced) co_return kcontrol::error(kcontrol::errc::timeout, "pods of " + *node + ": " + pods.status().reason);

    service::pod_resources_client kubelet(cluster.env(), cluster.get_executor(), std::move(socket));
    const auto given = co_await kubelet.list({});
    if (!given) co_return given.error();
    for (const auto& pod : pods.list()) {
        std::cout << pod->metadata.name << " " << pod->status.phase << "\n";
        for (const auto& of : *given) {
            if (of.namespace_ != pod->metadata.namespace_ || of.name != pod->metadata.name) continue;
            for (const auto& container : of.containers)
                for (const auto& devices : container.devices)
                    std::cout << "  " << container.name << ": " << devices.ids.size() << " " << devices.resource
                              << "\n";
        }
    }
    co_await pods.stop();
    co_return kcontrol::result<void>();
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) return std::cerr << "usage: NODE_NAME=NODE 10_node KUBECONFIG [SOCKET]\n", 2;
    const auto cluster = service::connection::open(service::connection_options().kubeconfig(argv[1]));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;
    const std::string socket = argc == 3 ? argv[2] : service::pod_resources_socket;
    const auto done = cluster->run([&] { return report(*cluster, socket); });
    if (!done) return std::cerr << done.error().what() << "\n", 1;
}
