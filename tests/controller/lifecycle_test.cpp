// Start, sync, stop and start again.
#include "controller/bench.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

TEST_CASE("no reconcile before every source is synced") {
    bench b;
    b.source->set_synced(false);
    b.source->put(make_thing("a"));
    b.start();
    b.advance(1min);
    CHECK(b.calls() == "");
    CHECK(b.c.state() == controller_state::syncing);
    b.source->set_synced();
    CHECK(b.calls() == "a ");
}

TEST_CASE("a source that does not sync in time fails the run and says which and why") {
    bench b;
    b.source->set_synced(false);
    b.source->set_description("Thing (v1): forbidden, things is forbidden");
    b.start();
    b.advance(119s);
    CHECK(b.c.state() == controller_state::syncing);
    b.advance(1s);
    CHECK(b.c.state() == controller_state::idle);
    REQUIRE(b.c.last_error());
    CHECK(*b.c.last_error() == errc::timeout);
    CHECK(b.c.last_error()->message().find("things: not synced") != std::string::npos);
    CHECK(b.c.last_error()->message().find("things is forbidden") != std::string::npos);
    CHECK(b.source->listeners() == 0);

    b.source->set_synced();
    b.source->put(make_thing("a"));
    b.start();
    CHECK(b.calls() == "a ");
    CHECK_FALSE(b.c.last_error());
}

TEST_CASE("the log says what it waits for after two seconds, once, and when it starts and stops") {
    bench b;
    b.source->set_synced(false);
    b.source->set_description("Thing (v1): forbidden, things is forbidden");
    b.start();
    CHECK(b.log == "controller is syncing\n  controller=things\n");
    b.advance(1999ms);
    CHECK(b.log == "controller is syncing\n  controller=things\n");
    b.log.clear();
    b.advance(1ms);
    CHECK(b.log ==
          "controller waits for a source\n  controller=things\n  reason=Thing (v1): forbidden, things is forbidden\n");
    b.log.clear();
    b.advance(58s);
    CHECK(b.log.empty());
    b.source->set_synced();
    b.ready();
    CHECK(b.log == "controller started\n  controller=things\n  after_seconds=58\n");
    b.log.clear();
    b.stop();
    CHECK(b.log ==
          "controller is stopping\n  controller=things\n  reconciles=0\ncontroller stopped\n  controller=things\n");
}

TEST_CASE("one that starts at once is not said to have waited") {
    bench b;
    b.start();
    CHECK(b.log == "controller is syncing\n  controller=things\ncontroller started\n  controller=things\n");
}

TEST_CASE("one that fails again and again is told once a minute, and how often") {
    bench b(controller_options().cache_sync_timeout(5s));
    b.source->set_synced(false);
    for (int i = 0; i < 24; ++i) {
        b.start();
        b.advance(5s);
        CHECK(b.c.state() == controller_state::idle);
    }
    const auto count = [&b](const std::string& text) {
        std::size_t out = 0;
        for (auto at = b.log.find(text); at != std::string::npos; at = b.log.find(text, at + 1)) ++out;
        return out;
    };
    CHECK(count("controller could not start\n") == 2);
    CHECK(count("controller waits for a source\n") == 2);
    CHECK(count("times=12\n") == 2);
    CHECK(count("controller is syncing\n") == 1);
    CHECK(count("controller stopped\n") == 0);
}

TEST_CASE("stop triggers the stop tokens of running reconciles, drains, and leaves nothing behind") {
    bench b(controller_options().max_concurrent_reconciles(2));
    b.reconciles.held = true;
    for (const char* name : {"a", "b", "c"}) b.source->put(make_thing(name));
    b.start();
    CHECK(b.stop());
    CHECK(b.reconciles.finished.size() == 4);  // a and b, in either order
    CHECK(b.calls() == "a b ");
    CHECK(b.c.state() == controller_state::idle);
    CHECK_FALSE(b.c.last_error());
    CHECK(b.c.stats().errors == 0);
    CHECK(b.source->listeners() == 0);
    CHECK(b.env.pending_timers() == 0);
    CHECK(b.context.stopped());  // no work is left
    CHECK(b.stop());             // idempotent
}

TEST_CASE("a stop while it syncs, or before the start, wins") {
    bench b;
    b.source->put(make_thing("a"));
    std::stop_source stopped;
    stopped.request_stop();
    b.c.start(stopped.get_token());
    CHECK(b.stop());
    b.source->set_synced(false);
    b.start();
    CHECK(b.c.state() == controller_state::syncing);
    CHECK(b.stop());
    CHECK(b.calls() == "");
    CHECK(b.c.state() == controller_state::idle);
    CHECK_FALSE(b.c.last_error());
}

TEST_CASE("restart: sources are subscribed anew, the queue is empty, the stats go on") {
    bench b;
    b.reconciles.answer = reconcile_result::requeue_after(1h);
    b.source->put(make_thing("a"));
    for (int term = 1; term <= 3; ++term) {
        b.start();
        CHECK(b.source->subscriptions() == term);
        CHECK(b.c.stats().requeued_after == static_cast<std::uint64_t>(term));
        CHECK(b.stop());
        b.c.enqueue(request("ns", "dropped"));
        b.advance(2h);
    }
    CHECK(b.calls() == "a a a ");
}

TEST_CASE("the parent's stop token ends the run") {
    bench b;
    std::stop_source parent;
    b.c.start(parent.get_token());
    b.ready();
    CHECK(b.c.state() == controller_state::running);
    parent.request_stop();
    b.ready();
    CHECK(b.c.state() == controller_state::idle);
}

TEST_CASE("run while it runs is refused") {
    bench b;
    b.start();
    testing::run(b.context, [](controller& c) -> awaitable<void> {
        const auto second = co_await c.run();
        REQUIRE(!second);
        CHECK(second.error() == errc::invalid_argument);
    }(b.c));
}

TEST_CASE("a reconcile that ignores its stop token: the stop ends in time, its request stays exclusive afterwards") {
    bench b(controller_options().max_concurrent_reconciles(2).graceful_stop_timeout(5s));
    b.reconciles.held = true;
    b.reconciles.obeys_stop = false;
    b.reconciles.answer = reconcile_result::requeue_after(1s);
    b.source->put(make_thing("a"));
    b.source->put(make_thing("b"));
    b.start();
    CHECK(b.calls() == "a b ");
    CHECK_FALSE(b.stop());
    REQUIRE(b.c.last_error());
    CHECK(*b.c.last_error() == errc::timeout);

    b.source->put(make_thing("c"));
    b.reconciles.answer = reconcile_result::done();
    b.start();
    CHECK(b.calls() == "a b c ");  // a and b are still in the hands of the first run
    b.reconciles.obeys_stop = true;
    b.reconciles.release();
    CHECK(b.calls() == "a b c a b ");
    CHECK(b.reconciles.most == 1);
    CHECK(b.c.stats().active_workers == 0);
    CHECK(b.stop());
}

TEST_CASE("a source added while it runs is subscribed at once; one that is removed is unsubscribed") {
    bench b;
    b.start();
    auto late = std::make_shared<fake_source>(b.env);
    late->put(make_thing("x"));
    const auto id = b.c.watch(late, enqueue_for_object);
    CHECK(b.calls() == "x ");
    b.c.unwatch(id);
    CHECK(late->listeners() == 0);
    late->put(make_thing("y"));
    CHECK(b.calls() == "x ");
}
