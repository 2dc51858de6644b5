// The query of /api/v1/jobs as a filter.
#pragma once

#include <kcontrol/base/result.hpp>

#include "table/job_table.hpp"

#include <array>
#include <string>
#include <string_view>

namespace training_monitor {

/// The kinds there are, by the names that the interface uses.
inline constexpr std::array<std::string_view, 5> kind_names{"PyTorchJob", "MPIJob", "TrainJob", "TrainingJob", "Job"};

/// For people: "PyTorchJob, MPIJob, …".
std::string all_kind_names();

/// The kind of that name, whatever its case and with or without a plural s; empty if there is none.
std::string_view find_kind(std::string_view name);

/// `cluster`, `namespace`, `kind` and `state`, each repeatable and each a list with commas; empty ones do not restrict.
/// Errors: invalid_argument naming the parameter, the value and what would be allowed.
kcontrol::result<job_filter> parse_job_query(std::string_view query);

/// Refuses any parameter. Errors: invalid_argument.
kcontrol::result<void> expect_no_query(std::string_view query, std::string_view allowed = "none");

}  // namespace training_monitor
