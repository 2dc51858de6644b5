// When work is held back.
#include <kcontrol/workqueue/backpressure.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

constexpr time_point start{1h};
constexpr auto low = work_class::low, medium = work_class::medium, high = work_class::high;

void waits(backpressure& b, work_class c, duration wait, int times = 20) {
    for (int i = 0; i < times; ++i) b.observe_wait(c, wait, start);
}

}  // namespace

TEST_CASE("the class follows from the priority") {
    CHECK(work_class_of(-100) == low);
    CHECK(work_class_of(-1) == low);
    CHECK(work_class_of(0) == medium);
    CHECK(work_class_of(1) == high);
}

TEST_CASE("nothing is held back while the targets are met") {
    backpressure b;
    waits(b, medium, 5s);
    waits(b, high, 5s);
    waits(b, low, 1h);
    for (int i = 0; i < 20; ++i) b.observe_write(1s, start);
    CHECK(b.admit(start, 4, 4).allows_all());
    CHECK_FALSE(b.next_change(start));
}

TEST_CASE("work that waits holds back what is less urgent than itself") {
    backpressure b;
    waits(b, medium, 6s);
    CHECK(b.low_is_parked(start));
    CHECK_FALSE(b.medium_yields(start));
    CHECK(b.admit(start, 4, 4) == admission(false, true));

    backpressure c;
    waits(c, high, 6s);
    CHECK(c.low_is_parked(start));
    CHECK(c.medium_yields(start));
    CHECK(c.admit(start, 4, 1) == admission(false, true));
    CHECK(c.admit(start, 4, 2) == admission(false, false));
}

TEST_CASE("medium work keeps one worker at least") {
    backpressure b;
    b.observe_throttled(start);
    CHECK(b.admit(start, 1, 0) == admission(false, true));
    CHECK(b.admit(start, 3, 1) == admission(false, false));
}

TEST_CASE("one slow value is no sign, several are") {
    backpressure b;
    b.observe_write(2s, start);
    CHECK(b.admit(start, 1, 1).allows_all());
    for (int i = 0; i < 10; ++i) b.observe_write(2s, start);
    CHECK(b.medium_yields(start));
}

TEST_CASE("a 429 holds work back for a while; the next one for as long again") {
    backpressure b(backpressure_targets().hold(10s));
    b.observe_throttled(start);
    CHECK(b.low_is_parked(start + 10s - 1ns));
    CHECK(b.next_change(start) == start + 10s);
    CHECK_FALSE(b.low_is_parked(start + 10s));
    b.observe_throttled(start + 5s);
    CHECK(b.low_is_parked(start + 14s));
    CHECK_FALSE(b.next_change(start + 15s));
}

TEST_CASE("some 429 may be allowed for") {
    backpressure b(backpressure_targets().throttled(2).hold(10s));
    b.observe_throttled(start);
    b.observe_throttled(start + 9s);
    CHECK_FALSE(b.low_is_parked(start + 9s));
    b.observe_throttled(start + 10s);  // the count began anew
    CHECK_FALSE(b.low_is_parked(start + 10s));
    b.observe_throttled(start + 11s);
    b.observe_throttled(start + 12s);
    CHECK(b.low_is_parked(start + 12s));
}

TEST_CASE("values that are well again end it, after the hold") {
    backpressure b;
    waits(b, medium, 1min);
    for (int i = 0; i < 40; ++i) b.observe_wait(medium, 1ms, start + 1s);
    CHECK(b.low_is_parked(start + 10s));  // the last that was above the target came within the hold
    CHECK_FALSE(b.low_is_parked(start + 12s));
}
