// Tokens and authorities from Secrets and ConfigMaps.
#include "queries/server_keys.hpp"

#include <kcontrol/testing/sim_world.hpp>

#include <doctest/doctest.h>

using namespace inference_autoscaler;
using namespace std::chrono_literals;

namespace {

struct reading_keys {
    testing::sim_world world{1};
    testing::sim_server& server = world.add_server("cluster");
    server_keys keys{world.env(), world.connect(server)};
    prometheus_source source;
    std::size_t requests = 0;

    reading_keys() {
        source.url = "https://prometheus:9090";
        server.api().set_faults([this](const http::server_request&) {
            ++requests;
            return testing::fault();
        });
        source.token_from.emplace();
        source.token_from->name = "login";
        source.token_from->key = "token";
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", {{"name", "login"}}},
                     {"data", {{"token", "c2VjcmV0Cg=="}, {"blank", "Cg=="}}}})
            .value();
        (void)server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", "ca"}}},
                     {"data", {{"ca.crt", "PEM\n"}}}})
            .value();
    }
    result<metric_server> read() { return world.run(keys.read(source, "default", {})); }
};

}  // namespace

TEST_CASE_FIXTURE(reading_keys, "both keys are read, without the line's end, and hold for a minute") {
    source.ca_from.emplace();
    source.ca_from->name = "ca";
    source.ca_from->key = "ca.crt";
    source.max_age_seconds = 7;
    const auto got = read();
    REQUIRE(got);
    CHECK(got->token.reveal() == "secret");
    CHECK(got->ca_pem == "PEM");
    CHECK(got->max_age == 7s);
    CHECK(requests == 2);
    (void)server.api().patch({"", "secrets"}, {"default", "login"}, {{"data", {{"token", "bmV3"}}}}).value();
    world.run_for(59s);
    CHECK(read()->token.reveal() == "secret");
    CHECK(requests == 2);
    world.run_for(2s);
    CHECK(read()->token.reveal() == "new");
}

TEST_CASE_FIXTURE(reading_keys, "what is absent is named, and asked for again") {
    source.token_from->key = "none";
    CHECK(
        read().error().message() ==
        "metrics.prometheus.tokenFrom: Secret default/login has no key none with a text; add it, or name another key");
    source.token_from->key = "blank";
    CHECK_FALSE(read());
    source.token_from->name = "other";
    const auto got = read();
    REQUIRE_FALSE(got);
    CHECK(got.error() == condition::not_found);
    CHECK(got.error().message().starts_with("metrics.prometheus.tokenFrom: Secret default/other: "));
    CHECK(requests == 3);
    source.token_from.reset();
    CHECK(read()->token.empty());
}
