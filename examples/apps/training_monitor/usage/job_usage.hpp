// How busy the GPUs of a job are: what the labelers of its pods' nodes say of the GPUs that its pods have. Pure
// functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "pods/pod_row.hpp"
#include "usage/node_report.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// What was heard of a node: its report, or why there is none.
struct node_answer {
    std::optional<node_report> report;
    std::string failure;
};
using node_answers = std::map<std::string, node_answer, std::less<>>;

struct job_xid {
    std::string node;
    std::int64_t gpu = 0, number = 0;
    std::string time;  ///< RFC 3339, or empty
};

struct job_usage {
    enum class state_type {
        unknown,  ///< of no GPU of the job anything is known
        partial,  ///< of some of them; the sums are of those
        known,
    };
    state_type state = state_type::unknown;
    std::string reason;         ///< why not all is known
    std::int64_t gpus = 0;      ///< that its running pods ask for
    std::int64_t measured = 0;  ///< of those, how many are told of
    std::optional<double> utilization_mean, utilization_least;
    std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
    std::optional<double> power_watts;
    std::vector<job_xid> xids;                      ///< the last of each GPU, the latest first, 16 at most
    std::optional<kcontrol::wall_time> idle_since;  ///< since when all its GPUs have been at 0 %
    kcontrol::wall_time at{};                       ///< when the labelers were asked
    std::optional<kcontrol::wall_time> known_at;    ///< when it was last known of all
};

std::string_view to_string(job_usage::state_type state) noexcept;

/// The GPUs of the pods of one job in one namespace. A pod has the GPUs that its node's labeler says it has. Where the
/// labeler is not told, the job's pods have those of a node only if they ask for as many as there are; otherwise, and
/// where a GPU is shared or divided, nothing is known of it, and nothing is guessed.
job_usage usage_of(const std::vector<pod_row>& pods, std::string_view name_space, const node_answers& nodes,
                   kcontrol::wall_time now);

/// What is remembered of a look before this one: since when the GPUs idle. A labeler that does not answer for up to
/// `patience` ends no idle time, as long as no GPU is seen to work.
void carry_on(job_usage& now, const job_usage& before, kcontrol::duration patience);

}  // namespace training_monitor
