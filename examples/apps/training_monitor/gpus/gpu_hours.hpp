// The GPU hours of jobs: how many GPUs they asked for, times how long they ran. A plain state machine: changes and time
// in, sums by day out; memory/ keeps them in a file.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "gpus/gpu_hour_rows.hpp"
#include "table/change.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

struct job_record;

class gpu_hours_options {
public:
    gpu_hours_options() = default;

    /// So many days are kept, today among them.
    gpu_hours_options& days(int n) { return days_ = n, *this; }
    /// Beyond so many rows a day, what is new is counted under namespace and team `gpu_hours_other`: names come from
    /// clusters and must not make rows without end.
    gpu_hours_options& rows_a_day(std::size_t n) { return rows_a_day_ = n, *this; }

    int days() const noexcept { return days_; }
    std::size_t rows_a_day() const noexcept { return rows_a_day_; }

private:
    int days_ = 90;
    std::size_t rows_a_day_ = 500;
};

inline constexpr std::string_view gpu_hours_other = "(other)";

/// The team that a job's labels name, as the page's column has it; empty: none.
std::string_view team_of(const job_labels& labels);

/// What is counted is what jobs asked for while they were Running, whether they used it or not. A day ends at midnight
/// UTC.
///
/// Each kind of each cluster has a watch, which is open while its jobs can be seen. Of a time in which it was closed
/// (the cluster did not answer, the monitor did not run) it is known only afterwards what ran: a job that runs still is
/// counted through, one that completed until it says that it did, and one that is gone or does not run not at all. So
/// no time is counted twice, and none of jobs that may not have run.
///
/// Thread-safety: shared objects unsafe.
class gpu_hours {
public:
    explicit gpu_hours(gpu_hours_options options = {}) : options_(options) {}
    gpu_hours(const gpu_hours&) = delete;
    gpu_hours& operator=(const gpu_hours&) = delete;

    /// Hears of changes.
    void take(const std::vector<change>& changes, kcontrol::wall_time now);

    /// Counts what runs up to now, and forgets the days that are too old.
    void count(kcontrol::wall_time now);

    using row_map = std::map<gpu_hours_key, gpu_hours_sum>;
    const row_map& rows() const noexcept { return rows_; }
    /// Since when something is counted; nothing: no cluster was seen yet.
    std::optional<kcontrol::wall_time> since() const;
    /// How many jobs are counted now.
    std::size_t jobs() const;

    /// Puts back what an earlier run counted. Before anything else.
    void restore(const gpu_hours_state& state);
    /// After restore(): a job that an earlier run knew. If it runs still when it is seen, it is counted through.
    void resume(const job_record& job);

    /// Counts up to now. What is to be kept: rows that changed since the last call, and all watches.
    gpu_hours_state take_changes(kcontrol::wall_time now);

private:
    struct entry {
        std::string uid;
        gpu_hours_key where;  ///< its day is that of the last count
        std::int64_t gpus = 0;
        gpu_time counted_to{};        ///< what is before is counted
        std::optional<gpu_time> end;  ///< it ended while it could not be seen
        bool seen = true;             ///< in this run of the monitor
    };
    using job_key = std::pair<std::string, std::string>;  ///< namespace and name
    struct watch {
        bool open = false;
        std::optional<gpu_time> live_since;  ///< what happened before may still be told: it opens a little later
        std::optional<gpu_time> since;       ///< nothing: it was never open
        gpu_time until{};                    ///< what is before is counted
        std::map<job_key, entry> jobs;       ///< those that run
    };
    using watch_map = std::map<gpu_watch_key, watch>;

    watch& watch_of(const job_view& job, gpu_time now);
    void see(const job_view& job, gpu_time now);
    void begin(watch& w, const job_view& job, gpu_time now);
    void lose(const job_view& job, gpu_time now);
    void set_live(const cluster_view& cluster, gpu_time now);
    static void open_if_due(watch& w, gpu_time now);
    void count(watch& w, gpu_time now);
    void count(entry& e, gpu_time to);
    gpu_hours_sum& row_of(const gpu_hours_key& where);
    void forget_old(gpu_time now);
    gpu_time oldest(gpu_time now) const;

    gpu_hours_options options_;
    watch_map watches_;
    row_map rows_;
    std::map<gpu_day, std::size_t> rows_of_day_;
    std::vector<gpu_hours_key> changed_;
    gpu_time horizon_{};  ///< nothing before it is counted
};

}  // namespace training_monitor
