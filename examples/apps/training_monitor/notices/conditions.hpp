// Rules about what a running job is like, incomplete or with idle GPUs: which jobs are so, and for how long. A plain
// state machine.
#pragma once

#include "notices/vigils.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace training_monitor::notices {

/// What is told of a job is told once for as long as it goes on.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class conditions {
public:
    /// n.condition holds of the job of `n`, and has held for `lasted`. The receivers `wanted` are watched for from the
    /// first time that it is said; what is over by then is not told.
    void holds(const notice& n, kcontrol::duration lasted, const std::vector<delayed_receiver>& wanted,
               kcontrol::time_point now);
    /// It does not hold of the job, or is not known to.
    void over(const job_view& job, job_condition which);
    /// No condition holds: the job does not run, or is there no more.
    void over(const job_view& job);
    /// `which` holds of no job of the cluster but of these.
    void only(const std::string& cluster, job_condition which, const std::vector<const job_view*>& jobs);

    /// When the next one is over; nothing: none is kept.
    std::optional<kcontrol::time_point> next() const;
    /// Takes those that are over.
    std::vector<lasted_state> take(kcontrol::time_point now);

private:
    using job_key = std::tuple<std::string, std::string, std::string, std::string_view, std::string>;
    struct watch {
        vigils kept;
        std::set<job_key> holding;
    };
    static job_key key_of(const job_view& job) { return {job.cluster, job.namespace_, job.name, job.kind, job.uid}; }
    // By its names alone, to find its vigils with.
    static job_view job_of(const job_key& key);

    std::map<job_condition, watch> all_;
};

}  // namespace training_monitor::notices
