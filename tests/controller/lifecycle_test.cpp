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
