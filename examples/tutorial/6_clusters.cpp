// One controller over several clusters: the pods of all of them. Clusters join, get new credentials and leave while it
// runs, as one or more sources say: a directory of kubeconfigs, a kubeconfig with several contexts, and the namespaces
// and ClusterProfiles of a home cluster ($KUBECONFIG, the pod's own, ~/.kube/config).
#include <kcontrol/base/flags.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/multicluster/cluster_profile_source.hpp>
#include <kcontrol/multicluster/context_source.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/namespace_source.hpp>
#include <kcontrol/multicluster/union_source.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "pod.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <charconv>
#include <csignal>
#include <iostream>
#include <memory>
#include <thread>

using namespace kcontrol;

namespace {

constexpr const char* usage =
    "usage: 6_clusters [--threads N] [--directory DIR] [--contexts FILE] [--namespaces SELECTOR]\n"
    "                  [--cluster-profiles PROVIDER=PROGRAM]     the program prints the credentials of the profiles\n";
constexpr flag_shape flags[] = {
    {"--threads"}, {"--directory"}, {"--contexts"}, {"--namespaces"}, {"--cluster-profiles"}};

// One write a line: several threads print.
void print(std::string line) { std::cout << (line += "\n") << std::flush; }

// The request says of which cluster it is; ctx.get_client() is that cluster's client, and ctx.stop() ends with it.
reconcile_result tell(reconcile_context, request req, std::shared_ptr<const pod> found) {
    print(req.cluster + " " + req.namespace_ + "/" + req.name + " " + (found ? found->status.phase : "deleted"));
    return reconcile_result::done();
}

void print_status(const cluster_status& status) {
    print(status.name + " is " + std::string(to_string(status.state)) + (status.reason.empty() ? "" : ": ") +
          status.reason);
}

// A source says which clusters there should be. The names of the union's begin with that of their source.
result<void> add_source(union_source& all, environment& env, const executor& ex, std::string_view flag,
                        const std::string& value) {
    const auto trust = auth::trust::trusted;  // kubeconfigs of one's own may name files and commands
    if (flag == "--directory") return all.add("directory", std::make_shared<directory_source>(env, ex, value, trust));
    if (flag == "--contexts") return all.add("context", std::make_shared<context_source>(env, ex, value));
    const auto home = find_cluster_config(env);
    if (!home) return home.error();
    const auto transport = http::make_transport_factory(env);
    if (flag == "--namespaces") {
        const auto which = namespace_source_options().selector(value);
        return all.add("namespace", std::make_shared<namespace_source>(env, ex, *home, transport, which));
    }
    const auto middle = value.find('=');
    if (middle == std::string::npos) return error(errc::invalid_argument, value + ": want PROVIDER=PROGRAM");
    const auth::exec_command login("client.authentication.k8s.io/v1", value.substr(middle + 1));
    const auto how = cluster_profile_options().access(value.substr(0, middle), login);
    return all.add("profile", std::make_shared<cluster_profile_source>(env, ex, *home, transport, how));
}

}  // namespace

int main(int argc, char** argv) {
    const auto given = split_arguments({argv + 1, argv + argc}, flags, "below");
    if (!given || given->empty()) return std::cerr << (given ? "" : given.error().what() + "\n") << usage, 2;
    std::size_t threads = 1;
    for (const argument& each : *given) {
        if (each.is_word()) return std::cerr << usage, 2;
        if (each.flag == 0) std::from_chars(each.text.data(), each.text.data() + each.text.size(), threads);
    }
    system_environment env;
    const logger log(standard_error_sink(env));
    boost::asio::io_context context(static_cast<int>(threads));

    multicluster_options options;
    options.transport(http::make_transport_factory(env)).on_status(print_status);
    options.on_removed([](const std::string& cluster) { print(cluster + " left"); });
    // Several threads share the work by clusters: what is about one of them is done in order, on a strand of its own.
    if (threads > 1) options.cluster_executor(context.get_executor());
    multicluster_manager clusters(env, context.get_executor(), options);

    // The builder and the reconciler of one cluster. Each that engages, now or later, gets a controller of its own, so
    // that one that is slow, or forbids something, holds up no other.
    const auto made = multicluster_controller(clusters, "pods").for_<pod>().complete(tell);
    if (!made) return std::cerr << made.error().what() << "\n", 1;

    // The manager engages, rebuilds and disengages what the sources say together.
    union_source all(env, clusters.get_executor(), union_source_options().log(log));
    for (const argument& each : *given) {
        if (each.flag == 0) continue;
        const auto name = flags[each.flag].name;
        const auto added = add_source(all, env, clusters.get_executor(), name, std::string(each.text));
        if (!added) return std::cerr << name << ": " << added.error().what() << "\n", 2;
    }
    const auto started =
        all.start([&clusters](std::vector<desired_cluster> desired) { clusters.set_desired(std::move(desired)); });
    if (!started) return std::cerr << started.error().what() << "\n", 1;

    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&context](auto, int) { context.stop(); });
    std::vector<std::jthread> others;  // seam: ok, the loop is this program's
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&context] { context.run(); });
    context.run();
}
