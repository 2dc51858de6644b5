// What a condition of a job is told as.
#pragma once

#include "notices/notice.hpp"

#include <string>

namespace training_monitor::notices {

/// The job with the condition as its reason, and in the message what it lacks, or since when its GPUs idle.
job_view told_as(job_condition which, job_view job, kcontrol::wall_time since);

}  // namespace training_monitor::notices
