// decision: where a pod goes, or why nowhere, as values.
#pragma once

#include <kcontrol/scheduling/placement.hpp>
#include <kcontrol/scheduling/plugin_point.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/refusals.hpp>
#include <kcontrol/scheduling/scheduling_queue.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// The `result` of scheduler_schedule_attempts_total.
enum class decision_result : std::uint8_t { scheduled, unschedulable, error };

/// What was decided about a pod. Views are of names that the profile has.
struct decision {
    decision_result result = decision_result::unschedulable;  ///< which of the following has a meaning
    std::string node;                                         ///< scheduled: where it goes
    std::int64_t score = 0;      ///< scheduled: the sum there; 0 if no other node could take it
    std::size_t nodes = 0;       ///< how many there are
    std::size_t evaluated = 0;   ///< how many were looked at
    std::size_t feasible = 0;    ///< how many of these can take it
    plugin_set rejected_by = 0;  ///< plugins that refused nodes, or the pod; for scheduling_queue::reject()
    refusals refused;            ///< how many nodes for which reasons
    plugin_answer pod_refused;   ///< the answer that was for the pod, not for a node: of an error, and of pre_filter
    std::string post_filter_message;  ///< why nothing helps, if cycle::post_filter() was called
    /// Evicting pods may help: a node was refused with the code `unschedulable`.
    bool is_resolvable = false;

    bool placed() const noexcept { return result == decision_result::scheduled; }  ///< it goes to `node`
    /// For the condition PodScheduled and the event, in kube-scheduler's words; empty if it is placed.
    KCONTROL_DECL std::string message() const;
};

/// What is said about one node.
struct node_explanation {
    std::string node;         ///< its name
    std::string_view plugin;  ///< the first that refuses it; empty: it can take the pod
    status refused;           ///< its code and reasons
    std::int64_t score = 0;   ///< the sum, of a node that can take the pod
    struct plugin_score {
        std::string_view plugin;  ///< who gives it
        std::int64_t score = 0;   ///< 0…100, without the weight
    };
    std::vector<plugin_score> scores;  ///< of a node that can take the pod
};

/// Why a pod goes where it goes, or waits.
struct explanation {
    decision decided;                     ///< as decide() would, if it looked at all nodes
    std::vector<node_explanation> nodes;  ///< all of them, in the order of the snapshot; none after an error
};

/// A member of a gang, and what was decided for it.
struct gang_member_decision {
    std::shared_ptr<const pod_info> pod;  ///< who
    decision decided;                     ///< scheduled, also if the gang as a whole is not placed
    std::optional<placement> reserved;    ///< of a gang that is placed: what plugins have reserved
};

/// What was decided for a gang: places for as many as it needs, or for none.
struct gang_decision {
    bool placed = false;                        ///< at least `needed` fit: those that fit are to be assumed
    std::int32_t fitting = 0;                   ///< how many members fit together
    std::vector<gang_member_decision> members;  ///< in the order in which they were given
    const decision* misfit = nullptr;           ///< of the first member that does not fit; null: all do
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/decision.ipp>
#endif
