#include <kcontrol/runtime/backoff.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

time_point at(duration d) { return time_point(1h) + d; }

}  // namespace

TEST_CASE("the default doubles from 800 ms to 30 s") {
    backoff series;
    const duration expected[] = {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s};
    for (const auto d : expected) CHECK(series.next(at(0s), 0.0) == d);
}

TEST_CASE("jitter stretches by up to its share") {
    CHECK(backoff().next(at(0s), 0.5) == 1200ms);
    CHECK(backoff(backoff_policy().jitter(0.0)).next(at(0s), 0.99) == 800ms);
    CHECK(backoff(backoff_policy().jitter(0.25)).next(at(0s), 1.0) == 1s);
}

TEST_CASE("a quiet time starts the series afresh") {
    backoff series(backoff_policy().jitter(0.0));
    CHECK(series.next(at(0s), 0) == 800ms);
    CHECK(series.next(at(120s), 0) == 1600ms);  // exactly the time is not beyond it
    CHECK(series.next(at(241s), 0) == 800ms);
    CHECK(series.next(at(242s), 0) == 1600ms);
    series.reset();
    CHECK(series.next(at(243s), 0) == 800ms);
}

TEST_CASE("another shape") {
    backoff series(backoff_policy().initial(10ms).factor(3.0).cap(50ms).jitter(0.0).reset_after(1s));
    const duration expected[] = {10ms, 30ms, 50ms, 50ms};
    for (const auto d : expected) CHECK(series.next(at(0s), 0) == d);
    CHECK(series.next(at(2s), 0) == 10ms);
}
