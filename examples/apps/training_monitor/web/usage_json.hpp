// How busy a job's GPUs are, as the interface says it.
#pragma once

#include <kcontrol/json/writer.hpp>

#include "jobs/job_view.hpp"
#include "usage/usage_board.hpp"

namespace training_monitor {

/// The member gpuUsage: null for a job that does not run, or has no GPUs.
void write_usage(kcontrol::json::writer& out, const job_view& job, const usage_board& known);

}  // namespace training_monitor
