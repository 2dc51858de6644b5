// RFC 3339 timestamps and conditions.
#include <kcontrol/model/condition.hpp>
#include <kcontrol/values/time.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;

TEST_CASE("time: what is read, and its normal form") {
    struct row {
        const char* text;
        const char* seconds;
        const char* micros;
    };
    const row rows[] = {
        {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
        {"2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000000Z"},
        {"2024-05-01T12:00:00.123456789Z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00.123456Z"},
        {"2024-05-01T12:00:00.9999999999999Z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00.999999Z"},
        {"2024-05-01T12:00:00.5+02:00", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.500000Z"},
        {"2024-01-01T00:30:00+05:45", "2023-12-31T18:45:00Z", "2023-12-31T18:45:00.000000Z"},
        {"2024-12-31T20:00:00-08:00", "2025-01-01T04:00:00Z", "2025-01-01T04:00:00.000000Z"},
        {"2024-05-01t12:00:00z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00.000000Z"},
        {"2024-05-01T12:00:00,5Z", "2024-05-01T12:00:00Z", "2024-05-01T12:00:00.500000Z"},
        {"2024-05-01T12:00:00+24:60", "2024-04-30T11:00:00Z", "2024-04-30T11:00:00.000000Z"},
        {"2024-05-01T1:00:00Z", "2024-05-01T01:00:00Z", "2024-05-01T01:00:00.000000Z"},
        {"1969-12-31T23:59:59.75Z", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.750000Z"},
        {"1678-01-01T00:00:00Z", "1678-01-01T00:00:00Z", "1678-01-01T00:00:00.000000Z"},
        {"2261-12-31T23:59:59Z", "2261-12-31T23:59:59Z", "2261-12-31T23:59:59.000000Z"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.text));
        const auto at = parse_time(row.text);
        REQUIRE(at.has_value());
        CHECK(format_time(*at) == row.seconds);
        CHECK(format_micro_time(*at) == row.micros);
    }
    CHECK(parse_time("1970-01-01T00:00:01.000000002Z").value().time_since_epoch() == 1s + 2ns);
}

TEST_CASE("time: refused") {
    for (const char* text : {"",
                             "2024",
                             "2024-05-01",
                             "2024-05-01 12:00:00Z",
                             "2024-05-01T12:00Z",
                             "2024-05-01T12:00:00",
                             "2024-05-01T12:00:00.Z",
                             "2024-05-01T12:00:00+0200",
                             "2024-05-01T12:00:00Zx",
                             "2023-02-29T00:00:00Z",
                             "2024-13-01T00:00:00Z",
                             "2024-00-01T00:00:00Z",
                             "2024-05-01T24:00:00Z",
                             "2024-05-01T12:60:00Z",
                             "2024-05-01T12:00:60Z",
                             "2024-05-01T12:00:00+25:00",
                             "2024-05-01T12:00:00+23:61",
                             "0001-01-01T00:00:00Z",
                             "9999-12-31T23:59:59Z",
                             "-024-05-01T12:00:00Z",
                             "1677-12-31T23:59:59Z",
                             "2262-01-01T00:00:00Z",
                             "2261-12-31T23:59:59-00:01",
                             "2024-05-01T12:00:00,Z"}) {
        CAPTURE(std::string(text));
        const auto at = parse_time(text);
        REQUIRE(!at.has_value());
        CHECK(at.error() == errc::invalid_argument);
        CHECK(at.error().message().find(text) != std::string::npos);
    }
}

TEST_CASE("conditions are found by type, never by place") {
    std::vector<status_condition> conditions(2);
    conditions[0].type = "Failed";
    conditions[0].status = "True";
    conditions[1].type = "Running";
    conditions[1].status = "False";
    CHECK(is_true(conditions, "Failed"));
    CHECK(!is_true(conditions, "Running"));
    CHECK(!is_true(conditions, "Succeeded"));
    CHECK(find_condition(conditions, "Running") == &conditions[1]);
    CHECK(find_condition(conditions, "Succeeded") == nullptr);
}
