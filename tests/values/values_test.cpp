// Durations, micro-times and int-or-strings, against what Go answers.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/api_duration.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/micro_time.hpp>

#include "go_truth/go_table.hpp"

#include <limits>

using namespace kcontrol;
using namespace std::chrono_literals;
using test::go_table;
using test::text_of;

namespace {

struct values {
    std::optional<micro_time> renewed;
    std::optional<api_duration> timeout;
    std::optional<int_or_string> port;
    static constexpr auto kcontrol_fields() {
        return fields(field("renewed", &values::renewed), field("timeout", &values::timeout),
                      field("port", &values::port));
    }
};

std::string through(std::string_view text) {
    const auto read = from_json<values>(text);
    return read ? to_json(*read) : read.error().message();
}

}  // namespace

TEST_CASE("duration: read and printed as Go does") {
    for (const auto& row : go_table("duration")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto read = parse_duration(text);
        CHECK(read.has_value() == !row[1].is_null());
        if (!read || row[1].is_null()) continue;
        CHECK(std::to_string(read->count()) == text_of(row[1]));
        CHECK(format_duration(*read) == text_of(row[2]));
    }
    CHECK(parse_duration("1d").error() == errc::invalid_argument);
    CHECK(parse_duration("1d").error().message().find("as in 1h30m") != std::string::npos);
    CHECK(api_duration(1s) < api_duration(2s));
    CHECK(to_string(api_duration(90min)) == "1h30m0s");
}

TEST_CASE("micro-time: read and printed as Go does, and more leniently") {
    for (const auto& row : go_table("micro_time")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto read = micro_time::parse(text);
        if (row[1].is_null()) {
            // Go wants exactly six digits of fraction, and capital letters.
            if (read) CHECK(micro_time::parse(read->to_string()).value() == *read);
            continue;
        }
        REQUIRE(read.has_value());
        CHECK(read->to_string() == text_of(row[1]));
        CHECK(std::to_string(read->time().time_since_epoch().count()) == text_of(row[2]));
    }
    CHECK(!micro_time::parse("2024-02-30T12:00:00.123456Z").has_value());
    CHECK(micro_time(wall_time(-1ns)).to_string() == "1969-12-31T23:59:59.999999Z");
    CHECK(micro_time(wall_time(1500ns)) == micro_time(wall_time(1us)));
    CHECK(micro_time(wall_time(1us)) < micro_time(wall_time(2us)));
}

TEST_CASE("int-or-string: JSON, numbers and percentages as Go has them") {
    for (const auto& row : go_table("int_or_string")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        if (text == "null") continue;  // absent
        const auto read = from_json<values>("{\"port\":" + text + "}");
        CHECK(read.has_value() == !row[1].is_null());
        if (!read || row[1].is_null()) continue;
        const int_or_string& value = read->port.value();
        CHECK(to_json(*read) == "{\"port\":" + text_of(row[1]) + "}");
        CHECK(to_string(value) == text_of(row[2]));
        // Go finds the overflow before the '%'.
        if (text != "\"99999999999999999999%\"") CHECK(std::to_string(value.int_value()) == text_of(row[3]));
        const auto total = row[4].as_int64();
        for (const bool up : {true, false}) {
            const auto expected = text_of(row[up ? 5 : 6]);
            const auto scaled = value.scaled_value(total, up);
            if (expected.starts_with("invalid")) {
                CHECK(!scaled.has_value());
            } else {
                REQUIRE(scaled.has_value());
                CHECK(std::to_string(*scaled) == expected);
            }
        }
    }
    for (const auto& row : go_table("int_or_string_parse")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto read = int_or_string::parse(text);
        CHECK(read.is_string() == (row[1].as_int64() == 1));
        CHECK(read.as_int() == row[2].as_int64());
        CHECK(read.as_string() == text_of(row[3]));
    }
    CHECK(int_or_string("9000000000000000000%").scaled_value(1000, true).value() ==
          std::numeric_limits<std::int64_t>::max());
    CHECK(int_or_string("http").scaled_value(1, true).error().message().find("25%") != std::string::npos);
}

TEST_CASE("micro-time and duration: in JSON") {
    CHECK(through(R"({"renewed":"2024-05-01T12:00:00.123456Z","timeout":"90s"})") ==
          R"({"renewed":"2024-05-01T12:00:00.123456Z","timeout":"1m30s"})");
    CHECK(through("{}") == "{}");
    CHECK(through(R"({"renewed":1})").starts_with("renewed: expected a time such as 2006"));
    CHECK(through(R"({"renewed":"x"})").starts_with("renewed: expected a time such as 2006"));
    CHECK(through(R"({"timeout":5})").starts_with("timeout: expected a duration"));
    CHECK(through(R"({"timeout":"5"})").starts_with("timeout: \"5\" is not a duration"));
}
