// How a job failed: what others that failed for the same cause have in common with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace training_monitor {

/// Of the container that failed first, as far as it is known.
struct job_failure {
    std::string node;  ///< where it ran
    std::optional<std::int64_t> exit_code;
    std::string error;               ///< the line that says why: of a traceback the exception
    std::optional<std::int64_t> at;  ///< seconds since the epoch

    friend bool operator==(const job_failure&, const job_failure&) = default;
};

}  // namespace training_monitor
