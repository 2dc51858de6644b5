// Which jobs failed for one cause: on one node, with one exit code and one error, soon after each other. Pure
// functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "jobs/job_view.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// What jobs must have in common.
struct cause_parts {
    bool cluster = true, node = true, exit_code = true, error = true;

    friend bool operator==(const cause_parts&, const cause_parts&) = default;
};

/// Failures with longer pauses between them are not taken for one.
inline constexpr auto cause_window = std::chrono::minutes(10);

/// The error without what differs between jobs: the job's name, numbers, addresses, hashes. One line of 200 bytes at
/// most.
std::string normalised_error(std::string_view error, std::string_view job_name);

/// The same text for jobs that failed alike, as far as `parts` say; empty where nothing but the cluster is known, for
/// such jobs may have failed for any cause.
std::string cause_of(const job_view& job, cause_parts parts = {});

/// A job that failed, and when.
struct failed_job {
    std::string cause;  ///< cause_of(); empty: unlike any other
    kcontrol::wall_time at{};
};

/// The places in `jobs` of those that belong together: in each group in the order of `jobs`, and the groups in the
/// order of their first.
std::vector<std::vector<std::size_t>> group_by_cause(const std::vector<failed_job>& jobs,
                                                     kcontrol::duration window = cause_window);

}  // namespace training_monitor
