// What the operator calls the things that it makes.
#pragma once

#include "job/training_job.hpp"

#include <string>

namespace training_operator {

inline constexpr const char* operator_name = "training-operator";
inline constexpr const char* finalizer = "ai.kcontrol.dev/ranks";
inline constexpr const char* job_label = "ai.kcontrol.dev/job";
inline constexpr const char* rank_label = "ai.kcontrol.dev/rank";
inline constexpr const char* progress_annotation = "ai.kcontrol.dev/progress";
inline constexpr const char* attempt_label = "ai.kcontrol.dev/attempt";

/// The pod of a rank, and its host name.
inline std::string rank_name(const training_job& job, std::int32_t rank) {
    return job.metadata.name + ("-" + std::to_string(rank));
}

/// Where its next ranks go on; null: at the beginning.
inline const checkpoint* resume_from(const training_job& job) {
    const bool never = job.spec.checkpoint && job.spec.checkpoint->resume == "Never";
    return job.status.checkpoint && !never ? &*job.status.checkpoint : nullptr;
}

}  // namespace training_operator
