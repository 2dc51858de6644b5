// How busy a job's GPUs are, in words for people. Pure functions.
#pragma once

#include "usage/job_usage.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

/// Names and values: "GPUs busy" "87 % on average, 3 % the least", "GPU memory"…, of what is known. What is not known
/// of all GPUs says so.
std::vector<std::pair<std::string_view, std::string>> usage_facts(const job_usage& usage, kcontrol::wall_time now);

}  // namespace training_monitor
