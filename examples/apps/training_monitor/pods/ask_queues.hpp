// Kueue's queues of a cluster, read when somebody looks, and who waits there.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>

#include "pods/kueue_queue.hpp"
#include "pods/queue_position.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// One that waits, as Kueue's visibility API tells it.
struct waiting_workload {
    std::string namespace_, name, local_queue;
    std::string job_kind, job_name;  ///< whose it is; may be empty
    std::int64_t priority = 0;
    queue_position position;

    friend bool operator==(const waiting_workload&, const waiting_workload&) = default;
};

/// Those of a PendingWorkloadsSummary, in its order; nothing: it is none. What lacks its name or position is left out.
std::optional<std::vector<waiting_workload>> read_waiting(std::string_view answer);

struct queue_knowledge {
    std::vector<std::shared_ptr<const cluster_queue>> cluster_queues;
    kcontrol::result<std::vector<std::shared_ptr<const local_queue>>> local_queues{
        std::vector<std::shared_ptr<const local_queue>>()};
    std::map<std::string, std::vector<waiting_workload>> waiting;  ///< by ClusterQueue; of one that is missing here it
                                                                   ///< could not be read
    bool waiting_forbidden = false;
};

inline constexpr std::size_t most_waiting_of_a_queue = 100, most_queues_asked = 20;

/// Lists the queues, then asks the visibility API for the first hundred that wait in each of the first twenty
/// ClusterQueues where any do. Await it on the executor of `from`. Errors: those of listing ClusterQueues.
kcontrol::awaitable<kcontrol::result<queue_knowledge>> ask_queues(kcontrol::client from, std::stop_token stop);

}  // namespace training_monitor
