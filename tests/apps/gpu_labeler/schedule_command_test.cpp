#include "schedule_command.hpp"

#include <doctest/doctest.h>

using gpu_labeler::schedule_command;
using gpu_labeler::cron::time_zone;

namespace {

const kcontrol::wall_time noon{std::chrono::seconds(1'795'262'400)};  // 2026-11-21T12:00:00Z

kcontrol::result<std::string> run(const std::vector<std::string_view>& arguments) {
    return schedule_command(arguments, noon, time_zone::fixed(3600));
}

}  // namespace

TEST_CASE("schedule command: five times by default, in the zone that is meant") {
    CHECK(run({"@daily"}).value() ==
          "2026-11-22T00:00:00+01:00\n2026-11-23T00:00:00+01:00\n2026-11-24T00:00:00+01:00\n"
          "2026-11-25T00:00:00+01:00\n2026-11-26T00:00:00+01:00\n");
    CHECK(run({"@daily", "--count", "1", "--from", "2026-01-01T00:00:00-03:30"}).value() ==
          "2026-01-02T00:00:00-03:30\n");
    CHECK(run({"--count=1", "--from=2026-01-01T00:00:00Z", "@daily"}).value() == "2026-01-02T00:00:00Z\n");
    CHECK(run({"CRON_TZ=Asia/Tokyo 0 9 * * *", "--count=1"}).value() == "2026-11-22T09:00:00+09:00\n");
    CHECK(run({"--count=1", "--from=2026-01-01T00:00:00Z", "--", "@daily"}).value() == "2026-01-02T00:00:00Z\n");
    // What comes before the end of its nine years is told.
    CHECK(run({"0 0 29 2 *", "--from", "2250-01-01T00:00:00Z"}).value() ==
          "2252-02-29T00:00:00Z\n2256-02-29T00:00:00Z\n2260-02-29T00:00:00Z\n");
}

TEST_CASE("schedule command: errors name the flag, the value and the remedy") {
    struct row {
        std::vector<std::string_view> arguments;
        std::string error;
    };
    const row table[] = {
        {{}, "which schedule?"},
        {{"*", "*"}, "only one schedule"},
        {{"@daily", "--count"}, "--count needs a value"},
        {{"@daily", "--count", "0"}, "--count: \"0\" is not a number from 1 to 100000"},
        {{"@daily", "--count", "-1"}, "--count: \"-1\""},
        {{"@daily", "--count", "5x"}, "--count: \"5x\""},
        {{"@daily", "--count", "100001"}, "--count: \"100001\""},
        {{"@daily", "--from", "yesterday"}, "--from: "},
        {{"@daily", "--until", "1"}, "unknown flag \"--until\""},
        {{"--", "-5 * * * *"}, "minute: \"-5\" is no number and no range; use 0 to 59"},
        {{"--", "--"}, "\"--\" has 1 fields"},
        {{"61 * * * *"}, "minute: \"61\" is above 59"},
        {{"0 0 30 2 *"}, "\"0 0 30 2 *\" never fires"},
    };
    for (const auto& r : table) {
        CAPTURE(r.error);
        const auto answer = run(r.arguments);
        REQUIRE(!answer);
        CHECK(answer.error().what().find(r.error) != std::string::npos);
        CHECK(answer.error().what().find('\n') == std::string::npos);
    }
}
