#include "jobs/job_view.hpp"

#include <kcontrol/values/rfc3339.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace training_monitor {

std::optional<std::int64_t> parse_rfc3339_seconds(std::string_view text) {
    const auto at = kcontrol::rfc3339_time::parse(text);
    // Before 1970 there is Go's zero time, 0001-01-01, which some operators write for none.
    if (!at || at->seconds < 0) return std::nullopt;
    return at->seconds;
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
