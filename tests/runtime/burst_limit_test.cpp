#include <kcontrol/runtime/burst_limit.hpp>

#include <doctest/doctest.h>

TEST_CASE("burst_limit: some at once, then one a period, and all of them again after a quiet time") {
    using namespace kcontrol;
    using namespace std::chrono_literals;
    constexpr time_point t0{1h};
    burst_limit limit(3, 10s);
    for (int i = 0; i < 3; ++i) CHECK(limit.take(t0) == 0s);
    CHECK(limit.take(t0) == 10s);
    CHECK(limit.take(t0 + 4s) == 6s);  // what has to wait is not counted
    CHECK(limit.take(t0 + 10s) == 0s);
    CHECK(limit.take(t0 + 10s) == 10s);
    CHECK(limit.take(t0 + 25s) == 0s);
    CHECK(limit.take(t0 + 25s) == 5s);
    for (int i = 0; i < 3; ++i) CHECK(limit.take(t0 + 10min) == 0s);
    CHECK(limit.take(t0 + 10min) == 10s);
}
