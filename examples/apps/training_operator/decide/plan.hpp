// What is to be done about a job: decided from what is there, without asking or changing anything.
#pragma once

#include "decide/facts.hpp"
#include "job/training_job.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_operator {

/// A condition that says more than the phase does; it is an Event as well.
class remark {
public:
    std::string type;
    bool holds = false;
    std::string reason;
    std::string message;
    bool warning = false;
};

/// Whether the job's conditions say that already.
bool says(const training_job& job, const remark& what);

/// Either the status moves to another phase, or something is done in the present one; never both, so that whoever comes
/// next finds in the status why something was done.
class plan {
public:
    /// What the status shall be, but for the conditions. Equal to what is there: nothing is written.
    training_job_status status;
    std::string reason;  ///< of the conditions of another phase, and of its Event
    std::string message;
    bool warning = false;
    std::optional<remark> told;  ///< if it is not what the status says already

    std::vector<std::int32_t> create;  ///< ranks
    std::vector<rank> remove;
    std::string end_holder;           ///< what holds the ranks: its uid
    std::string start_gate;           ///< its name
    std::vector<gate_run> end_gates;  ///< whose Jobs are to be deleted
    bool write_card = false;
    bool read_route = false;       ///< and its weights go into the status
    std::optional<weights> route;  ///< its weights shall be these
    bool release = false;          ///< the job, which is being deleted, may go
    bool remove_job = false;       ///< its time after the end is over

    std::int64_t lost_steps = 0;     ///< that the next ranks repeat
    std::optional<wall_time> again;  ///< when to look again, if nothing happens

    bool moves(const training_job& job) const { return status.phase != job.status.phase; }
    /// Whether it does something that must not be done because of what a cache remembers.
    bool is_grave(const training_job& job) const {
        return moves(job) || !create.empty() || !remove.empty() || !end_holder.empty() || release || remove_job ||
               status.gates != job.status.gates || !start_gate.empty() || !end_gates.empty() || write_card ||
               read_route || route;
    }
};

/// Pure: the same for the same.
plan decide(const training_job& job, const facts& seen, wall_time now);

/// Its end, where the server refuses its pods for good: the template is wrong.
plan refuse(const training_job& job, std::string why, wall_time now);

/// How long to wait after so many missed starts in a row: 5 s, doubled, at most 5 min.
duration start_backoff(std::int32_t missed);

}  // namespace training_operator
