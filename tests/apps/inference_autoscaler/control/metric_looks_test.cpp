// A look at a Prometheus server: all queries at once, equal ones once.
#include "control/metric_looks.hpp"

#include <kcontrol/testing/sim_world.hpp>

#include "metric_servers.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace inference_autoscaler;
using namespace std::chrono_literals;

namespace {

struct looking {
    testing::sim_world world{1};
    testing::sim_server& server = world.add_server("cluster");
    tests::metric_servers metrics{world};
    metric_looks looks{world.env(), world.get_executor(), world.network().factory(), world.connect(server)};
    inference_scaler scaler;
    std::vector<scaling_rule> rules;
    target_pods ready{std::make_shared<target_pod>()};

    looking() {
        scaler.metadata.namespace_ = "default";
        scaler.spec.metrics.prometheus.emplace().url = "http://metrics";
    }
    void add_rule(const char* query, const char* idle = "") {
        auto& rule = rules.emplace_back();
        rule.query = query;
        rule.idle_query = idle;
    }
    look read() { return world.run(looks.read(scaler, rules, ready, {})); }
};

}  // namespace

TEST_CASE_FIXTURE(looking, "a server that hangs costs 5 s, whatever the number of rules") {
    for (const char* query : {"a", "b", "c", "d", "e", "f"}) {
        add_rule(query);
        metrics.values[query] = "hangs";
    }
    metrics.values["c"] = "7";
    scaler.spec.zero.emplace().wake.emplace().query = "w";
    metrics.values["w"] = "hangs";
    const auto begun = world.env().now();
    const auto seen = read();
    CHECK(world.env().now() - begun >= 5s);
    CHECK(world.env().now() - begun < 5100ms);
    REQUIRE(seen.rules.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(value_of(seen.rules[i]).has_value() == (i == 2));
    CHECK(*seen.rules[2].value.known() == 7);
    CHECK(seen.rules[5].value.missing()->reason == missing_reason::no_answer);
    CHECK(seen.wake->missing()->reason == missing_reason::no_answer);
}

TEST_CASE_FIXTURE(looking, "equal queries once; idleQuery where there is no number") {
    metrics.values = {{"a", "2"}, {"idle", "0"}, {"busy", "3"}};
    add_rule("a");
    add_rule("none", "idle");
    add_rule("a");
    add_rule("none", "busy");
    const auto seen = read();
    CHECK(value_of(seen.rules[0]) == 2);
    CHECK(value_of(seen.rules[1]) == 0);
    CHECK(value_of(seen.rules[2]) == 2);
    CHECK_FALSE(value_of(seen.rules[3]).has_value());
    std::ranges::sort(metrics.queries);
    CHECK(metrics.queries == std::vector<std::string>{"a", "busy", "idle", "none"});
    CHECK_FALSE(seen.wake.has_value());
}

TEST_CASE_FIXTURE(looking, "without ready pods the wake query alone is asked, and without its key nothing") {
    add_rule("a");
    ready.clear();
    scaler.spec.zero.emplace().wake.emplace().query = "w";
    metrics.values["w"] = "4";
    const auto seen = read();
    CHECK(*seen.wake->known() == 4);
    CHECK(seen.rules[0].value.missing()->reason == missing_reason::empty);
    CHECK(metrics.queries == std::vector<std::string>{"w"});
    auto& key = scaler.spec.metrics.prometheus->token_from.emplace();
    key.name = "login";
    key.key = "token";
    const auto none = read();
    CHECK(none.rules[0].value.missing()->reason == missing_reason::refused);
    CHECK(none.wake->missing()->words.find("tokenFrom: Secret default/login") != std::string::npos);
    CHECK(metrics.queries.size() == 1);
}
