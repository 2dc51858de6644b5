// What /readyz says, and what --once needs to know: how far the picture of the clusters is complete.
#pragma once

#include "table/job_table.hpp"

#include <string>

namespace training_monitor {

/// True once every cluster has settled: it is being watched, or it is known why not. A cluster that can't be reached
/// does not make the monitor unready; its readers learn about it from the monitor.
bool is_ready(const job_table::cluster_list& clusters);

/// How many clusters there are, and of how many it is not known what jobs they have now.
struct fleet_health {
    std::size_t clusters = 0;
    std::size_t unreadable = 0;  ///< unreachable or failed: what is shown of them is as it was
    std::size_t partial = 0;     ///< some kind can't be read
    std::size_t loading = 0;     ///< not listed yet

    /// All jobs are in view, of one cluster at least.
    bool complete() const noexcept { return clusters > 0 && unreadable + partial + loading == 0; }
};

fleet_health health_of(const job_table::cluster_list& clusters);

/// True if nothing of the cluster can be read now: it is unreachable or failed.
bool is_unreadable(const cluster_view& cluster);

/// "3 of 3 clusters can't be read, 1 is loading"; empty if all is in view. `source`: where clusters come from.
std::string incomplete_text(const fleet_health& health, const std::string& source);

/// True if the cluster's jobs are all in view: each kind that is installed there has been listed.
bool is_complete(const cluster_view& cluster);

/// The lines of one cluster in readiness_report().
std::string cluster_report(const cluster_view& cluster);

/// One line for each cluster and each of its kinds, with the reason of what is not as it should be, and a verdict, as
/// in the API server's /readyz?verbose.
std::string readiness_report(const job_table::cluster_list& clusters);

}  // namespace training_monitor
