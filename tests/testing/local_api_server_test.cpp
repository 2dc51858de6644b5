#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

awaitable<int> ask(http::transport_factory factory, executor ex, auth::cluster_config config) {
    auto transport = factory(ex, config.server(), config.tls());
    if (!transport) co_return -1;
    http::request request("GET", "/api/v1/namespaces/default");
    if (!config.token().empty()) request.headers.set("Authorization", "Bearer " + std::string(config.token().reveal()));
    http::exchange_options options;
    const auto answer = co_await (*transport)->round_trip(std::move(request), std::move(options));
    (*transport)->close();
    if (!answer) co_return -2;
    co_return answer->status;
}

awaitable<void> scenario(environment& env, executor ex) {
    local_api_server one(env, ex);
    local_api_server two(env, ex, {}, false);
    REQUIRE(one.start());
    REQUIRE(two.start());
    CHECK(one.port() != two.port());
    const auto factory = http::make_transport_factory(env);
    const int over_tls = co_await ask(factory, ex, one.config());
    CHECK(over_tls == 200);
    const int plain = co_await ask(factory, ex, two.config());
    CHECK(plain == 200);

    one.api().access().set_tokens({{"secret", "robot"}});
    const int refused = co_await ask(factory, ex, one.config());
    CHECK(refused == 401);
    const int accepted = co_await ask(factory, ex, one.config("secret"));
    CHECK(accepted == 200);

    // A restart keeps address and objects; new certificates shut old configs out.
    const auto old_config = one.config("secret");
    const auto port = one.port();
    co_await one.stop();
    REQUIRE(one.rotate_authority());
    REQUIRE(one.start());
    CHECK(one.port() == port);
    const int distrusted = co_await ask(factory, ex, old_config);
    CHECK(distrusted == -2);
    const int trusted = co_await ask(factory, ex, one.config("secret"));
    CHECK(trusted == 200);
    co_await one.stop();
    co_await two.stop();
}

// What one server issued, another one with its authority is believed by; and paths that are not the API's.
awaitable<void> share_authority(environment& env, executor ex) {
    http::certificate_options names(env.wall_now());
    auto authority = http::certificate_authority::create(names.common_name("mine"));
    REQUIRE(authority);
    const http::key_and_certificate kept(authority->cert_pem(), authority->key_pem());
    local_api_server one(env, ex), two(env, ex);
    one.set_authority(std::move(*authority));
    auto again = http::certificate_authority::load(kept);
    REQUIRE(again);
    two.set_authority(std::move(*again));
    REQUIRE(one.start());
    REQUIRE(two.start(http::listen_address("", 0)));
    auto config = one.config();
    config.server(two.config().server());
    CHECK(config.server().host == "127.0.0.1");
    const auto factory = http::make_transport_factory(env);
    const int believed = co_await ask(factory, ex, config);
    CHECK(believed == 200);
    two.mount("/api/v1/namespaces/", [](http::server_request, http::responder& out) -> awaitable<void> {
        http::response mine(418);
        (void)co_await out.send(std::move(mine));
    });
    const int own = co_await ask(factory, ex, config);
    CHECK(own == 418);
    co_await one.stop();
    co_await two.stop();

    auto other = http::certificate_authority::create(names);
    REQUIRE(other);
    CHECK_FALSE(http::certificate_authority::load({kept.cert_pem, other->key_pem()}));
    CHECK_FALSE(http::certificate_authority::load({"no PEM", other->key_pem()}));
}

}  // namespace

TEST_CASE("an authority that is kept is believed again, and a server may have paths of its own") {
    boost::asio::io_context context;
    system_environment env;
    testing::run(context, share_authority(env, context.get_executor()));
}

TEST_CASE("API servers on loopback, with TLS and without") {
    boost::asio::io_context context;
    system_environment env;
    testing::run(context, scenario(env, context.get_executor()));
}
