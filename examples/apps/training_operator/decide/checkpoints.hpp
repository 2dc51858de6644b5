// What ranks report of checkpoints, and what the status makes of it.
#pragma once

#include "gang/rank.hpp"
#include "job/training_job.hpp"

namespace training_operator {

/// Takes in what the ranks say. The newest five are kept, by their steps; the newest of these that no rank refused is
/// the one to go on with. Returns the rank that refused one which was good until now, if there is one.
const rank* take_reports(const gang& ranks, wall_time now, training_job_status& to);

/// The one to go on with is refused, and the newest good one before it is taken.
void refuse_checkpoint(training_job_status& in);

}  // namespace training_operator
