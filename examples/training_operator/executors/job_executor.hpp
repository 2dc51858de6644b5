// What runs the ranks of jobs. Whatever it makes for that, each rank ends up as a pod that the job controls, with the
// operator's labels: by these the operator sees what becomes of it.
#pragma once

#include <kcontrol/runtime/executor.hpp>  // awaitable

#include "gang/rank.hpp"
#include "job/training_job.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace training_operator {

/// Both are called again with the same until it is done, so what is there already, or gone, is right.
///
/// Errors: those of the API. `invalid` means that no other try will help: the template is wrong.
class job_executor {
public:
    virtual ~job_executor() = default;
    /// Makes these ranks of the attempt in the job's status.
    virtual awaitable<result<void>> create(training_job job, std::vector<std::int32_t> ranks, std::stop_token stop) = 0;
    /// Begins to end these. One of a node that is lost is not waited for.
    virtual awaitable<result<void>> remove(training_job job, std::vector<rank> ranks, wall_time now,
                                           std::stop_token stop) = 0;
};

}  // namespace training_operator
