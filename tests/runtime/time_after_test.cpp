#include <kcontrol/runtime/time_after.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

TEST_CASE("time_after: a delay for ever ends at the last point that there is") {
    const time_point now(1h);
    CHECK(time_after(now, 1s) == now + 1s);
    CHECK(time_after(now, -1s) == now - 1s);
    CHECK(time_after(now, time_point::max() - now) == time_point::max());
    CHECK(time_after(now, duration::max()) == time_point::max());
    CHECK(time_after(time_point::max(), 1ns) == time_point::max());
    CHECK(time_after(time_point::max(), 0ns) == time_point::max());
}
