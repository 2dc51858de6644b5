// One controller over several clusters: the pods of all of them, one kubeconfig a file of a directory. Files that are
// added, replaced or removed while it runs are clusters that join, get new credentials or leave.
// usage: 6_clusters DIRECTORY
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "pod.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <iostream>
#include <memory>

using namespace kcontrol;

namespace {

// The request says of which cluster it is; ctx.get_client() is that cluster's client, and ctx.stop() ends with it.
reconcile_result tell(reconcile_context, request req, std::shared_ptr<const pod> found) {
    std::cout << req.cluster << " " << req.namespace_ << "/" << req.name << " "
              << (found ? found->status.phase : "deleted") << std::endl;
    return reconcile_result::done();
}

void print_status(const cluster_status& status) {
    std::cout << status.name << " is " << to_string(status.state) << (status.reason.empty() ? "" : ": ")
              << status.reason << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: " << argv[0] << " DIRECTORY\n", 2;
    system_environment env;
    boost::asio::io_context context(1);

    multicluster_options options;
    options.transport(http::make_transport_factory(env));
    options.on_status(print_status);
    options.on_removed([](const std::string& cluster) { std::cout << cluster << " left" << std::endl; });
    multicluster_manager clusters(env, context.get_executor(), options);

    // The builder and the reconciler of one cluster. Each that engages, now or later, gets a controller of its own, so
    // that one that is slow, or forbids something, holds up no other.
    const auto made = multicluster_controller(clusters, "pods").for_<pod>().complete(tell);
    if (!made) return std::cerr << made.error().what() << "\n", 1;

    // The source says which clusters there should be; the manager engages, rebuilds and disengages them.
    const auto trust = auth::trust::trusted;  // kubeconfigs of one's own may name files and commands
    directory_source source(env, context.get_executor(), argv[1], trust);
    const auto started =
        source.start([&clusters](std::vector<desired_cluster> desired) { clusters.set_desired(std::move(desired)); });
    if (!started) return std::cerr << started.error().what() << "\n", 1;

    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&context](auto, int) { context.stop(); });
    context.run();
}
