// For tests/e2e/test_sharding.py: one of several replicas that share clusters, which are namespaces s0, s1, … of a real
// API server.
//     sharding_probe KUBECONFIG IDENTITY CLUSTERS LEASE_MS RENEW_MS RETRY_MS SETTLE_MS
// In each cluster that is its own it writes who it is into the ConfigMap "work", again and again. All that it asks
// there it asks as the user of its identity, so that the server's audit log tells who asked what. SIGTERM ends it in
// good order.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

using namespace kcontrol;
using api::core::v1::config_map;

namespace {

// Its own write brings about the next reconcile.
reconciliation write(environment& env, std::string identity, reconcile_context ctx, request req) {
    co_await sleep_for(env, std::chrono::milliseconds(100), ctx.stop());
    static int count = 0;
    const std::string patch = R"({"data":{"by":")" + identity + R"(","n":")" + std::to_string(++count) + R"("}})";
    client c = ctx.get_cluster().get_client();
    const auto written = co_await c.patch(resource_of<config_map>(), namespaced_name(req.namespace_, req.name),
                                          "application/merge-patch+json", patch, write_options().stop(ctx.stop()));
    if (!written) co_return written.error();
    co_return reconcile_result::done();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 8) {
        std::cerr << "usage: sharding_probe KUBECONFIG IDENTITY CLUSTERS LEASE_MS RENEW_MS RETRY_MS SETTLE_MS\n";
        return 2;
    }
    system_environment env;
    boost::asio::io_context context(1);
    const logger log(standard_error_sink(env));
    auto home = find_cluster_config(env, argv[1]);
    if (!home) return std::cerr << home.error().what() << "\n", 1;
    const std::string identity = argv[2];
    const auto time = [&](int i) { return std::chrono::milliseconds(std::atoi(argv[i])); };
    sharding_options how({"default", "probe"});
    how.identity(identity).lease_duration(time(4)).renew_deadline(time(5)).retry_period(time(6)).settle_period(time(7));
    home->impersonate(auth::impersonation(identity).groups({"system:masters"}));
    multicluster_manager m(
        env, context.get_executor(),
        multicluster_options().transport(http::make_transport_factory(env)).sharding(how, *home).log(log));
    const auto reconcile = [&](reconcile_context ctx, request req) {
        return write(env, identity, std::move(ctx), std::move(req));
    };
    const auto made = multicluster_controller(m, "work")
                          .for_<config_map>(kind_options().label_selector("probe=yes"))
                          .complete(reconcile);
    if (!made) return std::cerr << made.error().what() << "\n", 1;
    std::vector<desired_cluster> all;
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
        all.emplace_back("s" + std::to_string(i), *home);
        all.back().namespaces = {all.back().name};
    }
    m.set_desired(std::move(all));
    if (m.last_error()) return std::cerr << m.last_error()->what() << "\n", 1;

    std::stop_source interrupted;
    signal_stop signals(context.get_executor(), interrupted, log);
    const auto leave = [&]() -> awaitable<void> {
        async_event never;
        co_await never.wait(env, interrupted.get_token());
        co_await m.stop();
        signals.cancel();
    };
    boost::asio::co_spawn(context, leave(), boost::asio::detached);
    context.run();
}
