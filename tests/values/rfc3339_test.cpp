// The one reader of times, beside Go's.
#include <kcontrol/values/rfc3339.hpp>
#include <kcontrol/values/time.hpp>

#include "go_truth/go_table.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using test::go_table;
using test::text_of;

TEST_CASE("rfc3339: what Go takes and refuses, and which moment it is") {
    std::size_t taken = 0;
    for (const auto& row : go_table("rfc3339")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto as_go = rfc3339_time::parse_as_go(text);
        REQUIRE(as_go.has_value() == (row.size() == 3));
        const auto either = rfc3339_time::parse(text);
        if (!as_go) {
            CHECK(as_go.error() == errc::invalid_argument);
            // Small letters are what is taken besides.
            if (either) CHECK(text.find_first_of("tz") != std::string::npos);
            continue;
        }
        ++taken;
        CHECK(std::to_string(as_go->seconds) == text_of(row[1]));
        CHECK(as_go->nanoseconds == row[2].as_int64());
        REQUIRE(either.has_value());
        CHECK(either->seconds == as_go->seconds);
        // The same moment for all who ask for one, where wall_time holds it.
        if (const auto at = parse_time(text)) {
            CHECK(std::chrono::floor<std::chrono::seconds>(at->time_since_epoch()).count() == as_go->seconds);
        } else {
            CHECK((as_go->seconds < -9'214'560'000 || as_go->seconds >= 9'214'646'400));
        }
    }
    CHECK(taken > 100);
}

TEST_CASE("rfc3339: small letters are times, but not for an API server") {
    for (const char* text : {"2024-05-01t12:00:00Z", "2024-05-01T12:00:00z", "2024-05-01t12:00:00.25z"}) {
        CAPTURE(std::string(text));
        CHECK(rfc3339_time::parse(text).value().seconds == 1714564800);
        CHECK(!rfc3339_time::parse_as_go(text).has_value());
    }
    CHECK(rfc3339_time::parse("2024-05-01T12:00:00-07:30").value().offset == -27000);
    CHECK(rfc3339_time::parse("2024-05-01T12:00:00z").value().offset == 0);
    CHECK(rfc3339_time::parse_as_go("now\n").error().message().find("\"now\\x0a\" is not a time") != std::string::npos);
}

TEST_CASE("rfc3339: Go's zero time, in whatever offset") {
    CHECK(rfc3339_time::parse("0001-01-01T00:00:00Z").value().is_zero());
    CHECK(rfc3339_time::parse("0001-01-01T01:00:00+01:00").value().is_zero());
    CHECK(!rfc3339_time::parse("0001-01-01T00:00:00.5Z").value().is_zero());
    CHECK(!rfc3339_time::parse("1970-01-01T00:00:00Z").value().is_zero());
}
