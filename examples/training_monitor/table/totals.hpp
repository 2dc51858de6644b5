// The fleet over time: a point a minute, kept for a day. A plain state machine: counts and time in.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "table/job_counts.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace training_monitor {

struct totals_point {
    std::int64_t time = 0;  ///< seconds since the epoch, a whole minute
    job_counts counts;

    friend bool operator==(const totals_point&, const totals_point&) = default;
};

/// Thread-safety: shared objects unsafe.
class totals {
public:
    static constexpr std::int64_t interval_seconds = 60;

    /// Keeps the last `most` points.
    explicit totals(std::size_t most = std::size_t{24} * 60) : most_(most) {}

    /// What the counts are in the minute of `now`; recorded again in the same minute, the later counts stay. Where the
    /// clock was set back, the points that lie in the future now are dropped: times increase from point to point.
    void record(kcontrol::wall_time now, const job_counts& counts);

    /// The points at or after that time (seconds since the epoch), oldest first.
    std::vector<totals_point> since(std::optional<std::int64_t> seconds) const;

    /// How long from `now` until the next minute begins.
    static kcontrol::duration until_next(kcontrol::wall_time now);

private:
    std::size_t most_;
    std::deque<totals_point> points_;
};

}  // namespace training_monitor
