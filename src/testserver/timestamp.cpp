#include "testserver/timestamp.hpp"

#include <kcontrol/values/rfc3339.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

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
    if (!rfc3339_time::parse_as_go(text)) return std::nullopt;
    const auto at = parse_time(text);  // what wall_time can't hold is none
    return at ? std::optional<wall_time>(*at) : std::nullopt;
}

std::string age_text(std::string_view timestamp, wall_time now) {
    constexpr std::string_view none = "<unknown>";
    if (timestamp.empty() || timestamp == "null") return std::string(none);
    const auto then = rfc3339_time::parse_as_go(timestamp);
    if (!then) return "<invalid>";
    if (then->is_zero()) return std::string(none);
    // Of what Go's 64 bits of nanoseconds can't hold, it says the longest time that they can.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    std::int64_t age = second.time_since_epoch().count() - then->seconds;
    const auto part = std::chrono::nanoseconds(now - second).count() - then->nanoseconds;
    // Whole seconds towards zero.
    if (age > 0 && part < 0) --age;
    if (age < 0 && part > 0) ++age;
    return human_duration(std::chrono::seconds(std::clamp(age, -most, most)));
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
