#include "jobs/job_view.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace training_monitor {
namespace {

// Reads exactly `text`'s digits. False on anything else.
bool read_number(std::string_view text, int& out) {
    const auto end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, out);
    return error == std::errc{} && stopped == end && out >= 0;
}

}  // namespace

std::optional<std::int64_t> parse_rfc3339_seconds(std::string_view t) {
    if (t.size() < 20 || t[4] != '-' || t[7] != '-' || (t[10] != 'T' && t[10] != 't') || t[13] != ':' || t[16] != ':') {
        return std::nullopt;
    }
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (!read_number(t.substr(0, 4), year) || !read_number(t.substr(5, 2), month) ||
        !read_number(t.substr(8, 2), day) || !read_number(t.substr(11, 2), hour) ||
        !read_number(t.substr(14, 2), minute) || !read_number(t.substr(17, 2), second)) {
        return std::nullopt;
    }
    std::size_t zone = 19;
    if (t[zone] == '.') {
        do ++zone;
        while (zone < t.size() && t[zone] >= '0' && t[zone] <= '9');
    }
    // API servers write UTC only (metav1.Time), so an offset is not one of theirs.
    if (zone + 1 != t.size() || (t[zone] != 'Z' && t[zone] != 'z')) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (year < 1970) return std::nullopt;  // Go's zero time, 0001-01-01, which some operators write for none
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

std::string to_rfc3339(std::int64_t since_epoch) {
    const std::chrono::sys_seconds seconds{std::chrono::seconds(since_epoch)};
    const auto days = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(days);
    const std::chrono::hh_mm_ss time(seconds - days);
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return buffer;
}

std::optional<std::int64_t> duration_seconds(const job_view& job, kcontrol::wall_time now) {
    if (job.state == job_state::suspended || job.state == job_state::queued) return std::nullopt;
    if (!job.start_time) return std::nullopt;
    if (!job.completion_time && is_final(job.state)) return std::nullopt;  // it ended, nobody says when
    const auto wall = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    return std::max<std::int64_t>(0, job.completion_time.value_or(wall) - *job.start_time);
}

}  // namespace training_monitor
