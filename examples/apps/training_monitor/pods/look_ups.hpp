// When to ask for the events of which job: of those that wait or failed without a reason that their pods tell, and of
// those that somebody looks at. A plain state machine: jobs and times in, the next job to ask for out.
#pragma once

#include <kcontrol/base/chrono.hpp>

#include "pods/pod_row.hpp"

#include <cstddef>
#include <map>
#include <optional>

namespace training_monitor {

/// A job that waits is asked for after 3 s, for events take a moment, then after 15 s, 1 min, 4 min and each 10 min;
/// one that failed twice. Who looks at a job has it asked for at once, at most each 10 s. At most 10,000 jobs are on
/// the list; what finds no room is asked for when somebody looks.
///
/// Thread-safety: shared objects unsafe.
class look_ups {
public:
    explicit look_ups(std::size_t most = 10'000) : most_(most) {}

    /// Nothing tells yet why the job waits (`ended` false) or failed (true).
    void want(const job_ref& job, bool ended, kcontrol::time_point now);
    /// Somebody looks at it. True if it is to be asked for now.
    bool look(const job_ref& job, kcontrol::time_point now);
    /// It is known, or nothing is wrong, or the job is gone.
    void drop(const job_ref& job);
    void drop_cluster(const std::string& cluster);

    /// The job that is due, which is then taken to have been asked for; nothing if none is.
    std::optional<job_ref> take(kcontrol::time_point now);
    /// When the next one is due.
    std::optional<kcontrol::time_point> next_due() const;

    std::size_t size() const noexcept { return jobs_.size(); }

private:
    struct entry {
        kcontrol::time_point due;
        unsigned asked = 0;
        bool ended = false;
    };
    std::size_t most_;
    std::map<job_ref, entry> jobs_;
    std::multimap<kcontrol::time_point, job_ref> order_;
    std::map<job_ref, kcontrol::time_point> looked_;  // bounded: those of the last seconds

    void plan(const job_ref& job, entry& e, kcontrol::time_point due);
    void unplan(const job_ref& job, const entry& e);
};

}  // namespace training_monitor
