// The program before an API server on a socket, or with --real before a kube-apiserver, which KUBEBUILDER_ASSETS or PATH
// has to have.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/client/wait_until.hpp>
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/runtime/system_environment.hpp>
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

bool has_message(const config_map* found) { return found != nullptr && found->data.contains("message"); }

bool is_ready(const hello_world* found) {
    return found != nullptr && !found->status.conditions.empty() && found->status.conditions[0].status == "True";
}

// A life: the object is made, its ConfigMap and its condition appear, and it goes when it is deleted. wait_until() ends
// with an error that says what was there last.
awaitable<result<void>> live(client c) {
    const namespaced_name key("default", "hello");
    hello_world hello;
    hello.metadata.namespace_ = key.namespace_;
    hello.metadata.name = key.name;
    hello.spec.message = "Hello";
    const auto created = co_await c.create(hello);
    if (!created) co_return created.error();
    const auto patiently = wait_options().deadline(std::chrono::minutes(1));
    const auto there = co_await wait_until<config_map>(c, key, has_message, patiently);
    if (!there) co_return there.error();
    const auto ready = co_await wait_until<hello_world>(c, key, is_ready, patiently);
    if (!ready) co_return ready.error();
    co_return co_await delete_and_wait<hello_world>(c, key, delete_options(), patiently);
}

awaitable<result<void>> run_program(environment& env, client c) {
    const auto installed = co_await install_crds<hello_world>(c);
    if (!installed) co_return installed.error();
    manager m(env, co_await boost::asio::this_coro::executor, c);
    const auto added = add_controllers(m);
    if (!added) co_return added.error();
    m.start();
    auto outcome = co_await live(c);
    co_await m.stop();
    co_return outcome;
}

awaitable<result<void>> on(environment& env, testing::server_under_test& server) {
    const auto started = co_await server.start();
    if (!started) co_return started.error();
    const auto factory = http::make_transport_factory(env);
    auto connected = client::connect(env, co_await boost::asio::this_coro::executor, server.config(), factory);
    result<void> outcome = connected ? result<void>() : connected.error();
    if (connected) outcome = co_await run_program(env, *connected);
    co_await server.stop();
    co_return outcome;
}

int report(const std::string& what, const result<void>& outcome) {
    std::cout << what << ": " << (outcome ? "passed" : outcome.error().what()) << "\n";
    return outcome ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    boost::asio::io_context context(1);
    system_environment env;
    if (argc < 2 || std::string(argv[1]) != "--real") {
        const auto fake = testing::fake_apiserver(env, context.get_executor());
        return report("in-process server", testing::run(context, on(env, *fake)));
    }
    const auto assets = testing::find_apiserver_assets(env);
    if (!assets) {
        return report("kube-apiserver",
                      error(errc::unavailable, "there is none: set KUBEBUILDER_ASSETS to a folder with kube-apiserver "
                                               "and etcd (setup-envtest downloads them), or configure with "
                                               "-DREAL_SERVER_TEST=OFF"));
    }
    const auto real = testing::real_apiserver(env, context.get_executor(), *assets);
    return report("kube-apiserver", testing::run(context, on(env, *real), std::chrono::minutes(3)));
}
