#include "cron/schedule.hpp"

#include <kcontrol/values/time.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

using gpu_labeler::cron::schedule;
using gpu_labeler::cron::time_zone;

namespace {

std::int64_t second_of(kcontrol::wall_time at) {
    return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

// The next times, as text in the schedule's zone.
std::vector<std::string> next_times(const std::string& text, const std::string& from, std::size_t count) {
    const auto when = schedule::parse(text, time_zone::utc());
    REQUIRE_MESSAGE(when.has_value(), text);
    auto at = kcontrol::parse_time(from).value();
    std::vector<std::string> times;
    while (times.size() < count) {
        const auto next = when->next(at);
        if (!next) break;
        at = *next;
        times.push_back(when->zone().format(second_of(at)));
    }
    return times;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("cron: what robfig/cron answers, too") {
    struct row {
        std::string text;
        std::string from;
        texts next;
    };
    const row table[] = {
        {"*/5 * * * *", "2026-11-21T10:02:30Z", {"2026-11-21T10:05:00Z", "2026-11-21T10:10:00Z"}},
        {"*/5 * * * *", "2026-11-21T10:05:00Z", {"2026-11-21T10:10:00Z"}},
        {"*/5 * * * *", "2026-11-21T10:04:59.999999999Z", {"2026-11-21T10:05:00Z"}},
        {"30 */20 * * * *", "2026-11-21T10:02:30Z", {"2026-11-21T10:20:30Z", "2026-11-21T10:40:30Z"}},
        {"15/20 8 * * *",
         "2026-11-21T10:00:00Z",
         {"2026-11-22T08:15:00Z", "2026-11-22T08:35:00Z", "2026-11-22T08:55:00Z", "2026-11-23T08:15:00Z"}},
        {"0 12 * JAN,mar-Apr ?",
         "2026-01-30T13:00:00Z",
         {"2026-01-31T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z"}},
        {"59 59 23 31 12 ?", "2026-11-21T00:00:00Z", {"2026-12-31T23:59:59Z", "2027-12-31T23:59:59Z"}},
        // Both days given: one is enough. One a star: both count.
        {"0 0 13 * FRI",
         "2026-11-10T00:00:00Z",
         {"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z",
          "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},
        {"0 0 * * MON", "2026-11-21T00:00:00Z", {"2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"}},
        {"0 0 13 * ?", "2026-11-21T00:00:00Z", {"2026-12-13T00:00:00Z", "2027-01-13T00:00:00Z"}},
        {"0 0 */10 * MON",
         "2026-11-21T00:00:00Z",  // */10 is no star, so one of them is enough
         {"2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-07T00:00:00Z",
          "2026-12-11T00:00:00Z"}},
        {"0 0 */1 * MON", "2026-11-21T00:00:00Z", {"2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"}},
        {"0 0 29 2 *", "2026-01-01T00:00:00Z", {"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
        {"0 0 31 * *", "2026-01-31T00:00:00Z", {"2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"}},
        {"@hourly", "2026-11-21T10:02:30Z", {"2026-11-21T11:00:00Z"}},
        {"@daily", "2026-11-21T10:02:30Z", {"2026-11-22T00:00:00Z"}},
        {"@midnight", "2026-11-21T00:00:00Z", {"2026-11-22T00:00:00Z"}},
        {"@weekly", "2026-11-21T10:02:30Z", {"2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"}},
        {"@monthly", "2026-11-21T10:02:30Z", {"2026-12-01T00:00:00Z"}},
        {"@yearly", "2026-11-21T10:02:30Z", {"2027-01-01T00:00:00Z"}},
        {"@annually", "2026-11-21T10:02:30Z", {"2027-01-01T00:00:00Z"}},
        {"@every 1h30m", "2026-11-21T10:02:30.5Z", {"2026-11-21T11:32:30Z", "2026-11-21T13:02:30Z"}},
        {"@every 1500ms", "2026-11-21T10:02:30Z", {"2026-11-21T10:02:31Z"}},
        {"@every 1ms", "2026-11-21T10:02:30Z", {"2026-11-21T10:02:31Z"}},
        {"  \t0   0 *\t* * ", "2026-11-21T10:02:30Z", {"2026-11-22T00:00:00Z"}},
    };
    for (const auto& r : table) {
        CAPTURE(r.text);
        CHECK(next_times(r.text, r.from, r.next.size()) == r.next);
    }
}

TEST_CASE("cron: clocks that are changed") {
    struct row {
        std::string text;
        std::string from;
        texts next;
    };
    const row table[] = {
        {"CRON_TZ=America/New_York 0 6 * * *", "2026-11-21T00:00:00Z", {"2026-11-21T06:00:00-05:00"}},
        {"TZ=Asia/Kathmandu 0 0 * * *", "2026-11-21T00:00:00Z", {"2026-11-22T00:00:00+05:45"}},
        {"CRON_TZ=Europe/London 0 12 * * *",
         "2026-10-24T00:00:00Z",
         {"2026-10-24T12:00:00+01:00", "2026-10-25T12:00:00Z"}},
        // In spring 02:30 does not come; nor does anything else between two and three.
        {"CRON_TZ=America/New_York 30 2 * * *",
         "2026-03-07T00:00:00Z",
         {"2026-03-07T02:30:00-05:00", "2026-03-09T02:30:00-04:00"}},
        {"CRON_TZ=America/New_York 0 * * * *",
         "2026-03-08T05:30:00Z",
         {"2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00"}},
        // In autumn 01:30 comes twice.
        {"CRON_TZ=America/New_York 30 1 * * *",
         "2026-10-31T20:00:00Z",
         {"2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"}},
        // Midnight does not come in Beirut on that day.
        {"CRON_TZ=Asia/Beirut 0 0 * * *", "2026-03-28T12:00:00Z", {"2026-03-30T00:00:00+03:00"}},
        {"CRON_TZ=Asia/Beirut 0 1 * * *", "2026-03-28T12:00:00Z", {"2026-03-29T01:00:00+03:00"}},
        // Half an hour, where counting in whole hours from before the change misses three o'clock.
        {"CRON_TZ=Australia/Lord_Howe 0 3 4 10 *", "2026-10-01T00:00:00Z", {"2026-10-04T03:00:00+11:00"}},
        {"CRON_TZ=Australia/Lord_Howe 45 1 5 4 *",
         "2026-04-01T00:00:00Z",
         {"2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30"}},
        // The day that Samoa left out.
        {"CRON_TZ=Pacific/Apia 0 12 * * *",
         "2011-12-29T20:00:00Z",
         {"2011-12-29T12:00:00-10:00", "2011-12-31T12:00:00+14:00"}},
        {"CRON_TZ=Europe/Berlin @every 24h", "2026-03-28T12:00:00Z", {"2026-03-29T14:00:00+02:00"}},
        {"CRON_TZ=Europe/Berlin @daily",
         "2026-03-28T12:00:00Z",
         {"2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"}},
    };
    for (const auto& r : table) {
        CAPTURE(r.text);
        CHECK(next_times(r.text, r.from, r.next.size()) == r.next);
    }
}

TEST_CASE("cron: what never comes, and the ends of time") {
    CHECK(next_times("0 0 30 2 *", "2026-01-01T00:00:00Z", 1).empty());
    CHECK(next_times("0 0 31 4,6,9,11 *", "2026-01-01T00:00:00Z", 1).empty());
    // 2100 is no leap year: eight years.
    CHECK(next_times("0 0 29 2 *", "2096-02-29T00:00:00Z", 1) == texts{"2104-02-29T00:00:00Z"});
    CHECK(next_times("* * * * *", "1700-01-01T00:00:30Z", 1) == texts{"1700-01-01T00:01:00Z"});
    CHECK(next_times("@yearly", "2261-06-01T00:00:00Z", 9) == texts{"2262-01-01T00:00:00Z"});
    CHECK(next_times("@every 2540400h", "2026-01-01T00:00:00Z", 2).empty());
}

TEST_CASE("cron: errors name the field, the value and the remedy") {
    struct row {
        std::string text;
        std::string error;
    };
    const row table[] = {
        {"", "the schedule is empty"},
        {" \t ", "the schedule is empty"},
        {"* * * *", "\"* * * *\" has 4 fields; give five"},
        {"* * * * * * *", "has 7 fields"},
        {"60 * * * *", "minute: \"60\" is above 59; use 0 to 59"},
        {"60 * * * * *", "second: \"60\" is above 59"},
        {"* 24 * * *", "hour: \"24\" is above 23"},
        {"* * 0 * *", "day of month: \"0\" is below 1; use 1 to 31"},
        {"* * 32 * *", "day of month: \"32\" is above 31"},
        {"* * * 13 *", "month: \"13\" is above 12; use 1 to 12 or jan to dec"},
        {"* * * 0 *", "month: \"0\" is below 1"},
        {"* * * * 7", "day of week: \"7\" is above 6; use 0 to 6 or sun to sat"},
        {"* * * * MONDAY", "day of week: \"MONDAY\" is no number"},
        {"* * JAN * *", "day of month: \"JAN\" is no number"},
        {"* * * JAN-13 *", "month: \"13\" is above 12"},
        {"5-1 * * * *", "minute: \"5-1\" ends before it begins"},
        {"* * * * FRI-MON", "day of week: \"FRI-MON\" ends before it begins"},
        {"1-2-3 * * * *", "minute: \"1-2-3\" has too many hyphens"},
        {"*-5 * * * *", "minute: \"*\" is no number"},
        {"*/0 * * * *", "minute: \"*/0\" has a step of 0"},
        {"*/2/3 * * * *", "minute: \"*/2/3\" has too many slashes"},
        {"*/ * * * *", "step of minute: \"\" is no number"},
        {"*/-1 * * * *", "step of minute: \"-1\" is no number"},
        {"*/x * * * *", "step of minute: \"x\" is no number"},
        {"-1 * * * *", "minute: \"-1\" is no number and no range"},
        {"+1 * * * *", "minute: \"+1\" is no number"},
        {"1, * * * *", "minute: \"1,\" has nothing between two commas"},
        {"1,,2 * * * *", "minute: \"1,,2\" has nothing between two commas"},
        {"99999999999 * * * *", "minute: \"99999999999\" is too large"},
        {"* * * * *\x1b", "day of week: \"*\\x1b\" is no number"},
        {"@fortnightly", "\"@fortnightly\" is not known; use @yearly"},
        {"@every", "\"@every\" is not known"},
        {"@every 5", "@every: "},
        {"@every -5s", "@every: \"-5s\" is negative"},
        {"CRON_TZ=UTC", "names a time zone but no schedule"},
        {"CRON_TZ=UTC ", "names a time zone but no schedule"},
        {"CRON_TZ=Mars/Olympus * * * * *", "time zone: \"Mars/Olympus\" is not known here"},
        {"CRON_TZ= * * * * *", "time zone: \"\" is not known"},
        {"CRON_TZ=/etc/passwd * * * * *", "time zone: \"/etc/passwd\" is not known"},
        {"TZ=../../etc/passwd * * * * *", "time zone: \"../../etc/passwd\" is not known"},
        {"TZ=libc:localtime * * * * *", "time zone: \"libc:localtime\" is not known"},
        {"TZ=UTC TZ=UTC * * * *", "minute: \"TZ=UTC\" is no number"},
    };
    for (const auto& r : table) {
        CAPTURE(r.text);
        const auto parsed = schedule::parse(r.text, time_zone::utc());
        REQUIRE(!parsed);
        CHECK(parsed.error().code() == kcontrol::errc::invalid_argument);
        CAPTURE(parsed.error().message());
        CHECK(parsed.error().message().find(r.error) != std::string::npos);
    }
}

TEST_CASE("cron: next is the first second whose local time fits, whatever the clocks do") {
    // Looked for by trying every second of two days around a change, told by the printed local time.
    std::mt19937 random(20261121);
    const auto number = [&](int low, int high) { return low + static_cast<int>(random() % unsigned(high - low + 1)); };
    struct change {
        std::string zone;
        std::string before;
    };
    const change changes[] = {
        {"America/New_York", "2026-03-07T12:00:00Z"},    {"America/New_York", "2026-10-31T12:00:00Z"},
        {"Australia/Lord_Howe", "2026-10-03T02:00:00Z"}, {"Asia/Beirut", "2026-03-28T02:00:00Z"},
        {"America/Santiago", "2026-09-05T12:00:00Z"},    {"Africa/Casablanca", "2026-02-14T12:00:00Z"}};
    for (const auto& c : changes) {
        const auto zone = time_zone::load(c.zone).value();
        const auto from = second_of(kcontrol::parse_time(c.before).value());
        for (int round = 0; round < 6; ++round) {
            const int minute = number(0, 59);
            const int low = number(0, 12);
            const int high = number(low, 23);
            const auto text = "CRON_TZ=" + c.zone + " " + std::to_string(minute) + " " + std::to_string(low) + "-" +
                              std::to_string(high) + " * * *";
            CAPTURE(text);
            const auto when = schedule::parse(text, time_zone::utc());
            REQUIRE(when);
            std::vector<std::int64_t> expected;
            for (auto at = from + 1; at < from + 2 * 86'400; ++at) {
                if (at % 60 != 0) continue;  // no zone has offsets finer than a minute in these years
                const auto local = zone.format(at);
                const int h = std::stoi(local.substr(11, 2));
                if (std::stoi(local.substr(14, 2)) == minute && h >= low && h <= high) expected.push_back(at);
            }
            std::vector<std::int64_t> found;
            for (kcontrol::wall_time at{std::chrono::seconds(from)};;) {
                at = when->next(at).value();
                if (second_of(at) >= from + 2 * 86'400) break;
                found.push_back(second_of(at));
            }
            CHECK(found == expected);
        }
    }
}
