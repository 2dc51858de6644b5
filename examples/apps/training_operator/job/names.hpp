// What the operator calls the things that it makes.
#pragma once

#include <kcontrol/controllerutil/kueue.hpp>

#include "job/training_job.hpp"

#include <algorithm>
#include <string>

namespace training_operator {

inline constexpr const char* operator_name = "training-operator";
inline constexpr const char* finalizer = "ai.kcontrol.dev/ranks";
inline constexpr const char* job_label = "ai.kcontrol.dev/job";
inline constexpr const char* rank_label = "ai.kcontrol.dev/rank";
inline constexpr const char* abort_annotation = "ai.kcontrol.dev/abort";
inline constexpr const char* restart_annotation = "ai.kcontrol.dev/restart";
inline constexpr const char* gate_label = "ai.kcontrol.dev/gate";
inline constexpr const char* progress_annotation = "ai.kcontrol.dev/progress";
inline constexpr const char* attempt_label = "ai.kcontrol.dev/attempt";

/// The pod of a rank, and its host name.
inline std::string rank_name(const training_job& job, std::int32_t rank) {
    return job.metadata.name + ("-" + std::to_string(rank));
}

/// Of its present start: another one at each.
inline std::string start_name(const training_job& job) {
    const auto start = job.status.phase_time.value().time_since_epoch() / std::chrono::seconds(1);
    return job.metadata.name + ("-" + std::to_string(start));
}

/// Where its next ranks go on; null: at the beginning.
inline const checkpoint* resume_from(const training_job& job) {
    const bool never = job.spec.checkpoint && job.spec.checkpoint->resume == "Never";
    return job.status.checkpoint && !never ? &*job.status.checkpoint : nullptr;
}

/// Where the server of that checkpoint has its hash; empty: it is behind no http(s) server, or there is none.
inline std::string hash_url(const training_job& job) {
    const checkpoint* from = resume_from(job);
    if (from == nullptr || !(from->uri.view().starts_with("http://") || from->uri.view().starts_with("https://")))
        return {};
    std::string out = from->uri;
    return out.insert(std::min(out.find('?'), out.size()), ".sha256");
}

/// By which somebody asks for a restart; empty: nobody does. Only its first 253 characters count.
inline text restart_token_of(const training_job& job) {
    const text* token = job.metadata.annotations.get(restart_annotation);
    return token == nullptr ? text() : text(token->view().substr(0, 253));
}

/// What it runs on in place of GPUs; null: it is to run as its template says.
inline const cpu_fallback_spec* fallback_of(const training_job& job) {
    return job.status.on_fallback && job.spec.cpu_fallback ? &*job.spec.cpu_fallback : nullptr;
}

/// Kueue's queue of its next start; empty: none.
inline std::string queue_of(const training_job& job) {
    if (const auto* fallback = fallback_of(job)) return fallback->queue_name;
    const text* queue = job.metadata.labels.get(kueue::queue_label);
    return queue == nullptr ? std::string() : queue->str();
}

/// Ranks of its next start: fewer than asked for where nodes were lost, if minWorkers allows that.
inline std::int32_t next_workers(const training_job& job) {
    if (const auto* fallback = fallback_of(job)) return fallback->workers.value_or(job.spec.workers);
    return std::max(job.spec.min_workers.value_or(job.spec.workers), job.spec.workers - job.status.lost_workers);
}

}  // namespace training_operator
