// When a rule keeps its notices back.
#include "notices/quiet_hours.hpp"

#include <kcontrol/values/time.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace training_monitor::notices;

TEST_CASE("quiet hours: the end of those that a time is in") {
    const struct {
        std::string_view from, to, offset, now, until;
    } table[] = {
        {"22:00", "07:00", "", "2026-11-20T21:59:59Z", ""},
        {"22:00", "07:00", "", "2026-11-20T22:00:00Z", "2026-11-21T07:00:00Z"},
        {"22:00", "07:00", "", "2026-11-21T06:59:59Z", "2026-11-21T07:00:00Z"},
        {"22:00", "07:00", "", "2026-11-21T07:00:00Z", ""},
        {"12:00", "13:30", "", "2026-11-20T11:59:59Z", ""},
        {"12:00", "13:30", "", "2026-11-20T12:00:00Z", "2026-11-20T13:30:00Z"},
        {"12:00", "13:30", "", "2026-11-20T13:30:00Z", ""},
        {"22:00", "07:00", "+08:00", "2026-11-20T14:00:00Z", "2026-11-20T23:00:00Z"},
        {"22:00", "07:00", "+08:00", "2026-11-20T23:00:00Z", ""},
        {"22:00", "07:00", "-03:30", "2026-11-20T01:29:00Z", ""},
        {"22:00", "07:00", "-03:30", "2026-11-20T01:30:00Z", "2026-11-20T10:30:00Z"},
        {"00:00", "06:00", "", "2026-11-20T00:00:00Z", "2026-11-20T06:00:00Z"},
    };
    for (const auto& row : table) {
        const auto hours = read_quiet_hours(row.from, row.to, row.offset);
        REQUIRE(hours.has_value());
        const auto until = quiet_until(*hours, *kcontrol::parse_time(row.now));
        CHECK_MESSAGE((until ? kcontrol::format_time(*until) : "") == row.until, row.now);
    }
}

TEST_CASE("quiet hours that can't be") {
    const auto why = [](std::string_view from, std::string_view to, std::string_view offset = "") {
        return read_quiet_hours(from, to, offset).error().message();
    };
    CHECK(why("24:00", "07:00") == "from: \"24:00\" is not a time of the day, such as \"22:00\"");
    CHECK(why("", "07:00") == "from: \"\" is not a time of the day, such as \"22:00\"");
    CHECK(why("22:00", "7:00") == "to: \"7:00\" is not a time of the day, such as \"22:00\"");
    CHECK(why("22:00", "07:60") == "to: \"07:60\" is not a time of the day, such as \"22:00\"");
    CHECK(why("07:00", "07:00") == "to: it is the same as from; for a rule that is always quiet say silent: true");
    for (const auto* offset : {"8", "+8:00", "+15:00", "UTC", "+", "08:00"}) {
        CHECK(why("22:00", "07:00", offset).ends_with(" is not an offset, such as \"+08:00\""));
    }
}
