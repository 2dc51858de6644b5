#include <kcontrol/cache/detail/resync_schedule.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::resync_schedule;

constexpr time_point start{100s};

TEST_CASE("resync_schedule: when a handler is due") {
    struct row {
        const char* what;
        duration period;
        std::vector<duration> at;      // when it is asked, after the start
        const char* due;               // 'x' for each time at which it is
        std::optional<duration> next;  // after the start
    };
    const row rows[] = {
        {"no period", 0s, {0s, 1h}, "..", std::nullopt},
        {"a negative period", -1s, {0s, 1h}, "..", std::nullopt},
        {"not at first, but when the period is over", 10s, {0s, 9s, 10s, 10s, 19s, 20s}, "..x..x", 30s},
        {"late: the next is a period after that, not two at once", 10s, {35s, 35s, 44s, 45s}, "x..x", 55s},
    };
    for (const auto& r : rows) {
        CAPTURE(r.what);
        resync_schedule schedule(r.period, start);
        std::string due;
        for (const duration after : r.at) due += schedule.take_due(start + after) ? 'x' : '.';
        CHECK(due == r.due);
        CHECK(schedule.next().has_value() == r.next.has_value());
        if (r.next) CHECK(schedule.next() == start + *r.next);
    }
}

TEST_CASE("resync_schedule: one without a period is never due") {
    resync_schedule never;
    CHECK_FALSE(never.take_due(start + 1h));
    CHECK_FALSE(never.next());
}

}  // namespace
