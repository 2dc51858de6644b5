// An informer that lists and follows; that is stopped, started, rebuilt and destroyed.
#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stop_token>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;
using fixture = informer_fixture;

TEST_CASE_FIXTURE(fixture, "informer: lists, then follows every change") {
    server.create("x", 1);
    CHECK(watched.status().state == informer_state::idle);
    watched.start();
    settle();
    CHECK(take() == "+x(initial) ");
    CHECK(watched.has_synced());
    CHECK(watched.status().state == informer_state::live);
    server.create("y", 2);
    server.set_value("x", 5);
    server.remove("y");
    settle();
    CHECK(take() == "+y ~x -y ");
    REQUIRE(watched.get({"default", "x"}) != nullptr);
    CHECK(watched.get({"default", "x"})->spec.value == 5);
    CHECK(watched.list().size() == 1);
    CHECK(server.lists() == 1);
    CHECK(server.watches() == 1);
}

TEST_CASE_FIXTURE(fixture, "informer: stop ends its requests within a second; start resumes without a list") {
    server.create("x");
    watched.start();
    settle();
    take();
    CHECK(ends_within(1s, watched.stop()));
    settle();
    CHECK(network.open_exchanges("a") == 0);
    CHECK(watched.status().state == informer_state::paused);
    server.set_value("x", 7);
    settle();
    CHECK(take().empty());
    watched.start();
    settle();
    CHECK(take() == "~x ");
    CHECK(watched.status().generation == 2);
    CHECK(server.lists() == 1);
    CHECK(ends_within(1s, watched.stop()));
    CHECK(ends_within(1s, watched.stop()));
}

TEST_CASE_FIXTURE(fixture, "informer: a parent's stop token ends it like stop()") {
    std::stop_source parent;
    watched.start(parent.get_token());
    settle();
    parent.request_stop();
    settle();
    CHECK(network.open_exchanges("a") == 0);
    watched.start();
    settle();
    CHECK(watched.status().state == informer_state::live);
}

TEST_CASE_FIXTURE(fixture, "informer: a rebuild with new credentials resumes and notifies nothing twice") {
    for (int i = 0; i < 50; ++i) server.create("w" + std::to_string(i));
    watched.start();
    settle();
    take();
    server.api.access().set_tokens({{"new", "u"}});
    watched.rebuild(connect(server.config("new")));
    server.create("late");
    settle();
    CHECK(take() == "+late ");
    CHECK(watched.status().generation == 2);
    CHECK(server.lists() == 1);
}

TEST_CASE_FIXTURE(fixture, "informer: a rebuild towards another server lists it and tells the difference only") {
    auto& other = add("b");
    for (const auto* name : {"x", "y"}) server.create(name);
    watched.start();
    settle();
    take();
    other.create("y");
    other.create("z");
    watched.rebuild(connect(other.config()), resume_mode::relist);
    settle();
    // The other server's y is another object: another uid.
    CHECK(take() == "-x(inferred) -y(inferred) +y +z ");
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE_FIXTURE(fixture, "informer: many rebuilds in a row leave one watch and lose nothing") {
    watched.start();
    for (int i = 0; i < 20; ++i) {
        watched.rebuild(connect(server.config()));
        server.create("w" + std::to_string(i));
        if (i % 3 == 0) settle(10ms);
    }
    settle(5s);
    CHECK(watched.list().size() == 20);
    CHECK(network.open_exchanges("a") == 1);
    CHECK(server.api.request_log().open_watches() == 1);
}

TEST_CASE_FIXTURE(fixture, "informer: history that expired during a stop is bridged by a compared list") {
    for (const auto* name : {"gone", "kept", "changed"}) server.create(name);
    watched.start();
    settle();
    take();
    ends_within(1s, watched.stop());
    server.remove("gone");
    server.set_value("changed", 3);
    server.create("fresh");
    server.api.compact(server.api.resource_version());
    watched.start();
    settle();
    CHECK(take() == "-gone(inferred) ~changed +fresh ");
    CHECK(server.lists() == 2);
}

TEST_CASE_FIXTURE(fixture, "informer: wait_synced waits for the first list, a deadline or a stop") {
    network.set_link("a", link_state::refused);
    watched.start();
    CHECK_FALSE(run(watched.wait_synced({}, env.now() + 2s)));
    std::stop_source stopped;
    stopped.request_stop();
    CHECK_FALSE(run(watched.wait_synced(stopped.get_token())));
    network.set_link("a", link_state::up);
    CHECK(run(watched.wait_synced({})));
}

TEST_CASE("informer: destroying it ends its requests, and nothing is called afterwards") {
    widget_world world;
    auto& server = world.add("a");
    int calls = 0;
    auto watched = std::make_unique<informer<widget>>(world.env, world.home, world.connect(server.config()));
    auto held = watched->subscribe([&](const any_event&) { ++calls; });
    watched->start();
    world.context.run_for(1s);
    auto ending = watched->stop();  // outlives what it is awaited of
    watched.reset();
    CHECK(world.run(std::move(ending)));
    server.create("x");
    world.context.run_for(1s);
    CHECK(calls == 0);
    CHECK(world.network.open_exchanges("a") == 0);
}

TEST_CASE("informer: stopped at any step it ends within a second and can start again") {
    // Virtual time is cut ever later: before, during and after the list, the watch and its events.
    for (int step = 0; step < 60; ++step) {
        CAPTURE(step);
        fixture f(informer_options().page_size(2));
        for (int i = 0; i < 5; ++i) f.server.create("w" + std::to_string(i));
        f.watched.start();
        f.settle(step * 700us);
        CHECK(f.ends_within(1s, f.watched.stop()));
        f.settle(10ms);
        CHECK(f.network.open_exchanges("a") == 0);
        f.watched.start();
        f.settle();
        CHECK(f.watched.list().size() == 5);
        CHECK(f.log.size() == 5 * std::string("+w0(initial) ").size());
    }
}

}  // namespace
