// The program before an API server on a socket, and before a real kube-apiserver where KUBEBUILDER_ASSETS or PATH has
// one.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/server_under_test.hpp>
#include <kcontrol/transport/client.hpp>

#include "hello_world.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>

using namespace kcontrol;
using api::core::v1::config_map;

namespace {

awaitable<result<void>> a_config_map_appears(environment& env, client c) {
    const auto installed = co_await install_crds<hello_world>(c);
    if (!installed) co_return installed.error();
    hello_world hello;
    hello.metadata.namespace_ = "default";
    hello.metadata.name = "hello";
    hello.spec.message = "Hello";
    const auto created = co_await c.create(hello);
    if (!created) co_return created.error();

    manager m(env, co_await boost::asio::this_coro::executor, c);
    const auto added = add_controllers(m);
    if (!added) co_return added.error();
    m.start();
    const namespaced_name key("default", "hello");
    const auto deadline = env.now() + std::chrono::seconds(30);
    result<void> outcome = error(errc::timeout, "no ConfigMap after 30 s");
    while (env.now() < deadline) {
        const auto found = co_await c.get<config_map>(key);
        if (found && found->data.contains("message")) {
            outcome = {};
            break;
        }
        co_await sleep_until(env, env.now() + std::chrono::milliseconds(20), {});
    }
    co_await m.stop();
    co_return outcome;
}

awaitable<result<void>> on(environment& env, testing::server_under_test& server) {
    const auto started = co_await server.start();
    if (!started) co_return started.error();
    const auto factory = http::make_transport_factory(env);
    auto connected = client::connect(env, co_await boost::asio::this_coro::executor, server.config(), factory);
    result<void> outcome = connected ? result<void>() : connected.error();
    if (connected) outcome = co_await a_config_map_appears(env, *connected);
    co_await server.stop();
    co_return outcome;
}

bool passes(const std::string& what, const result<void>& outcome) {
    std::cout << what << ": " << (outcome ? "passed" : outcome.error().what()) << "\n";
    return outcome.has_value();
}

}  // namespace

int main() {
    boost::asio::io_context context(1);
    system_environment env;
    const auto fake = testing::fake_apiserver(env, context.get_executor());
    bool well = passes("in-process server", testing::run(context, on(env, *fake)));
    if (const auto assets = testing::find_apiserver_assets(env)) {
        const auto real = testing::real_apiserver(env, context.get_executor(), *assets);
        well = passes("kube-apiserver", testing::run(context, on(env, *real), std::chrono::minutes(3))) && well;
    } else {
        std::cout << "kube-apiserver: skipped, for KUBEBUILDER_ASSETS does not name a folder with one\n";
    }
    return well ? 0 : 1;
}
