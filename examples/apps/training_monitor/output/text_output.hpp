// Output that is not redrawn: tables of clusters and jobs, and lines for changes. Pure text, escaped for terminals.
#pragma once

#include "output/columns.hpp"
#include "table/change.hpp"
#include "table/job_table.hpp"

#include <string>

namespace training_monitor {

/// Clusters, then jobs. Without jobs: that there are none, or which clusters can't be read; `source` says where
/// clusters come from.
std::string snapshot_text(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now, const text_layout& layout, const std::string& source = {});

/// {"clusters":[…],"jobs":[…]}, a line.
std::string snapshot_json(const job_table::cluster_list& clusters, const job_table::job_list& jobs,
                          kcontrol::wall_time now);

/// One change as a line for people; empty for what would only be noise (a cluster's counters).
std::string change_text(const change& c, const cluster_view* cluster_before, kcontrol::wall_time now);

/// {"id":…,"event":"job","data":{…}}, a line.
std::string change_json(const change& c, kcontrol::wall_time now);

}  // namespace training_monitor
