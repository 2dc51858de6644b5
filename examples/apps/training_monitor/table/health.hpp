// What /readyz says, and what --once needs to know: how far the picture of the clusters is complete.
#pragma once

#include "table/job_table.hpp"

#include <string>

namespace training_monitor {

/// True once every cluster has settled: it is being watched, or it is known why not. A cluster that can't be reached
/// does not make the monitor unready; its readers learn about it from the monitor.
bool is_ready(const job_table::cluster_list& clusters);

/// True if the cluster's jobs are all in view: each kind that is installed there has been listed.
bool is_complete(const cluster_view& cluster);

/// The lines of one cluster in readiness_report().
std::string cluster_report(const cluster_view& cluster);

/// One line for each cluster and each of its kinds, with the reason of what is not as it should be, and a verdict, as
/// in the API server's /readyz?verbose.
std::string readiness_report(const job_table::cluster_list& clusters);

}  // namespace training_monitor
