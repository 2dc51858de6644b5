// What the operator calls the things that it makes.
#pragma once

#include "job/training_job.hpp"

#include <string>

namespace training_operator {

inline constexpr const char* operator_name = "training-operator";
inline constexpr const char* finalizer = "ai.kcontrol.dev/ranks";
inline constexpr const char* job_label = "ai.kcontrol.dev/job";
inline constexpr const char* rank_label = "ai.kcontrol.dev/rank";
inline constexpr const char* attempt_label = "ai.kcontrol.dev/attempt";

/// The pod of a rank, and its host name.
inline std::string rank_name(const training_job& job, std::int32_t rank) {
    return job.metadata.name + ("-" + std::to_string(rank));
}

}  // namespace training_operator
