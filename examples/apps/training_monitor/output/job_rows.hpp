// Clusters and jobs as tables of text, and the words for what they have in common. Pure functions.
#pragma once

#include "output/columns.hpp"
#include "output/urgency.hpp"
#include "table/job_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

text_table clusters_table(const job_table::cluster_list& clusters);
/// `causes`: which of the jobs stand for others, and for how many.
text_table jobs_table(const std::vector<const job_view*>& jobs, kcontrol::wall_time now, const text_layout& layout,
                      const rows_of_causes& causes = {});

/// "Master:1/1 Worker:1/2"; of an ended job "Worker:1/2 ok 1 failed".
std::string replicas_text(const job_view& job);

/// Why it is in its state: the most telling words there are; with `wide` all of them.
std::string why_text(const job_view& job, bool wide);

/// "2d3h", "3h12m", "5m4s", "42s"; "-" for nothing.
std::string duration_text(std::optional<std::int64_t> seconds);

/// What stands where there are no jobs: "No jobs.", or what can't be read.
std::string no_jobs_text(const job_table::cluster_list& clusters, const std::string& source);

}  // namespace training_monitor
