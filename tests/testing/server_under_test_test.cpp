// The same lines before the in-process server and, where KUBEBUILDER_ASSETS or PATH has one, a real one.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/server_under_test.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

std::optional<std::string> assets() {
    system_environment env;
    return find_apiserver_assets(env);
}

// A list through a transport of its own: the code, or what went wrong.
awaitable<int> ask(environment& env, executor ex, auth::cluster_config at, std::string method, std::string body) {
    const auto factory = http::make_transport_factory(env);
    auto transport = factory(ex, at.server(), at.tls());
    if (!transport) co_return -1;
    http::request request(std::move(method), "/api/v1/namespaces/default/configmaps");
    request.headers.set("Content-Type", "application/json");
    request.body = std::move(body);
    http::exchange_options options;
    const auto answer = co_await (*transport)->round_trip(std::move(request), std::move(options));
    (*transport)->close();
    if (!answer) co_return -2;
    co_return answer->status;
}

awaitable<void> a_test(environment& env, executor ex, server_under_test& server) {
    for (int round = 0; round < 2; ++round) {
        const auto started = co_await server.start();
        REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().what()));
        const std::string map = R"({"metadata":{"name":"one)" + std::to_string(round) + R"("},"data":{"a":"b"}})";
        const int made = co_await ask(env, ex, server.config(), "POST", map);
        CHECK(made == 201);
        const int twice = co_await ask(env, ex, server.config(), "POST", map);
        CHECK(twice == 409);
        const int wrong = co_await ask(env, ex, server.config(), "POST", R"({"metadata":{"name":"No Name"}})");
        CHECK(wrong == 422);
        CHECK(server.kubeconfig().find("server: https://127.0.0.1:") != std::string::npos);
        co_await server.stop();
    }
}

void run_on(std::unique_ptr<server_under_test> (*make)(environment&, executor)) {
    boost::asio::io_context context;
    system_environment env;
    const auto server = make(env, context.get_executor());
    testing::run(context, a_test(env, context.get_executor(), *server));
}

}  // namespace

TEST_CASE("a test runs before the in-process server") {
    run_on([](environment& env, executor ex) {
        return fake_apiserver(env, ex, api_server_options().default_and_validate(true));
    });
}

TEST_CASE("the same test runs before a real server" * doctest::skip(!assets())) {
    run_on([](environment& env, executor ex) { return real_apiserver(env, ex, *find_apiserver_assets(env)); });
}

TEST_CASE("a real server is looked for in KUBEBUILDER_ASSETS, then in PATH") {
    manual_environment env;
    CHECK_FALSE(find_apiserver_assets(env));
    env.variables["PATH"] = "/nowhere:/usr/bin:/opt/k8s";
    env.files["/opt/k8s/etcd"] = "";
    CHECK_FALSE(find_apiserver_assets(env));
    env.files["/opt/k8s/kube-apiserver"] = "";
    CHECK(find_apiserver_assets(env) == "/opt/k8s");
    env.variables["KUBEBUILDER_ASSETS"] = "/assets";
    CHECK(find_apiserver_assets(env) == "/opt/k8s");
    env.files["/assets/etcd"] = "";
    env.files["/assets/kube-apiserver"] = "";
    CHECK(find_apiserver_assets(env) == "/assets");
}
