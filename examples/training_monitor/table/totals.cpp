#include "table/totals.hpp"

#include <algorithm>
#include <chrono>

namespace training_monitor {
namespace {

constexpr std::chrono::seconds interval(totals::interval_seconds);

auto minute_of(kcontrol::wall_time at) { return std::chrono::floor<std::chrono::minutes>(at); }

}  // namespace

void totals::record(kcontrol::wall_time now, const job_counts& counts) {
    const std::int64_t minute = std::chrono::seconds(minute_of(now).time_since_epoch()).count();
    while (!points_.empty() && points_.back().time >= minute) points_.pop_back();
    points_.push_back({minute, counts});
    if (points_.size() > most_) points_.pop_front();
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
