// What the monitor shows of a job, whatever its kind.
#pragma once

#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/values/boxed.hpp>

#include "jobs/job_details.hpp"
#include "jobs/job_failure.hpp"
#include "jobs/job_labels.hpp"
#include "jobs/job_state.hpp"
#include "jobs/trouble.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// The pods of one replica type ("Master", "Worker", "Launcher"; "Pod" of a batch Job; a TrainJob's child Jobs by
/// name).
struct replica_counts {
    std::string type;
    std::int64_t desired = 0;
    std::int64_t active = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;

    friend bool operator==(const replica_counts&, const replica_counts&) = default;
};

/// A job as people see it. There may be hundreds of thousands of them: names of kinds are views of constants.
struct job_view {
    std::string cluster;
    std::string namespace_;
    std::string name;
    std::string_view kind;         ///< static text
    std::string_view api_version;  ///< static text
    std::string uid;
    job_state state = job_state::unknown;
    std::string reason;   ///< of the condition that decided the state, or our own word for a derived state
    std::string message;  ///< likewise
    std::string why;      ///< what its pods and events say of it, in one sentence; empty: no more than the job says
    trouble stuck = trouble::none;           ///< what they say keeps it from training
    std::int64_t stuck_count = 0;            ///< of a crash loop the restarts, of a failed job the GPUs that it holds
    kcontrol::boxed<job_failure> failure;    ///< what they say of the container that failed first
    std::optional<std::int64_t> start_time;  ///< seconds since the epoch
    std::optional<std::int64_t> completion_time;  ///< likewise
    std::int64_t gpus = 0;                        ///< requested by all its pods together
    std::vector<replica_counts> replicas;         ///< sorted by type
    bool terminating = false;                     ///< its deletion has begun
    job_labels labels;                            ///< of the object

    friend bool operator==(const job_view&, const job_view&) = default;
};

/// Why it is in its state, in the most telling words there are: its pods', else its own.
inline const std::string& message_of(const job_view& job) noexcept { return job.why.empty() ? job.message : job.why; }

/// The object that controls a job: what it takes to find it.
struct job_owner {
    std::string group;
    std::string kind;
    std::string name;
};

/// A job as it comes from a cluster: what is shown, and what the table needs to know about it beyond that.
struct observed_job {
    job_view view;
    std::string resource_version;
    std::optional<job_owner> owner;  ///< the controller among its owners
    bool part_of_train_job = false;  ///< a step of a TrainJob, which owns it by way of a JobSet
    job_source source;
};

/// How long the job has run: completion - start, or now - start while it is not finished. Nothing without a start time,
/// or while it is suspended or queued (a resumed job starts anew). In whole seconds, never negative.
std::optional<std::int64_t> duration_seconds(const job_view& job, kcontrol::wall_time now);

/// Whole seconds since the epoch of an RFC 3339 time, whatever its offset and fraction; nothing before 1970.
std::optional<std::int64_t> parse_rfc3339_seconds(std::string_view text);

/// The RFC 3339 text of a number of seconds since the epoch.
std::string to_rfc3339(std::int64_t seconds);

}  // namespace training_monitor
