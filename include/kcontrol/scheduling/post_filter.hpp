// post_filter: what a plugin may propose if no node takes a pod.
#pragma once

#include <kcontrol/scheduling/nominations.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

class cache;
class cycle;
struct decision;

/// A pod that no node takes. What is tried on the cluster during the call is undone before it returns.
struct post_filter_request {
    const std::shared_ptr<const pod_info>& pod;  ///< which is refused
    const decision& refused;                     ///< why
    cache& cluster;                              ///< for trials
    cycle& round;                                ///< decides in trials
    const nominations& nominated;                ///< the places that are kept for others
    /// The members of its gang that wait, with the pod; empty: it is decided alone. Who must go for a gang is planned
    /// for all of them together: places and victims that a plugin proposes for one do not count.
    std::span<const std::shared_ptr<const pod_info>> gang = {};
};

/// What would help.
struct post_filter_result {
    status answer;                                         ///< success: do what follows; unschedulable: nothing helps
    std::optional<nomination> place;                       ///< the place that is to be kept for the pod
    std::vector<std::shared_ptr<const pod_info>> victims;  ///< to be evicted; those of whole gangs
};

}  // namespace kcontrol::scheduling
