// Handlers with a queue of their own: they may be slow, and nobody else is. In virtual time.
#include <kcontrol/runtime/wait.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

struct fixture : informer_fixture {
    fixture() : informer_fixture(informer_options().log(logger([this](const log_record& r) { note(r); }))) {}
    ~fixture() { settle(10min); }  // a call in progress ends before what it writes to does

    void note(const log_record& record) {
        if (record.message.find("waits for a handler") == std::string_view::npos) return;
        records += std::string(record.message);
        for (const auto& field : record.fields) records += " " + std::string(field.name) + "=" + field.value;
    }

    // A handler that takes so long for each event, and hears of it in the end.
    subscription slow(duration each, handler_options how = {}) {
        return watched.subscribe(
            [this, each](const any_event& e) -> awaitable<void> {
                ++begun;
                co_await sleep_for(env, each, {});
                heard += describe(e);
                if (e.old_object) heard += std::to_string(e.old_object.as<widget>()->spec.value);
                if (e.new_object) heard += ">" + std::to_string(e.new_object.as<widget>()->spec.value) + " ";
            },
            std::move(how));
    }

    std::string heard, records;
    int begun = 0;
};

TEST_CASE_FIXTURE(fixture,
                  "handler: one that is slow hears the newest, from what it was told last; others hear all at once") {
    server.create("x", 1);
    server.create("gone", 1);
    auto held_slow = slow(10s, handler_options().named("slow"));
    watched.start();
    settle();
    CHECK(begun == 1);
    for (int value = 2; value <= 5; ++value) server.set_value("x", value);
    server.create("short");
    server.remove("short");
    settle();
    CHECK(take() == "+gone(initial) +x(initial) ~x ~x ~x ~x +short -short ");
    const handler_lag lag = held_slow.lag();
    CHECK(lag.name == "slow");
    CHECK(lag.pending == 2);  // the one that it is told now, and the addition of x as it is by now
    CHECK(lag.oldest_age >= 1s);
    CHECK(lag.coalesced == 6);
    CHECK(lag.delivered == 0);
    REQUIRE(watched.status().handlers.size() == 1);
    CHECK(watched.status().handlers.front().pending == 2);
    settle(14s);
    server.set_value("x", 6);
    server.set_value("x", 7);
    server.remove("gone");
    settle(60s);
    CHECK(heard == "+gone(initial) >1 +x(initial) >5 ~x 5>7 -gone 1");
    CHECK(held_slow.lag().pending == 0);
    CHECK(held_slow.lag().oldest_age == 0s);
    CHECK(watched.status().reason == "");
    CHECK(records == "");
}

TEST_CASE_FIXTURE(fixture, "handler: a function with an executor of its own has a queue, a plain one has none") {
    server.create("x");
    std::string queued;
    const auto held_queued = watched.subscribe([&](const any_event& e) { queued += describe(e); },
                                               handler_options().run_on(home).named("own"));
    watched.start();
    settle();
    CHECK(queued == "+x(initial) ");
    const auto all = watched.status().handlers;
    REQUIRE(all.size() == 1);
    CHECK(all.front().name == "own");
    CHECK(all.front().delivered == 1);
    CHECK(held.lag().delivered == 0);
}

TEST_CASE_FIXTURE(fixture, "handler: it is synced when it has been told all of the first list") {
    for (const auto* name : {"x", "y", "z"}) server.create(name);
    auto held_slow = slow(10s);
    CHECK_FALSE(held_slow.has_synced());
    CHECK_FALSE(held.has_synced());
    watched.start();
    settle();
    CHECK(watched.has_synced());
    CHECK(held.has_synced());
    CHECK_FALSE(held_slow.has_synced());
    server.create("later");
    CHECK_FALSE(run(held_slow.wait_synced({}, env.now() + 5s)));
    CHECK(run(held_slow.wait_synced({})));
    CHECK(begun <= 4);  // what came after the first list may be on its way
    CHECK(heard == "+x(initial) >0 +y(initial) >0 +z(initial) >0 ");

    // One that comes late has a first list of its own, and an empty one is told at once.
    auto late = slow(10s);
    CHECK_FALSE(late.has_synced());
    CHECK(run(late.wait_synced({})));
    auto plain = watched.subscribe([](const any_event&) {});
    CHECK(plain.has_synced());
    plain.reset();
    CHECK_FALSE(plain.has_synced());
    CHECK_FALSE(run(plain.wait_synced({})));
    CHECK(run(held.wait_synced({})));
    CHECK_FALSE(subscription().has_synced());
}

TEST_CASE_FIXTURE(fixture, "handler: a wait for it to be synced ends with the subscription, and with the informer") {
    server.create("x");
    auto one = std::make_unique<informer<widget>>(env, home, connect(server.config()));
    auto first = one->subscribe([](const any_event&) {});
    auto second = one->subscribe([](const any_event&) {});
    bool ended = true;
    const auto wait = [&](subscription& of) {
        ended = false;
        boost::asio::co_spawn(home, of.wait_synced({}), [&](std::exception_ptr, bool synced) {
            ended = true;
            CHECK_FALSE(synced);
        });
        settle();
        CHECK_FALSE(ended);
    };
    wait(first);
    first.reset();
    settle();
    CHECK(ended);
    wait(second);
    one.reset();
    settle();
    CHECK(ended);
}

TEST_CASE_FIXTURE(fixture, "handler: one of every version misses none, and the watch waits for it and says so") {
    server.create("x", 1);
    auto strict = slow(50s, handler_options().every_version().queue_bound(4).named("strict"));
    watched.start();
    settle();
    for (int value = 2; value <= 12; ++value) server.set_value("x", value);
    settle();
    CHECK(watched.status().state == informer_state::live);
    CHECK(watched.status().reason == "the watch waits for the handler strict, which has 5 events yet to be told");
    CHECK(strict.lag().pending == 5);
    CHECK(strict.lag().watch_waits);
    CHECK(strict.lag().full == 1);
    CHECK(take() == "+x(initial) ~x ~x ~x ~x ");  // nothing is read on, so nobody hears more
    CHECK(records == "the watch waits for a handler that wants every version kind=Widget handler=strict pending=5");
    // Longer than a watch may be silent: it is not taken for a broken one.
    settle(99s);
    CHECK(strict.lag().watch_waits);
    settle(3s);
    CHECK(strict.lag().watch_waits);  // it has read on, and is full again
    CHECK(strict.lag().full == 2);
    CHECK(take() == "~x ~x ");
    settle(15min);
    std::string all = "+x(initial) >1 ";
    for (int value = 2; value <= 12; ++value)
        all += "~x " + std::to_string(value - 1) + ">" + std::to_string(value) + " ";
    CHECK(heard == all);
    CHECK(strict.lag().coalesced == 0);
    CHECK_FALSE(strict.lag().watch_waits);
    CHECK(watched.status().reason == "");
    CHECK(server.lists() == 1);
    CHECK(watched.status().lists == 1);
}

TEST_CASE_FIXTURE(fixture, "handler: a list goes into a queue whole; what is full is not told again what it knows") {
    for (int i = 0; i < 10; ++i) server.create("w" + std::to_string(i));
    auto strict = slow(1min, handler_options().every_version().queue_bound(4).resync_period(2min));
    watched.start();
    settle(5min + 30s);
    CHECK(strict.lag().pending == 5);
    CHECK(heard.find("resync") == std::string::npos);
    settle(10min);
    CHECK(heard.find("+w9(initial)") != std::string::npos);
    CHECK(heard.find("resync") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "handler: the watch goes on when the one that it waits for unsubscribes") {
    server.create("x", 1);
    auto strict = slow(1h, handler_options().every_version().queue_bound(1));
    watched.start();
    settle();
    for (int value = 2; value <= 5; ++value) server.set_value("x", value);
    settle();
    CHECK(take() == "+x(initial) ~x ");
    strict.reset();
    settle();
    CHECK(take() == "~x ~x ~x ");
    CHECK(watched.status().reason == "");
    CHECK(watched.status().handlers.empty());
    settle(1h);
    CHECK(begun == 1);
}

TEST_CASE_FIXTURE(fixture, "handler: a stop holds back what waits until the next start, and loses none of it") {
    for (const auto* name : {"x", "y", "z"}) server.create(name);
    auto held_slow = slow(10s);
    watched.start();
    settle();
    CHECK(ends_within(1s, watched.stop()));
    settle(1min);
    CHECK(heard == "+x(initial) >0 ");
    CHECK(begun == 1);
    server.set_value("z", 5);
    watched.start();
    settle(1min);
    CHECK(heard == "+x(initial) >0 +y(initial) >0 +z(initial) >5 ");
    // A parent's token stops it in the same way, and a restart before that is noticed as well.
    std::stop_source parent;
    CHECK(ends_within(1s, watched.stop()));
    watched.start(parent.get_token());
    settle();
    parent.request_stop();
    watched.start();
    server.set_value("z", 6);
    settle(1min);
    CHECK(heard.find("~z 5>6") != std::string::npos);
    CHECK(held_slow.has_synced());
}

TEST_CASE_FIXTURE(fixture, "handler: after the end of its subscription nothing is called, and what waited is freed") {
    for (const auto* name : {"x", "y"}) server.create(name);
    auto held_slow = slow(10s);
    watched.start();
    settle();
    server.remove("y");
    settle();
    CHECK(begun == 1);
    CHECK_FALSE(run(held_slow.end(env.now() + 1s)));
    CHECK(held_slow.lag().pending == 1);
    CHECK(run(held_slow.end()));
    CHECK(heard == "+x(initial) >0 ");
    CHECK(held_slow.lag().pending == 0);
    settle(1min);
    CHECK(begun == 1);
    CHECK(run(held_slow.end()));

    auto one = std::make_unique<informer<widget>>(env, home, connect(server.config()));
    int calls = 0;
    const auto of_one = one->subscribe(
        [&](const any_event&) -> awaitable<void> {
            ++calls;
            co_await sleep_for(env, 10s, {});
        },
        handler_options());
    server.create("z");
    one->start();
    settle();
    CHECK(calls == 1);
    one.reset();
    settle(1min);
    CHECK(calls == 1);
}

TEST_CASE_FIXTURE(fixture, "handler: what a coroutine throws is told and counted, and the next event comes") {
    for (const auto* name : {"x", "y"}) server.create(name);
    int calls = 0;
    auto wild = std::make_unique<subscription>(watched.subscribe([&](const any_event&) -> awaitable<void> {
        ++calls;
        co_await sleep_for(env, 1s, {});
        throw std::runtime_error("no");
    }));
    watched.start();
    settle(5s);
    CHECK(calls == 2);
    CHECK(watched.status().handler_errors == 2);
    wild.reset();
    CHECK(watched.status().handler_errors == 2);
}

TEST_CASE_FIXTURE(fixture, "handler: resync reaches a queue, and is left out where more is told anyway") {
    server.create("x", 1);
    auto held_slow = slow(1s, handler_options().resync_period(10min));
    watched.start();
    settle(21min);
    CHECK(heard == "+x(initial) >1 ~x(resync) 1>1 ~x(resync) 1>1 ");
}

}  // namespace
