// What went wrong in a gang, if anything did: the first rank that failed, and whether another attempt may help.
#pragma once

#include "gang/rank.hpp"

#include <optional>
#include <string>

namespace training_operator {

/// How long a node may be not ready before its ranks count as lost.
inline constexpr duration node_grace = std::chrono::seconds(60);

class failure {
public:
    bool retryable = false;
    std::string reason;             ///< in CamelCase: RankFailed, NodeLost, Disrupted, PodDeleted, Preempted
    std::string message;            ///< "rank 2 exited with code 137: OOMKilled"
    std::optional<wall_time> when;  ///< if anybody says it
};

/// Whether its node has not been ready for so long.
inline bool is_lost(const rank& one, wall_time now) {
    return one.unready_since && now - *one.unready_since >= node_grace;
}

/// Whether only the end of its group lets its pod go: Kueue holds it, and no kubelet will end it.
inline bool is_held(const rank& one, wall_time now) {
    return !one.group.empty() && (one.node.empty() || is_lost(one, now));
}

/// One that is worth another attempt.
failure loss(std::string reason, std::string message);

/// An exit code below 128 is the program's own; one from 128 on (a signal), a lost node, an eviction and a pod that
/// somebody deletes are worth another attempt. Of several ranks the one that failed first counts, for the others fail
/// because of it; where that can't be told, one that is worth another attempt. A rank that failed while another one's
/// node is not ready may have failed because of that: nothing is said before that node is back, or lost.
/// `has_holder`: another controller makes the pods, and deletes the others once one has failed.
std::optional<failure> find_failure(const gang& ranks, wall_time now, bool has_holder);

}  // namespace training_operator
