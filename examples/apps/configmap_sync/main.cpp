// ConfigMaps kept the same in many clusters: those of the home cluster that are labelled sync=yes have a copy in every
// cluster that is selected. Clusters are Secrets of the home cluster, and selected by their labels.
// usage: configmap_sync [NAMESPACE [CLUSTER_SELECTOR]]
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/version.hpp>

#include "sync.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <string_view>

using namespace kcontrol;

namespace {

constexpr std::string_view help = R"(usage: configmap_sync [NAMESPACE [CLUSTER_SELECTOR]]
ConfigMaps of this cluster that are labelled sync=yes get a copy in every cluster that a Secret of NAMESPACE ("clusters")
names and that CLUSTER_SELECTOR takes by its labels (all). The cluster is that of $KUBECONFIG, of the pod or of ~/.kube/config.
  --version            which program this is
  --help               this text
)";

}  // namespace

int main(int argc, char** argv) {
    forbid_core_dumps();
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--version") return std::cout << "configmap_sync " << library_version << "\n", 0;
    if (first == "--help" || first == "-h") return std::cout << help, 0;
    if (argc > 3 || first.starts_with("-")) return std::cerr << help, 2;
    const auto selected = label_selector::parse(argc > 2 ? argv[2] : "");
    if (!selected) return std::cerr << "CLUSTER_SELECTOR: " << selected.error().what() << "\n", 2;
    system_environment env;
    boost::asio::io_context context(1);
    const auto ex = context.get_executor();
    const logger log(standard_error_sink(env));
    const auto home = find_cluster_config(env);
    if (!home) return std::cerr << home.error().what() << "\n", 1;

    const auto transport = http::make_transport_factory(env);
    multicluster_manager clusters(env, ex, multicluster_options().transport(transport).log(log));
    if (auto made = configmap_sync::add_to(clusters, *selected); !made) return std::cerr << made.error().what(), 1;

    secret_source source(env, ex, *home, transport,
                         secret_source_options().in_namespace(argc > 1 ? argv[1] : "clusters").log(log));
    const auto started = source.start([&](std::vector<desired_cluster> desired) {
        desired.emplace_back(configmap_sync::home, *home);
        clusters.set_desired(std::move(desired));
    });
    if (!started) return std::cerr << started.error().what() << "\n", 1;

    std::stop_source interrupted;
    signal_stop signals(ex, interrupted, log);
    const auto leave = [&]() -> awaitable<void> {
        async_event never;
        co_await never.wait(env, interrupted.get_token());
        source.stop();
        co_await clusters.stop();
        signals.cancel();
    };
    boost::asio::co_spawn(context, leave(), boost::asio::detached);
    context.run();
}
