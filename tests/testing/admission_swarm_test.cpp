// Webhooks that break in every way while several clients write: what failurePolicy promises holds under every seed.
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "support/print.hpp"
#include "testing/scripted_webhook.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

struct swarm {
    explicit swarm(std::uint64_t seed) : world(seed) {}

    sim_world world;
    sim_server& server = world.add_server("cluster");
    std::shared_ptr<http::transport> way =
        world.network().factory()(world.get_executor(), http::endpoint("https", "cluster", 443), {}).value();
    scripted_webhook marker{
        world, "marker", [](const json::value&) {
            return patched(json::array{{{"op", "add"}, {"path", "/metadata/labels"}, {"value", {{"marked", "yes"}}}}});
        }};
    std::set<std::string> approved;
    scripted_webhook judge{world, "judge", [this](const json::value& request) {
                               const std::string name(json::get_string(request, {"name"}));
                               CHECK(request.at("object").at("metadata").as_object().contains("labels"));
                               if (name.ends_with("7")) return deny("no sevens");
                               approved.insert(name);
                               return allow();
                           }};
    std::map<std::string, int> answers;  // by name, the code

    awaitable<void> write(int from, int to) {
        for (int i = from; i < to; ++i) {
            const std::string name = "m" + std::to_string(i);
            http::request request;
            request.method = "POST";
            request.target = "/api/v1/namespaces/default/configmaps";
            request.headers.set("Content-Type", "application/json");
            request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})";
            http::exchange_options bounds;
            bounds.deadline(1min);
            const auto answer = co_await way->round_trip(std::move(request), bounds);
            answers[name] = answer ? answer->status : 0;
        }
    }

    void break_something(scripted_webhook& hook) {
        auto& network = world.network();
        network.set_link(hook.host(), link_state::up);
        network.set_latency(hook.host(), 1ms, 20ms);
        hook.instead = http::response(0);
        switch (world.context().random() % 7) {
        case 0: return network.set_link(hook.host(), link_state::refused);
        case 1: return network.set_link(hook.host(), link_state::black_hole);
        case 2: return network.set_latency(hook.host(), 1s, 5s);
        case 3: return network.break_connections(hook.host());
        case 4: hook.instead = http::response(503, "text/plain", "later"); return;
        case 5: hook.instead = http::response(200, "application/json", "\x01\xff{"); return;
        default: return;
        }
    }
};

}  // namespace

TEST_CASE("what failurePolicy promises holds, however webhooks break") {
    int refused_by_failure = 0;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        CAPTURE(seed);
        const bool fails = seed % 2 == 1;
        swarm s(seed);
        const json::object how{{"timeoutSeconds", 2}, {"failurePolicy", fails ? "Fail" : "Ignore"}};
        const json::object judging{{"timeoutSeconds", 2}, {"failurePolicy", "Fail"}};
        REQUIRE(s.server.api().create(configuration("Mutating", "marks", {hook_of("mark", "marker", how)})));
        if (fails) {
            REQUIRE(s.server.api().create(configuration("Validating", "judges", {hook_of("judge", "judge", judging)})));
        }
        for (int writer = 0; writer < 4; ++writer) {
            boost::asio::co_spawn(s.world.get_executor(), s.write(writer * 25, writer * 25 + 25),
                                  boost::asio::detached);
        }
        for (int step = 0; step < 2000 && s.answers.size() < 100; ++step) {
            s.break_something(s.marker);
            s.break_something(s.judge);
            s.world.run_for(500ms);
        }
        REQUIRE(s.answers.size() == 100);  // everybody has been answered
        const auto stored = s.server.api().list({"", "configmaps"});
        std::size_t made = 0;
        for (const auto& [name, code] : s.answers) {
            made += code == 201 ? 1 : 0;
            refused_by_failure += code == 500 ? 1 : 0;
            CHECK(code != 0);
            if (!fails) CHECK(code == 201);
        }
        CHECK(stored.size() == made);
        for (const auto& object : stored) {
            const std::string name(json::get_string(object, {"metadata", "name"}));
            if (!fails) continue;
            CHECK(json::get_string(object, {"metadata", "labels", "marked"}) == "yes");
            CHECK(s.approved.contains(name));
            CHECK_FALSE(name.ends_with("7"));
        }
    }
    CHECK(refused_by_failure > 0);
}
