// A world with clusters, as a user's test sees it.
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "simulation/widget.hpp"
#include "support/print.hpp"

#include <stdexcept>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using kcontrol::test::widget;
using testing::sim_world;

const testing::group_resource widgets("test.kcontrol.dev", "widgets");

json::value widget_named(const char* name) {
    return {{"apiVersion", "test.kcontrol.dev/v1"}, {"kind", "Widget"}, {"metadata", {{"name", name}}}};
}

awaitable<int> after(environment& env, duration d) {
    co_await sleep_for(env, d, {});
    co_return 7;
}

awaitable<void> nap(environment& env, duration d) { co_await sleep_for(env, d, {}); }

TEST_CASE("kinds reach all servers, those before and those after") {
    sim_world world;
    auto& a = world.add_server("a");
    CHECK(a.api().create(widget_named("x")).error() == errc::no_such_kind);
    world.register_resource(testing::resource_type_of(resource_of<widget>()));
    CHECK(a.api().create(widget_named("x")));
    CHECK(world.add_server("b").api().create(widget_named("y")));
    CHECK(&world.add_server("a") == &a);
}

TEST_CASE("a client and an informer on a server of the world") {
    sim_world world(3);
    world.register_resource(testing::resource_type_of(resource_of<widget>()));
    auto& server = world.add_server("a");
    (void)server.api().create(widget_named("x")).value();
    client c = world.connect(server);
    CHECK(world.run(c.get<widget>({"default", "x"})));
    informer<widget> watched(world.env(), world.get_executor(), c);
    watched.start();
    CHECK(world.run_until([&] { return watched.has_synced(); }, 10s));
    CHECK(watched.list().size() == 1);
    CHECK(server.api().request_log().count("list", "widgets") == 1);
    world.network().set_link("a", testing::link_state::refused);
    world.network().break_connections("a");
    CHECK(!world.run(c.get<widget>({"default", "x"})));
    CHECK(world.ends_within(1s, watched.stop()));
    world.run_for(1s);
}

TEST_CASE("tokens are checked once the server knows any") {
    sim_world world;
    auto& server = world.add_server("a");
    server.api().access().set_tokens({{"t", "me"}});
    const auto config = server.config("t");
    CHECK(world.connect(config));
    CHECK(config.server().host == server.name());
}

TEST_CASE("what runs beyond its limit") {
    sim_world world;
    CHECK(world.run(after(world.env(), 59min)) == 7);
    CHECK_THROWS_AS(world.run(after(world.env(), 2s), 1s), std::runtime_error);
    CHECK(world.ends_within(2s, nap(world.env(), 1s)));
    CHECK(!world.ends_within(1s, nap(world.env(), 2s)));
    CHECK(!world.run_until([] { return false; }, 5s));
}

}  // namespace
