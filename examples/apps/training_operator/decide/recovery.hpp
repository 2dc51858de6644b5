// Where a gang that starts again is on its way: the parts of a recovery, for metrics.
#pragma once

#include "decide/facts.hpp"
#include "job/training_job.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace training_operator {

/// `detect` ends when the job is Restarting; the others are where it is now.
enum class recovery_part { detect, drain, queue, place, start, load, none };
inline constexpr std::array<std::string_view, 6> recovery_parts{"detect", "drain", "queue", "place", "start", "load"};

/// Of a job that is on its way since it lost a rank. `load` is over when a rank reports a step of its new attempt.
recovery_part recovery_part_of(const training_job& job, const facts& seen);

}  // namespace training_operator
