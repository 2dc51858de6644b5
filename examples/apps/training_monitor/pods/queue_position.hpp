// Where a job's Workload stands among those that wait, as Kueue's visibility API tells it. Pure functions.
// Source: https://kueue.sigs.k8s.io/docs/tasks/manage/monitor_pending_workloads/pending_workloads_on_demand/
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace training_monitor {

struct queue_position {
    std::int64_t in_local_queue = 0, in_cluster_queue = 0;  ///< from 0: the next to be admitted

    friend bool operator==(const queue_position&, const queue_position&) = default;
};

/// What is asked: at most so many of those that wait in a LocalQueue, the first ones.
inline constexpr std::size_t most_pending_workloads = 1000;
inline constexpr std::size_t most_pending_bytes = std::size_t{2} << 20;
std::string pending_workloads_target(std::string_view name_space, std::string_view local_queue);

/// The position of a Workload in an answer (PendingWorkloadsSummary); nothing: it is not among them, or the answer is
/// no such list.
std::optional<queue_position> find_position(std::string_view answer, std::string_view workload);

/// "number 3 in queue team-a, 7 in its ClusterQueue"
std::string describe(const queue_position& position, std::string_view local_queue);

}  // namespace training_monitor
