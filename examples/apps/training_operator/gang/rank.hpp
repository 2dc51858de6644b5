// A rank of a job, as decisions see it: what its pod says, in a few words.
#pragma once

#include <kcontrol/controllerutil/pods.hpp>

#include "gang/rank_pod.hpp"
#include "gang/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace training_operator {

/// `gated`: a queue keeps its pod from being scheduled.
class rank : public pod_summary {
public:
    rank() = default;
    explicit rank(pod_summary pod) : pod_summary(std::move(pod)) {}

    std::int32_t number = -1;
    std::int32_t attempt = 0;
    std::string group;  ///< by which a queue admits its pod; empty: none
    report told;
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
