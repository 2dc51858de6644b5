// decider: what decides where pods go, as scheduler_core asks it.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/cache.hpp>
#include <kcontrol/scheduling/nominations.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/text.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The decision about one pod: a place, or why there is none.
struct decided_pod {
    std::shared_ptr<const pod_info> pod;  ///< which one

    assumption assumed;           ///< that it counts on `node`; none: there is no place
    std::string node;             ///< where it goes
    dict<text> annotations;       ///< for the Binding; the API server adds them to the pod
    std::shared_ptr<void> state;  ///< of the decider, for what comes after the decision

    plugin_set rejected_by = 0;  ///< without a place: the plugins that refuse it
    bool is_error = false;       ///< something failed: it is tried again after its backoff
    std::string message;         ///< the message of its condition

    std::optional<nomination> kept;                        ///< the place that the eviction of `victims` makes free
    std::vector<std::shared_ptr<const pod_info>> victims;  ///< in the order in which they are evicted
};

/// The decision about the pods of a gang.
struct decided_gang {
    std::vector<decided_pod> members;  ///< of each pod, in the order in which they were given
    std::int32_t fitting = 0;          ///< for how many there is a place together
};

/// What a decision is made on. It is valid during the call.
struct decision_inputs {
    cache& nodes;                              ///< the nodes and pods; a place that is found is assumed there
    const scheduling::nominations& nominated;  ///< places that are kept for other pods, and pods that leave
    time_point now;                            ///< the time
};

/// What decides where pods go. A program's cycle of plugins is one.
class decider {
public:
    decider() = default;
    virtual ~decider() = default;
    decider(const decider&) = delete;
    decider& operator=(const decider&) = delete;

    /// Whether pods of that schedulerName are this scheduler's. It is asked for each version of a pod.
    virtual bool schedules(const api::core::v1::pod& pod) const = 0;
    /// Which plugins keep a pod out of the queue (pre_enqueue); 0: none.
    virtual plugin_set gate(const pod_info& pod) = 0;
    /// Another number: the order of the queue has changed, and pods that wait are ranked anew.
    virtual std::uint64_t queue_version() const { return 0; }
    /// Decides about a pod. If there is a place, the pod is assumed there, and what plugins reserve is reserved.
    virtual decided_pod decide(std::shared_ptr<const pod_info> pod, const decision_inputs& on) = 0;
    /// Decides about pods of a gang together. If at least `missing` of them find a place, those that do are assumed.
    /// Else none is when it returns, and the first one that found none says why in its message.
    virtual decided_gang decide_gang(std::span<const std::shared_ptr<const pod_info>> pods, std::int32_t missing,
                                     const decision_inputs& on) = 0;
    /// A placement came to nothing: what plugins reserved for it is free (unreserve).
    virtual void unreserve(decided_pod& of) = 0;
};

}  // namespace kcontrol::scheduling
