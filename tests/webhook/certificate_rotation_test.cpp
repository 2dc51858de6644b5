// The whole way over sockets: an API server that calls a webhook with a certificate of an authority from a Secret.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/server.hpp>
#include <kcontrol/webhook/ca_bundle_injector.hpp>
#include <kcontrol/webhook/certificate_manager.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

awaitable<void> allow_all(http::server_request request, http::responder& out) {
    const auto review = json::parse(request.body);
    json::object response;
    response["uid"] = json::get_string(*review, {"request", "uid"});
    response["allowed"] = true;
    json::object whole;
    whole["apiVersion"] = "admission.k8s.io/v1";
    whole["kind"] = "AdmissionReview";
    whole["response"] = std::move(response);
    http::response answer(200, "application/json", json::serialize(json::value(std::move(whole))));
    (void)co_await out.send(std::move(answer));
}

// The answer's message, or empty where the map was made.
awaitable<std::string> create_map(std::shared_ptr<http::transport> way, std::string name) {
    http::request request;
    request.method = "POST";
    request.target = "/api/v1/namespaces/default/configmaps";
    request.headers.set("Content-Type", "application/json");
    request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})";
    const http::exchange_options bounds;
    const auto answer = co_await way->round_trip(std::move(request), bounds);
    if (!answer) co_return answer.error().what();
    if (answer->status == 201) co_return std::string();
    const auto status = json::parse(answer->body);
    co_return std::string(json::get_string(*status, {"message"}));
}

webhook_registration hook_for_maps() {
    webhook_registration out(webhook_registration::kind::validating, "maps.example.com", "/validate");
    out.rule(webhook_rule().operation("CREATE").api_group("").api_version("v1").resource("configmaps"));
    return out;
}

awaitable<void> scenario(environment& env, executor ex) {
    http::server hooks(
        env, ex, [](http::server_request request, http::responder& out) { return allow_all(std::move(request), out); });
    api_server_options options;
    options.webhook_services([&hooks](const std::string&, const std::string&, std::uint16_t) {
        return http::endpoint("https", "127.0.0.1", hooks.local_port());
    });
    local_api_server cluster(env, ex, options);
    REQUIRE(cluster.start());
    const auto factory = http::make_transport_factory(env);
    const auto config = cluster.config();
    const auto way = factory(ex, config.server(), config.tls()).value();
    const auto api = client::connect(env, ex, config, factory).value();

    certificate_manager_options names;
    names.secret("default", "authorities").service("default", "hooks");
    certificate_manager certificates(env, api, names);
    const auto refreshed = co_await certificates.refresh();
    REQUIRE_MESSAGE(refreshed, refreshed.error().what());
    REQUIRE(hooks.listen(http::listen_address("127.0.0.1", 0), certificates.load().value()));
    hooks.start();
    const std::vector<webhook_registration> all(1, hook_for_maps());
    const auto where = webhook_address::service("default", "hooks");
    ca_bundle_options whole;
    whole.whole(true);
    ca_bundle_injector bundles(env, api, "platform", all, where, whole);
    const auto written = co_await bundles.repair(certificates.bundle());
    REQUIRE_MESSAGE(written, written.error().what());
    CHECK(*written == 1);

    const std::string first = co_await create_map(way, "first");
    CHECK(first == "");
    // Another authority: the server's certificate is not the one that is trusted.
    certificate_manager_options others;
    others.secret("default", "others").service("default", "hooks");
    certificate_manager strange(env, api, others);
    const auto made = co_await strange.refresh();
    REQUIRE(made);
    const auto distrusting = co_await bundles.repair(strange.bundle());
    REQUIRE(distrusting);
    const std::string refused = co_await create_map(way, "second");
    CHECK(
        refused ==
        "Internal error occurred: failed calling webhook \"maps.example.com\": failed to call webhook: Post "
        "\"https://hooks.default.svc:443/validate?timeout=10s\": tls: failed to verify certificate: x509: certificate "
        "signed by unknown authority");
    // Both are trusted, then the server changes over: no call fails on the way.
    const auto both = co_await bundles.repair(certificates.bundle() + strange.bundle());
    REQUIRE(both);
    const std::string before = co_await create_map(way, "third");
    CHECK(before == "");
    REQUIRE(hooks.replace_tls(strange.load().value()));
    const std::string after = co_await create_map(way, "fourth");
    CHECK(after == "");
    const auto last = co_await bundles.repair(strange.bundle());
    REQUIRE(last);
    const std::string alone = co_await create_map(way, "fifth");
    CHECK(alone == "");

    way->close();
    co_await hooks.stop();
    co_await cluster.stop();
}

}  // namespace

TEST_CASE("a webhook with a certificate of its own authority is called, and goes on through a change of it") {
    boost::asio::io_context context;
    system_environment env;
    run(context, scenario(env, context.get_executor()));
}
