// The rules of the queue, one test each; the names are those of client-go's and controller-runtime's tests.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

using queue = workqueue<std::string>;
constexpr time_point start{1h};

std::string next(queue& q, time_point now = start) {
    const auto got = q.get(now);
    return got ? got->key() : "-";
}

}  // namespace

TEST_CASE("Basic: keys come out in the order they were added") {
    queue q;
    for (const char* key : {"c", "a", "b"}) q.add(key, start);
    CHECK(q.size() == 3);
    CHECK(next(q) == "c");
    CHECK(next(q) == "a");
    CHECK(next(q) == "b");
    CHECK(next(q) == "-");
    CHECK(q.processing() == 3);
}

TEST_CASE("Collapse: a ready key is in the queue once") {
    queue q;
    q.add("bar", start);
    q.add("bar", start);
    CHECK(q.size() == 1);
    CHECK(q.counters().adds == 1);
    CHECK(next(q) == "bar");
    q.done("bar");
    CHECK(next(q) == "-");
}

TEST_CASE("AddWhileProcessing: exactly one more turn, after done") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    q.add("foo", start);
    CHECK(q.size() == 0);
    CHECK(next(q) == "-");
    q.done("foo");
    CHECK(q.size() == 1);
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(next(q) == "-");
    CHECK(q.tracked() == 0);
}

TEST_CASE("CollapseWhileProcessing: many adds in processing are one turn") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    for (int i = 0; i < 3; ++i) q.add("foo", start);
    q.done("foo");
    CHECK(q.size() == 1);
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(next(q) == "-");
}

TEST_CASE("Reinsert: a key added again in processing goes behind those that waited") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    q.add("foo", start);
    q.add("bar", start);
    q.done("foo");
    CHECK(next(q) == "bar");
    CHECK(next(q) == "foo");
}

TEST_CASE("GarbageCollection: nothing is kept of a key that is done") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(q.tracked() == 0);
    q.add_rate_limited("foo", start, 0);
    CHECK(next(q, start + 1s) == "foo");
    q.done("foo");
    CHECK(q.tracked() == 1);  // its failures
    q.forget("foo");
    CHECK(q.tracked() == 0);
}

TEST_CASE("done without get does nothing") {
    queue q;
    q.done("foo");
    q.add("foo", start);
    q.done("foo");
    CHECK(q.size() == 1);
    CHECK(q.processing() == 0);
}

TEST_CASE("SimpleQueue: a delayed key is ready at its time, not before") {
    queue q;
    q.add_after("foo", start + 50ms);
    CHECK(q.next_deadline() == start + 50ms);
    CHECK(next(q, start + 50ms - 1ns) == "-");
    CHECK(next(q, start + 50ms) == "foo");
    CHECK_FALSE(q.next_deadline());
}

TEST_CASE("Deduping: of two delays the earlier counts, once") {
    queue q;
    q.add_after("foo", start + 50ms);
    q.add_after("foo", start + 70ms);
    CHECK(q.delayed() == 1);
    CHECK(next(q, start + 60ms) == "foo");
    q.done("foo");
    CHECK(next(q, start + 90ms) == "-");

    q.add_after("foo", start + 150ms);
    q.add_after("foo", start + 130ms);
    CHECK(q.next_deadline() == start + 130ms);
    CHECK(next(q, start + 140ms) == "foo");
    q.done("foo");
    CHECK(next(q, start + 200ms) == "-");
}

TEST_CASE("AddTwoFireEarly: each at its own time") {
    queue q;
    q.add_after("foo", start + 1s);
    q.add_after("bar", start + 50ms);
    CHECK(next(q, start + 60ms) == "bar");
    q.done("bar");
    q.add_after("baz", start + 2s);
    CHECK(next(q, start + 999ms) == "-");
    CHECK(next(q, start + 1s) == "foo");
    CHECK(next(q, start + 2s) == "baz");
}

TEST_CASE("CopyShifting: delayed keys become ready in the order of their times, then of their adds") {
    queue q;
    q.add_after("foo", start + 1s);
    q.add_after("bar", start + 500ms);
    q.add_after("baz", start + 250ms);
    q.add_after("qux", start + 500ms);
    std::string order;
    while (const auto got = q.get(start + 2s)) order += got->key() + " ";
    CHECK(order == "baz bar qux foo ");
}

TEST_CASE("a ready key stays ready, a delayed one that is added is ready now") {
    queue q;
    q.add("foo", start);
    q.add_after("foo", start + 1h);
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(q.delayed() == 0);

    q.add_after("foo", start + 1h);
    q.add("foo", start);
    CHECK(q.delayed() == 0);
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(next(q, start + 2h) == "-");
}

TEST_CASE("a delay that ends while the key is in processing waits for done") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    q.add_after("foo", start + 1s);
    CHECK(next(q, start + 2s) == "-");
    CHECK_FALSE(q.next_deadline());  // else a shell would spin
    q.done("foo");
    CHECK(next(q, start + 2s) == "foo");
}

TEST_CASE("RateLimiting: 5 ms doubling to 1000 s for each key, back to 5 ms after forget") {
    queue q;
    duration expected = 5ms;
    for (int i = 0; i < 18; ++i) {
        CHECK(q.add_rate_limited("foo", start, 0.5) == expected);
        expected *= 2;
    }
    CHECK(q.add_rate_limited("foo", start, 0.5) == 1000s);
    CHECK(q.add_rate_limited("bar", start, 0.5) == 5ms);
    CHECK(q.num_requeues("foo") == 19);
    CHECK(q.counters().retries == 20);
    q.forget("foo");
    CHECK(q.num_requeues("foo") == 0);
    CHECK(q.add_rate_limited("foo", start, 0.5) == 5ms);
}

TEST_CASE("a retry keeps its time: what fails before it, because of an event, neither counts nor puts it off") {
    queue q;
    const auto fail = [&q](time_point now) {
        const duration wait = q.add_rate_limited("foo", now, 0);
        q.done("foo");
        return wait;
    };
    q.add("foo", start);
    CHECK(next(q) == "foo");
    CHECK(fail(start) == 5ms);
    CHECK(next(q, start + 5ms) == "foo");
    CHECK(fail(start + 5ms) == 10ms);  // the next retry is due at 15 ms
    for (const auto at : {6ms, 9ms, 14ms}) {
        q.add("foo", start + at);
        CHECK(next(q, start + at) == "foo");
        CHECK(fail(start + at) == 15ms - at);
        CHECK(q.num_requeues("foo") == 2);
    }
    CHECK(q.next_deadline() == start + 15ms);
    CHECK(next(q, start + 15ms) == "foo");
    CHECK(fail(start + 15ms) == 20ms);  // due at 35 ms
    SUBCASE("what began before the retry was due and fails after that, was the retry") {
        q.add("foo", start + 30ms);
        CHECK(next(q, start + 30ms) == "foo");
        CHECK(fail(start + 36ms) == 40ms);
        CHECK(q.num_requeues("foo") == 4);
    }
    SUBCASE("a success ends it") {
        q.add("foo", start + 20ms);
        CHECK(next(q, start + 20ms) == "foo");
        q.forget("foo");
        CHECK(fail(start + 20ms) == 5ms);
        CHECK(q.num_requeues("foo") == 1);
    }
    SUBCASE("a shorter delay is the retry's time") {
        CHECK(next(q, start + 35ms) == "foo");
        CHECK(q.add("foo", start + 35ms, add_options().after(1ms).rate_limited()) == 1ms);
        q.done("foo");
        CHECK(next(q, start + 36ms) == "foo");
        CHECK(fail(start + 36ms) == 80ms);
    }
    SUBCASE("rate-limited adds of others count, as ever") {
        CHECK(q.add_rate_limited("foo", start + 16ms, 0) == 40ms);
        CHECK(q.num_requeues("foo") == 4);
        CHECK(q.next_deadline() == start + 35ms);
    }
}

TEST_CASE("ItemExponentialFailureRateLimiterOverFlow: any number of failures ends at the cap") {
    const auto policy = default_rate_limit();
    for (const std::uint64_t n : {18ULL, 62ULL, 63ULL, 64ULL, 1024ULL, 5000ULL, ~0ULL}) {
        CHECK(rate_limit_delay(policy, n, 0.9) == 1000s);
    }
    auto jittered = default_rate_limit();
    jittered.jitter(0.5);
    CHECK(rate_limit_delay(jittered, 1, 0.5) == 12'500us);
}

TEST_CASE("QueueDrainageUsingShutDownWithDrain: what is ready is handed out, nothing is added") {
    queue q;
    q.add("foo", start);
    q.add("bar", start);
    q.add_after("late", start + 1s);
    CHECK(next(q) == "foo");
    q.shut_down_with_drain();
    q.add("baz", start);
    q.add_after("baz", start);
    q.add_rate_limited("baz", start, 0);
    CHECK_FALSE(q.is_drained());
    q.done("foo");
    CHECK(next(q, start + 1h) == "bar");
    CHECK_FALSE(q.is_drained());
    q.done("bar");
    CHECK(q.is_drained());
    CHECK(next(q, start + 1h) == "-");
    CHECK(q.tracked() == 0);
}

TEST_CASE("QueueDrainageUsingShutDownWithDrainWithDirtyItem: a key added in processing gets its turn") {
    queue q;
    q.add("foo", start);
    CHECK(next(q) == "foo");
    q.add("foo", start);
    q.shut_down_with_drain();
    q.done("foo");
    CHECK_FALSE(q.is_drained());
    CHECK(next(q) == "foo");
    q.done("foo");
    CHECK(q.is_drained());
}

TEST_CASE("NoQueueDrainageUsingShutDown: nothing is handed out any more") {
    queue q;
    q.add("foo", start);
    q.add("bar", start);
    CHECK(next(q) == "foo");
    q.add("foo", start);
    q.shut_down();
    CHECK(next(q) == "-");
    CHECK_FALSE(q.is_drained());
    q.done("foo");
    CHECK(next(q) == "-");
    CHECK(q.is_drained());
    CHECK(q.tracked() == 0);
}

TEST_CASE("ForceQueueShutdownUsingShutDown: a shut-down cuts a drain short") {
    queue q;
    q.add("foo", start);
    q.add("bar", start);
    CHECK(next(q) == "foo");
    q.shut_down_with_drain();
    q.shut_down();
    CHECK(next(q) == "-");
    q.done("foo");
    CHECK(q.is_drained());
}

TEST_CASE("restart: empty again, but a key still in processing is not handed out before its done") {
    queue q;
    q.add("foo", start);
    q.add("bar", start);
    q.add_rate_limited("baz", start, 0);
    CHECK(next(q) == "foo");
    q.shut_down();
    q.restart();
    CHECK(q.num_requeues("baz") == 0);
    CHECK(next(q, start + 1h) == "-");
    q.add("foo", start);
    CHECK(next(q) == "-");
    q.done("foo");
    CHECK(next(q) == "foo");
}

TEST_CASE("waited: from ready, or from the end of the delay, to get") {
    queue q;
    q.add("foo", start);
    q.add("foo", start + 1s);
    CHECK(q.get(start + 3s).value().waited() == 3s);
    q.add_after("bar", start + 5s);
    CHECK(q.get(start + 7s).value().waited() == 2s);
}

TEST_CASE("unfinished work: what was handed out and is not done, the oldest first") {
    queue q;
    q.add("foo", start, add_options().priority(3));
    q.add("bar", start);
    auto foo = q.get(start);
    const auto bar = q.get(start + 1s);
    const auto both = q.unfinished(start + 5s);
    REQUIRE(both.size() == 2);
    CHECK(both[0].priority == 3);
    CHECK(both[0].since == 5s);
    CHECK(both[1].since == 4s);
    q.done(std::move(*foo));
    CHECK(q.unfinished(start + 5s).size() == 1);
}

TEST_CASE("thousands of keys come and go, and each is found") {
    workqueue<int> q;
    for (int round = 0; round < 3; ++round) {
        for (int key = 0; key < 5000; ++key) q.add(key * 4096, start);
        for (int key = 0; key < 5000; ++key) {
            auto got = q.get(start);
            REQUIRE(got);
            REQUIRE(got->key() == key * 4096);
            q.done(std::move(*got));
        }
        CHECK(q.tracked() == 0);
    }
}
