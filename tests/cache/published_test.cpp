// Values that are derived from a cache: when they are built, what readers and waiting coroutines get, and what remains.
#include <kcontrol/cache/published.hpp>

#include "cache/fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using fixture = informer_fixture;

// The sum of all widgets' values, and how often it was computed.
struct summed {
    std::int64_t operator()(const found_list<widget>& all) {
        ++*calls;
        if (*failing) throw std::runtime_error("no sum");
        std::int64_t sum = 0;
        for (const widget& one : all) sum += one.spec.value;
        return sum;
    }

    int* calls;
    const bool* failing;
};

struct published_fixture : fixture {
    published<std::int64_t> sum_of(published_options options = {}) {
        return published<std::int64_t>(watched, summed{&calls, &failing}, options);
    }

    int calls = 0;
    bool failing = false;
};

}  // namespace

TEST_CASE_FIXTURE(published_fixture, "published: is built when the informer has synced, not before") {
    server.create("x", 3);
    server.create("y", 4);
    const auto sum = sum_of();
    settle();
    CHECK(calls == 0);
    CHECK(sum.get() == nullptr);
    CHECK(sum.version() == 0);
    watched.start();
    settle();
    CHECK(calls == 1);
    REQUIRE(sum.get());
    CHECK(*sum.get() == 7);
    CHECK(sum.version() == 1);
    // One that comes later has its value at once.
    const auto late = sum_of();
    CHECK(*late.get() == 7);
    CHECK(calls == 2);
}

TEST_CASE_FIXTURE(published_fixture, "published: an empty list is a value, too") {
    const auto sum = sum_of();
    watched.start();
    settle();
    REQUIRE(sum.get());
    CHECK(*sum.get() == 0);
    CHECK(calls == 1);
}

TEST_CASE_FIXTURE(published_fixture, "published: a burst of events leads to one new value") {
    watched.start();
    const auto sum = sum_of();
    settle();
    REQUIRE(calls == 1);
    for (int i = 0; i < 50; ++i) server.create("w" + std::to_string(i), 1);
    settle();
    CHECK(calls == 2);
    CHECK(*sum.get() == 50);
    CHECK(sum.version() == 2);
    server.remove("w7");
    settle();
    CHECK(calls == 3);
    CHECK(*sum.get() == 49);
    // The watch begins again with a list: everything in it is one burst, and what did not change is none.
    CHECK(ends_within(1s, watched.stop()));
    for (int i = 0; i < 7; ++i) server.set_value("w" + std::to_string(i), 2);
    watched.start();
    settle();
    CHECK(calls == 4);
    CHECK(*sum.get() == 56);
    settle(10min);
    CHECK(calls == 4);
}

TEST_CASE_FIXTURE(published_fixture, "published: events that do not end are gathered for the longest delay only") {
    watched.start();
    server.create("x", 0);
    const auto sum = sum_of(published_options().quiet_period(100ms).longest_delay(1s));
    settle();
    REQUIRE(calls == 1);
    for (int i = 1; i <= 100; ++i) {
        server.set_value("x", i);
        settle(50ms);
    }
    CHECK(calls >= 5);
    CHECK(calls <= 7);
    settle();
    CHECK(*sum.get() == 100);
}

TEST_CASE_FIXTURE(published_fixture, "published: without a quiet period, what the informer has in hand is one burst") {
    watched.start();
    const auto sum = sum_of(published_options().quiet_period(0s));
    settle();
    CHECK(ends_within(1s, watched.stop()));
    for (int i = 0; i < 50; ++i) server.create("w" + std::to_string(i), 1);
    watched.rebuild(connect(server.config()), resume_mode::relist);
    watched.start();
    settle();
    CHECK(calls == 2);
    CHECK(*sum.get() == 50);
}

TEST_CASE_FIXTURE(published_fixture, "published: an equal value is no new version") {
    server.create("x", 3);
    watched.start();
    const auto sum = sum_of();
    settle();
    const auto before = sum.get();
    server.create("y", 0);
    settle();
    CHECK(calls == 2);
    CHECK(sum.version() == 1);
    CHECK(sum.get() == before);
}

TEST_CASE_FIXTURE(published_fixture, "published: what the function throws is counted, and the value before stays") {
    server.create("x", 3);
    watched.start();
    const auto sum = sum_of();
    settle();
    failing = true;
    server.set_value("x", 4);
    settle(10min);
    CHECK(calls == 2);
    CHECK(*sum.get() == 3);
    CHECK(sum.version() == 1);
    CHECK(sum.failures() == 1);
    REQUIRE(sum.problem());
    CHECK(*sum.problem() == errc::callback_failed);
    CHECK(sum.problem()->message().find("no sum") != std::string::npos);
    CHECK(watched.status().handler_errors == 1);
    failing = false;
    server.set_value("x", 5);
    settle();
    CHECK(*sum.get() == 5);
    CHECK(sum.version() == 2);
    CHECK_FALSE(sum.problem());
}

TEST_CASE_FIXTURE(published_fixture, "published: a function without memory is called again") {
    server.create("x", 3);
    watched.start();
    int left = 2;
    const published<std::size_t> count(watched, [&](const store_snapshot& all) {
        if (left > 0 && left-- > 0) throw std::bad_alloc();
        return all.size();
    });
    settle(10s);
    REQUIRE(count.get());
    CHECK(*count.get() == 1);
    CHECK(count.failures() == 2);
}

TEST_CASE_FIXTURE(published_fixture, "published: waits end with a new version, a deadline, a stop and the end") {
    using waited = result<std::shared_ptr<const std::int64_t>>;
    std::optional<published<std::int64_t>> sum(std::in_place, watched, summed{&calls, &failing});
    CHECK(run(sum->wait(0, {}, env.now() + 5s)).error() == errc::timeout);
    server.create("x", 3);
    watched.start();
    CHECK(**run(sum->wait(0)) == 3);
    std::stop_source stop;
    std::optional<waited> next, stopped, ended;
    const auto begin = [&](std::optional<waited>& to, std::stop_token token) {
        boost::asio::co_spawn(home, sum->wait(1, std::move(token)),
                              [&to](std::exception_ptr, waited with) { to = std::move(with); });
    };
    begin(next, {});
    begin(stopped, stop.get_token());
    settle();
    CHECK_FALSE(next);
    stop.request_stop();
    settle();
    REQUIRE(stopped);
    CHECK(stopped->error() == errc::stopped);
    server.set_value("x", 4);
    settle();
    REQUIRE(next);
    CHECK(***next == 4);
    next.reset();
    SUBCASE("destroyed") {
        boost::asio::co_spawn(home, sum->wait(2), [&](std::exception_ptr, waited with) { ended = std::move(with); });
        settle();
        const auto last = sum->get();
        sum.reset();
        settle();
        REQUIRE(ended);
        CHECK(ended->error() == errc::unavailable);
        CHECK(*last == 4);
    }
    SUBCASE("the informer is retired") {
        boost::asio::co_spawn(home, sum->wait(2), [&](std::exception_ptr, waited with) { ended = std::move(with); });
        settle();
        watched.retire();
        settle();
        REQUIRE(ended);
        CHECK(ended->error() == errc::unavailable);
        CHECK(run(sum->wait(2)).error() == errc::unavailable);
        CHECK(*sum->get() == 4);
        CHECK(*run(sum->wait(0)).value() == 4);
    }
}

TEST_CASE_FIXTURE(published_fixture, "published: may outlive the informer, and may end in the midst of a burst") {
    auto other = std::make_unique<informer<widget>>(env, home, connect(server.config()));
    const published<std::int64_t> outlives(*other, summed{&calls, &failing});
    server.create("x", 3);
    other->start();
    settle();
    CHECK(calls == 1);
    server.set_value("x", 4);
    SUBCASE("the informer is destroyed before the burst is over") {
        CHECK(context.run_until([&] { return other->objects().get("default", "x").get<widget>().spec.value == 4; },
                                env.now() + 1s));
        other.reset();
        settle();
        CHECK(calls == 1);
        CHECK(*outlives.get() == 3);
    }
    SUBCASE("the function itself ends everything") {
        std::optional<published<int>> ends;
        bool armed = false;
        ends.emplace(*other, [&](const store_snapshot&) {
            if (armed) ends->stop(), other.reset();
            return armed ? 2 : 1;
        });
        armed = true;
        settle();
        CHECK(other == nullptr);
        CHECK(*ends->get() == 1);
    }
    settle();
}

TEST_CASE_FIXTURE(published_fixture, "published: is read on other threads while it changes") {
    struct pair {
        std::int64_t a = 0, b = 0;
    };
    server.create("x", 0);
    watched.start();
    const published<pair> same(
        watched,
        [](const found_list<widget>& all) {
            const std::int64_t value = all.empty() ? 0 : all[0].spec.value;
            return pair{value, value};
        },
        published_options().quiet_period(0s));
    settle();
    std::atomic<bool> done = false;
    std::atomic<int> torn = 0, older = 0, reads = 0;
    const auto read = [&] {
        auto reader = same.reader();
        std::int64_t last = 0;
        std::uint64_t version = 0;
        while (!done.load()) {
            const auto now = reader.read();
            torn += now->a != now->b;
            older += now->a < last || reader.version() < version || same.get()->a < now->a;
            last = now->a;
            version = reader.version();
            ++reads;
        }
    };
    std::thread one(read), two(read);  // seam: ok, readers on threads are what is tested
    while (reads.load() == 0) std::this_thread::yield();
    for (int i = 1; i <= 200; ++i) {
        server.set_value("x", i);
        settle(100ms);
    }
    done = true;
    one.join();
    two.join();
    CHECK(torn == 0);
    CHECK(older == 0);
    CHECK(same.get()->a == 200);
    CHECK(same.version() == 201);
    auto reader = same.reader();
    CHECK(reader.read()->b == 200);
}
