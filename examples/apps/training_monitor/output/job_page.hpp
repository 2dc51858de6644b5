// A job with all that is known of it, as the lines that a terminal scrolls through. Pure text, escaped for terminals.
#pragma once

#include "output/columns.hpp"
#include "pods/insight.hpp"
#include "usage/job_usage.hpp"

#include <optional>
#include <string>
#include <vector>

namespace training_monitor {

/// What is known of a job beyond its object, and what might be if there were the rights.
struct known_of_job {
    job_evidence evidence;
    cluster_rights rights;
    std::optional<job_usage> usage;  ///< nothing: it is not asked for, or the job does not run
};

/// Why it is as it is, what it is, its pods (those that failed or wait first, 200 at most) and what events say.
std::vector<std::string> job_page(const job_view& job, const known_of_job& known, kcontrol::wall_time now,
                                  const text_layout& layout);

}  // namespace training_monitor
