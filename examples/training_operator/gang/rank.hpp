// A rank of a job, as decisions see it: what its pod says, in a few words.
#pragma once

#include "gang/rank_pod.hpp"
#include "gang/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_operator {

/// `ended_well` and `failed` are about the first container of the template: others of the pod may go on.
enum class rank_state { waiting, running, ended_well, failed };

class rank {
public:
    std::int32_t number = -1;
    std::int32_t attempt = 0;
    std::string pod;
    std::string uid;
    rank_state state = rank_state::waiting;
    bool over = false;                ///< all containers of the pod have ended
    bool leaving = false;             ///< the pod is being deleted
    bool gated = false;               ///< a queue keeps it from being scheduled
    bool disrupted = false;           ///< of a failed one: the program is not to blame (evicted, preempted…)
    std::int32_t exit_code = 0;       ///< of a failed one that is not disrupted
    std::vector<std::string> images;  ///< with digests, where the kubelet says them
    std::string words;                ///< the last message, or what it waits for
    report told;
    std::optional<wall_time> ended;  ///< if the pod says when
    std::string node;
    std::optional<wall_time> unready_since;  ///< its node

    friend bool operator==(const rank&, const rank&) = default;
};

using gang = std::vector<rank>;

/// What makes the pods of all ranks, where the executor does not do so itself: a Job, or a PyTorchJob.
class holder {
public:
    std::string uid;
    std::int32_t attempt = 0;
    bool leaving = false;    ///< it is being deleted
    bool suspended = false;  ///< a queue keeps it from having pods
    bool failed = false;
    std::string words;  ///< of the failure
};

/// What a pod and its node (null: none is known) say. A pod whose labels are not the operator's has the number -1.
rank read_rank(const rank_pod& pod, const rank_node* node);

/// Of a label; -1: there is none, or it is no whole number.
std::int32_t number_of(const object_meta& meta, const char* label);

/// Since when the node is not ready; nothing: it is.
std::optional<wall_time> unready_since(const rank_node& node);

}  // namespace training_operator
