#include "testserver/timestamp.hpp"

#include <chrono>
#include <cstdio>

namespace kcontrol::inline v0_1::testing {

std::string format_timestamp(wall_time when) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
    const auto day = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(seconds - day);
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text;
}

std::optional<wall_time> parse_timestamp(std::string_view text) {
    int year = 0, hour = 0, minute = 0, second = 0;
    unsigned month = 0, day = 0;
    char zone = 0;
    const std::string copy(text);
    if (std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%c", &year, &month, &day, &hour, &minute, &second, &zone) !=
            7 ||
        zone != 'Z') {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    if (!date.ok()) return std::nullopt;
    return wall_time(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                     std::chrono::minutes(minute) + std::chrono::seconds(second));
}

std::string human_duration(std::chrono::seconds age) {
    const std::int64_t s = age.count();
    const std::int64_t minutes = s / 60, hours = s / 3600, days = hours / 24, years = days / 365;
    const auto two = [](std::int64_t a, const char* a_unit, std::int64_t b, const char* b_unit) {
        return std::to_string(a) + a_unit + (b == 0 ? std::string() : std::to_string(b) + b_unit);
    };
    if (s < -1) return "<invalid>";
    if (s < 0) return "0s";
    if (s < 120) return std::to_string(s) + "s";
    if (minutes < 10) return two(minutes, "m", s % 60, "s");
    if (minutes < 180) return std::to_string(minutes) + "m";
    if (hours < 8) return two(hours, "h", minutes % 60, "m");
    if (hours < 48) return std::to_string(hours) + "h";
    if (hours < 192) return two(days, "d", hours % 24, "h");
    if (days < 2L * 365) return std::to_string(days) + "d";
    if (years < 8) return two(years, "y", days % 365, "d");
    return std::to_string(years) + "y";
}

}  // namespace kcontrol::testing
