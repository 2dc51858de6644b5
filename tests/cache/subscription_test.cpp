// What an informer calls: handlers and callbacks, those that come late, take themselves back, and throw.
#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using fixture = informer_fixture;

TEST_CASE_FIXTURE(fixture, "informer: a late handler gets the present state as initial additions, then the changes") {
    server.create("x");
    watched.start();
    settle();
    std::string heard;
    auto late = watched.subscribe([&](const any_event& e) { heard += describe(e); });
    CHECK(heard == "+x(initial) ");
    server.create("y");
    settle();
    CHECK(heard == "+x(initial) +y ");
    late.reset();
    server.create("z");
    settle();
    CHECK(heard == "+x(initial) +y ");
    CHECK(take() == "+x(initial) +y +z ");
}

TEST_CASE_FIXTURE(fixture, "informer: a handler may unsubscribe itself, subscribe others and throw") {
    server.create("x");
    subscription once, other;
    std::string heard;
    once = watched.subscribe([&](const any_event& e) {
        heard += "once" + describe(e);
        once.reset();
        other = watched.subscribe([&](const any_event& inner) { heard += "other" + describe(inner); });
    });
    auto thrower = watched.subscribe([](const any_event&) { throw std::runtime_error("no"); });
    watched.start();
    settle();
    CHECK(heard == "once+x(initial) other+x(initial) ");
    CHECK(take() == "+x(initial) ");
}

TEST_CASE_FIXTURE(fixture, "informer: resync redelivers the cache to the handler that asked for it") {
    server.create("x");
    std::string heard;
    auto periodic = watched.subscribe([&](const any_event& e) { heard += describe(e); }, 10min);
    watched.start();
    settle();
    heard.clear();
    take();
    settle(21min);
    CHECK(heard == "~x(resync) ~x(resync) ");
    CHECK(take().empty());
    CHECK(server.lists() == 1);
}

TEST_CASE_FIXTURE(fixture,
                  "informer: what a handler or a callback throws is told and counted, and nothing else changes") {
    int calls = 0;
    const auto wild = watched.subscribe([&](const any_event&) {
        if (++calls % 2 == 0) throw 7;
        throw std::runtime_error("no");
    });
    const auto callback = watched.on_status_change([](const informer_status&) { throw 7; });
    watched.start();
    settle();
    server.create("x");
    server.create("y");
    settle();
    CHECK(calls == 2);
    CHECK(take() == "+x +y ");
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().handler_errors >= 3);
    // What was there already is told in the same way.
    const auto late = watched.subscribe([](const any_event&) { throw 7; }, 10s);
    settle(11s);
    CHECK(watched.status().handler_errors >= 7);
    CHECK(ends_within(1s, watched.stop()));
    CHECK(watched.status().state == informer_state::paused);
}

TEST_CASE_FIXTURE(fixture, "informer: a status callback is called until it is taken back") {
    int calls = 0;
    auto callback = watched.on_status_change([&](const informer_status&) { ++calls; });
    watched.start();
    settle();
    CHECK(calls > 0);
    callback.reset();
    calls = 0;
    CHECK(ends_within(1s, watched.stop()));
    CHECK(calls == 0);
}

}  // namespace
