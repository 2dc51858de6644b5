// How long keys that failed wait.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};

duration next(rate_limiter& of, std::uint64_t failures, time_point now = start) {
    return of.next(rate_limit_attempt(failures, now, 0.5));
}

}  // namespace

TEST_CASE("exponential: twice as long each time, up to the cap") {
    rate_limiter standard;
    CHECK(next(standard, 0) == 5ms);
    CHECK(next(standard, 3) == 40ms);
    CHECK(next(standard, 5000) == 1000s);
    auto r = rate_limiter::exponential(1s, 5s);
    CHECK(next(r, 0) == 1s);
    CHECK(next(r, 2) == 4s);
    CHECK(next(r, 3) == 5s);
    rate_limiter of_policy = default_rate_limit().jitter(0.5);
    CHECK(next(of_policy, 1) == 12'500us);
}

TEST_CASE("fast_slow: fast as often as it says, then slow") {
    auto r = rate_limiter::fast_slow(5ms, 10s, 3);
    for (std::uint64_t failures = 0; failures < 6; ++failures) CHECK(next(r, failures) == (failures < 3 ? 5ms : 10s));
}

TEST_CASE("bucket: a burst at once, then at the rate, for all keys together") {
    auto r = rate_limiter::bucket(10, 3);
    for (int i = 0; i < 3; ++i) CHECK(next(r, 0) == 0s);
    CHECK(next(r, 0) == 100ms);
    CHECK(next(r, 7) == 200ms);
    CHECK(next(r, 0, start + 300ms) == 0s);  // three came back: two were owed
    CHECK(next(r, 0, start + 300ms) == 100ms);
    for (int i = 0; i < 3; ++i) CHECK(next(r, 0, start + 1h) == 0s);  // never more than the burst
    CHECK(next(r, 0, start + 1h) == 100ms);
    CHECK(next(r, 0, start) == 200ms);  // a clock that goes back is worth nothing
}

TEST_CASE("a bucket without a rate or a burst waits long, not for ever and not at all") {
    auto r = rate_limiter::bucket(0, 1);
    CHECK(next(r, 0) == 0s);
    CHECK(next(r, 0) > 24h);
    CHECK(next(r, 0) < duration::max() / 2);
    auto none = rate_limiter::bucket(10, 0);
    CHECK(next(none, 0) == 100ms);
}

TEST_CASE("max_of: the longest; each of them counts") {
    auto r = rate_limiter::max_of({rate_limiter::exponential(5ms, 1000s), rate_limiter::bucket(10, 2)});
    CHECK(next(r, 0) == 5ms);
    CHECK(next(r, 9) == 2560ms);
    CHECK(next(r, 0) == 100ms);
    auto none = rate_limiter::max_of({});
    CHECK(next(none, 9) == 0s);
}

TEST_CASE("at_most caps another one") {
    auto r = rate_limiter().at_most(30s);
    CHECK(next(r, 1) == 10ms);
    CHECK(next(r, 40) == 30s);
}

TEST_CASE("own: a function of the program; never below zero") {
    auto r = rate_limiter::custom([](const rate_limit_attempt& a) { return a.failures == 0 ? -1s : 7s; });
    CHECK(next(r, 0) == 0s);
    CHECK(next(r, 1) == 7s);
}

TEST_CASE("a copy counts for itself") {
    auto r = rate_limiter::bucket(10, 1);
    CHECK(next(r, 0) == 0s);
    rate_limiter copy = r;
    CHECK(next(r, 0) == 100ms);
    CHECK(next(r, 0) == 200ms);
    CHECK(next(copy, 0) == 100ms);
    r = copy;
    CHECK(next(r, 0) == 200ms);
}

TEST_CASE("a queue asks its limiter; where that throws nothing has happened") {
    bool broken = false;
    auto limiter = rate_limiter::custom([&broken](const rate_limit_attempt& a) -> duration {
        if (broken) throw std::runtime_error("no idea");
        return std::chrono::seconds(a.failures + 1);
    });
    workqueue<std::string> q(workqueue_options<std::string>().limiter(limiter));
    CHECK(q.add_rate_limited("a", start, 0) == 1s);
    CHECK(q.add_rate_limited("a", start, 0) == 2s);
    broken = true;
    CHECK_THROWS(q.add_rate_limited("a", start, 0));
    CHECK_THROWS(q.add_rate_limited("b", start, 0));
    CHECK(q.num_requeues("a") == 2);
    CHECK(q.tracked() == 1);
    CHECK(q.next_deadline() == start + 1s);
}
