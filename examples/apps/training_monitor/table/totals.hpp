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

    /// Keeps the points of the last `most` minutes.
    explicit totals(std::size_t most = std::size_t{24} * 60) : most_(most) {}

    /// What the counts are in the minute of `now`; recorded again in the same minute, the later counts stay. Where the
    /// clock was set back, the points that lie in the future now are dropped: times increase from point to point.
    void record(kcontrol::wall_time now, const job_counts& counts);

    /// Puts back what an earlier run recorded, in the order of times, before anything else is recorded. What is older
    /// than is kept, or lies in the future, is left out.
    void restore(const std::vector<totals_point>& points, kcontrol::wall_time now);

    /// The points at or after that time (seconds since the epoch), oldest first.
    std::vector<totals_point> since(std::optional<std::int64_t> seconds) const;

    std::size_t size() const noexcept { return points_.size(); }
    /// There is one.
    const totals_point& newest() const { return points_.back(); }
    void clear() { points_.clear(); }

    /// How long from `now` until the next minute begins.
    static kcontrol::duration until_next(kcontrol::wall_time now);

private:
    void drop_old(std::int64_t now);

    std::size_t most_;
    std::deque<totals_point> points_;
};

}  // namespace training_monitor
