// Several clusters at once: the pods of all of them, one kubeconfig a file of a directory. Files that are added,
// replaced or removed while it runs are clusters that join, get new credentials or leave.
// usage: 6_clusters DIRECTORY
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "pod.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <iostream>

namespace {

void print_pod(const std::string& cluster, const kcontrol::resource_info&, const kcontrol::any_event& any) {
    const kcontrol::event<pod> e(any);
    const bool is_gone = e.type == kcontrol::event_type::deleted;
    std::cout << cluster << " " << to_string(key_of(e.object().metadata)) << " "
              << (is_gone ? std::string("deleted") : e.object().status.phase) << "\n"
              << std::flush;
}

void print_status(const kcontrol::cluster_status& status) {
    std::cout << status.name << " is " << to_string(status.state) << (status.reason.empty() ? "" : ": ")
              << status.reason << "\n"
              << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: " << argv[0] << " DIRECTORY\n", 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);

    kcontrol::multicluster_options options;
    options.kinds({kcontrol::kind_choice(kcontrol::resource_of<pod>())});
    options.transport(kcontrol::http::make_transport_factory(env));
    options.on_event(print_pod);
    options.on_status(print_status);
    options.on_removed([](const std::string& cluster) { std::cout << cluster << " left\n" << std::flush; });
    kcontrol::multicluster_manager clusters(env, context.get_executor(), options);

    // The source says which clusters there should be; the manager engages, rebuilds and disengages them.
    const auto trust = kcontrol::auth::trust::trusted;  // kubeconfigs of one's own may name files and commands
    kcontrol::directory_source source(env, context.get_executor(), argv[1], trust);
    const auto started = source.start(
        [&clusters](std::vector<kcontrol::desired_cluster> desired) { clusters.set_desired(std::move(desired)); });
    if (!started) return std::cerr << started.error().what() << "\n", 1;

    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&context](auto, int) { context.stop(); });
    context.run();
}
