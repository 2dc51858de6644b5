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

TEST_CASE("burst_limit: who waits in turn is counted at once, but not if it takes too long") {
    using namespace kcontrol;
    using namespace std::chrono_literals;
    constexpr time_point t0{1h};
    burst_limit limit(2, 10s);
    CHECK(limit.reserve(t0, 0s) == 0s);
    CHECK(limit.reserve(t0, 0s) == 0s);
    CHECK_FALSE(limit.reserve(t0, 9s).has_value());
    CHECK(limit.reserve(t0, 10s) == 10s);
    CHECK(limit.reserve(t0, 1min) == 20s);
    CHECK(limit.reserve(t0 + 20s, 1min) == 10s);
    CHECK(limit.reserve(t0 + 10min, 0s) == 0s);
}
