// For tests/e2e/test_cluster_sources.py: clusters from a real API server's own objects and from a file, as one union,
// and a controller over all of them. A line "clusters …" tells the set each time it changes, each cluster with what is
// wrong with it; a line "NAME NAMESPACE/CONFIGMAP" is a reconcile there.
// usage: cluster_sources_probe KUBECONFIG CERTIFICATE KEY   (of the administrator, for the clusters of ClusterProfiles)
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/multicluster/cluster_profile_source.hpp>
#include <kcontrol/multicluster/context_source.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/namespace_source.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/multicluster/union_source.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

using namespace kcontrol;
using api::core::v1::config_map;

namespace {

std::string read(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The administrator's certificate, for whatever cluster a profile names.
class certificate final : public auth::credential_provider {
public:
    certificate(std::string chain, std::string key) : chain_(std::move(chain)), key_(std::move(key)) {}
    awaitable<result<auth::issued_credentials>> issue(std::stop_token) override {
        auth::issued_credentials out;
        out.client_certificate(chain_, secret_string(key_));
        co_return out;
    }

private:
    std::string chain_, key_;
};

void print(const std::vector<desired_cluster>& all) {
    std::cout << "clusters";
    for (const auto& one : all) {
        std::cout << " " << one.name;
        if (!one.config) std::cout << " (" << one.config.error().what() << ")";
        if (!one.warning.empty()) std::cout << " [" << one.warning << "]";
    }
    std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: cluster_sources_probe KUBECONFIG CERTIFICATE KEY\n", 2;
    system_environment env;
    boost::asio::io_context context(1);
    const auto ex = context.get_executor();
    const logger log(standard_error_sink(env));
    const auto home = find_cluster_config(env, argv[1], "");
    if (!home) return std::cerr << home.error().what() << "\n", 1;
    const auto transport = http::make_transport_factory(env);

    multicluster_manager clusters(env, ex, multicluster_options().transport(transport).log(log));
    const auto say = [](reconcile_context ctx, request req) -> reconcile_result {
        static_cast<void>(ctx);
        std::cout << req.cluster << " " << req.namespace_ << "/" << req.name << std::endl;
        return reconcile_result::done();
    };
    const auto made = multicluster_controller(clusters, "say")
                          .for_<config_map>(kind_options().label_selector("probe=yes"))
                          .complete(say);
    if (!made) return std::cerr << made.error().what() << "\n", 1;

    const auto login = std::make_shared<certificate>(read(argv[2]), read(argv[3]));
    cluster_profile_options profiles;
    profiles.in_namespace("default").access("admin", [login](const namespaced_name&, const auth::cluster_config&) {
        return std::shared_ptr<auth::credential_provider>(login);
    });
    union_source all(env, ex, union_source_options().log(log));
    const auto add = [&](const char* prefix, std::shared_ptr<cluster_source> source) {
        const auto added = all.add(prefix, std::move(source));
        if (!added) std::cerr << added.error().what() << "\n";
    };
    const auto secrets = [&](secret_source_options how) {
        return std::make_shared<secret_source>(env, ex, *home, transport, how.in_namespace("default").log(log));
    };
    add("file", std::make_shared<context_source>(env, ex, argv[1], context_source_options().log(log)));
    add("secret", secrets(secret_source_options()));
    add("capi", secrets(secret_source_options::cluster_api()));
    add("profile", std::make_shared<cluster_profile_source>(env, ex, *home, transport, profiles.log(log)));
    add("ns", std::make_shared<namespace_source>(env, ex, *home, transport,
                                                 namespace_source_options().selector("tenant=yes").log(log)));
    const auto started = all.start([&](std::vector<desired_cluster> desired) {
        print(desired);
        clusters.set_desired(std::move(desired));
    });
    if (!started) return std::cerr << started.error().what() << "\n", 1;

    std::stop_source interrupted;
    signal_stop signals(ex, interrupted, log);
    const auto leave = [&]() -> awaitable<void> {
        async_event never;
        co_await never.wait(env, interrupted.get_token());
        all.stop();
        co_await clusters.stop();
        signals.cancel();
    };
    boost::asio::co_spawn(context, leave(), boost::asio::detached);
    context.run();
}
