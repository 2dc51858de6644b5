// Priorities, by controller-runtime's merge rules, and that nobody starves.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

using queue = workqueue<std::string>;
constexpr time_point start{1h};

add_options priority(int p) { return add_options().priority(p); }

std::string drain(queue& q, time_point now = start, admission let = {}) {
    std::string out;
    while (auto got = q.get(now, let)) {
        out += got->key() + std::to_string(got->priority()) + " ";
        q.done(std::move(*got));
    }
    return out;
}

}  // namespace

TEST_CASE("higher priorities come first; within one, first in, first out") {
    queue q;
    q.add("a", start);
    q.add("b", start, priority(7));
    q.add("c", start, priority(low_priority));
    q.add("d", start);
    q.add("e", start, priority(7));
    CHECK(drain(q) == "b7 e7 a0 d0 c-100 ");
}

TEST_CASE("of two priorities the higher counts; a raised key goes to the end of its new level") {
    queue q;
    q.add("a", start, priority(low_priority));
    q.add("b", start);
    q.add("a", start);  // an add that says nothing has priority 0
    q.add("b", start, priority(-5));
    q.add("c", start, priority(3));
    q.add("b", start, priority(3));
    CHECK(q.size() == 3);
    CHECK(drain(q) == "c3 b3 a0 ");
}

TEST_CASE("a delayed key takes the higher priority and the earlier time, from different adds") {
    queue q;
    q.add_after("a", start + 5s, 3);
    q.add("a", start, add_options().after(1s));
    q.add("b", start + 1s);
    CHECK(q.next_deadline() == start + 1s);
    CHECK(drain(q, start + 1s) == "a3 b0 ");
    CHECK_FALSE(q.next_deadline());
}

TEST_CASE("what is added in processing has a priority of its own") {
    queue q;
    q.add("a", start, priority(9));
    auto a = q.get(start);
    REQUIRE(a);
    q.add("a", start, priority(low_priority));
    q.add("b", start);
    CHECK(a->priority() == 9);
    q.done(std::move(*a));
    CHECK(drain(q) == "b0 a-100 ");
}

TEST_CASE("after and rate_limited: the shorter of the two, and a failure counts") {
    queue q;
    CHECK(q.add("a", start, add_options().after(1h).rate_limited()) == 5ms);
    CHECK(q.add("b", start, add_options().after(1ms).rate_limited()) == 1ms);
    CHECK(q.num_requeues("a") == 1);
    CHECK(q.num_requeues("b") == 1);
    CHECK(q.add("c", start, add_options().after(-1s)) == 0s);
    CHECK(q.size() == 1);
    CHECK(q.add("d", start, add_options().after(duration::max())) == duration::max());
    CHECK(drain(q, start + 24h) == "c0 b0 a0 ");
    CHECK(q.delayed() == 1);
}

TEST_CASE("priorities off: first in, first out, whatever is said") {
    queue q(workqueue_options<std::string>().priorities(false));
    q.add("a", start, priority(low_priority));
    q.add("b", start, priority(7));
    q.add("a", start, priority(7));
    CHECK(drain(q) == "a0 b0 ");
}

TEST_CASE("a key that has waited for the limit is one of four that are handed out, the oldest first") {
    queue q;
    q.add("low", start, priority(low_priority));
    q.add("zero", start + 1s);
    std::string out;
    for (int i = 0; i < 12; ++i) {
        const auto now = start + 60s + std::chrono::seconds(i);
        for (int k = 0; k < 2; ++k) q.add("high" + std::to_string(k), now, priority(1));
        auto got = q.get(now);
        out += got->key() + " ";
        q.done(std::move(*got));
    }
    CHECK(out == "high0 high1 high0 low high1 high0 high1 zero high0 high1 high0 high1 ");
}

TEST_CASE("without a limit a less urgent key waits for ever") {
    queue q(workqueue_options<std::string>().starvation_limit(0s));
    q.add("low", start, priority(low_priority));
    for (int i = 0; i < 20; ++i) {
        q.add("high", start + 1h, priority(1));
        auto got = q.get(start + 1h);
        CHECK(got->key() == "high");
        q.done(std::move(*got));
    }
}

TEST_CASE("what is not admitted waits for the limit, and next_deadline says when it is over") {
    queue q;
    const admission high_only(false, false);
    q.add("low", start, priority(low_priority));
    q.add("zero", start + 1s);
    q.add("high", start + 2s, priority(1));
    CHECK(drain(q, start + 2s, high_only) == "high1 ");
    CHECK(q.next_deadline(high_only) == start + 60s);
    CHECK_FALSE(q.next_deadline());
    CHECK(q.next_deadline(admission(false, true)) == start + 60s);
    CHECK(drain(q, start + 60s - 1ns, high_only) == "");
    CHECK(drain(q, start + 60s, high_only) == "low-100 ");
    CHECK(drain(q, start + 61s, high_only) == "zero0 ");
}

TEST_CASE("what was counted, by priority; from the 26th priority on together") {
    queue q;
    q.add("a", start, priority(low_priority));
    q.add("b", start);
    q.add("b", start);
    q.add("a", start);  // raised
    q.add_after("c", start + 1s);
    auto counters = q.counters_by_priority();
    REQUIRE(counters.size() == 2);
    CHECK(counters[0].priority == 0);
    CHECK(counters[0].depth == 2);
    CHECK(counters[0].adds == 1);
    CHECK(counters[0].retries == 1);
    CHECK(counters[1].priority == low_priority);
    CHECK(counters[1].depth == 0);
    CHECK(counters[1].adds == 1);
    for (int p = 1; p <= 100; ++p) q.add("k" + std::to_string(p), start, priority(p));
    counters = q.counters_by_priority();
    REQUIRE(counters.size() == 26);
    CHECK(counters.back().others);
    CHECK(counters.back().depth == 77);
    drain(q);
    q.add("z", start, priority(1000).after(1s));
    counters = q.counters_by_priority();
    REQUIRE(counters.size() == 26);
    CHECK(counters.back().depth == 0);
    CHECK(counters.back().adds == 77);
    CHECK(counters.back().retries == 1);
    CHECK(q.counters().adds == 102);
    CHECK(q.counters().retries == 2);
}
