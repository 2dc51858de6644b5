#include "table/totals.hpp"

#include <algorithm>
#include <chrono>

namespace training_monitor {
namespace {

constexpr std::chrono::seconds interval(totals::interval_seconds);

auto minute_of(kcontrol::wall_time at) { return std::chrono::floor<std::chrono::minutes>(at); }

std::int64_t seconds_of_minute(kcontrol::wall_time at) {
    return std::chrono::seconds(minute_of(at).time_since_epoch()).count();
}

}  // namespace

void totals::record(kcontrol::wall_time now, const job_counts& counts) {
    const std::int64_t minute = seconds_of_minute(now);
    while (!points_.empty() && points_.back().time >= minute) points_.pop_back();
    points_.push_back({minute, counts});
    drop_old(minute);
}

// By their number, and by their age: after a long pause the points before it are no longer of the last day.
void totals::drop_old(std::int64_t now) {
    const std::int64_t oldest = now - static_cast<std::int64_t>(most_) * interval_seconds;
    while (!points_.empty() && (points_.size() > most_ || points_.front().time < oldest)) points_.pop_front();
}

void totals::restore(const std::vector<totals_point>& points, kcontrol::wall_time now) {
    const std::int64_t minute = seconds_of_minute(now);
    for (const auto& point : points) {
        if (point.time <= minute) points_.push_back(point);
    }
    drop_old(minute);
}

std::vector<totals_point> totals::since(std::optional<std::int64_t> seconds) const {
    const auto first = std::partition_point(points_.begin(), points_.end(),
                                            [&](const totals_point& p) { return seconds && p.time < *seconds; });
    return {first, points_.end()};
}

kcontrol::duration totals::until_next(kcontrol::wall_time now) {
    return std::chrono::duration_cast<kcontrol::duration>(minute_of(now) + interval - now);
}

}  // namespace training_monitor
