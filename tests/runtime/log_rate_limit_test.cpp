#include <kcontrol/runtime/log_rate_limit.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

TEST_CASE("log_rate_limit: at once, then once a period with what happened since") {
    log_rate_limit pace(10s);
    time_point now{1h};
    CHECK(pace.count(now) == 1);
    CHECK_FALSE(pace.count(now));
    CHECK_FALSE(pace.count(now += 9s));
    CHECK(pace.count(now += 1s) == 3);
    CHECK_FALSE(pace.count(now));
    CHECK(pace.count(now += 1h) == 2);
}
