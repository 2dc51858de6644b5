// What a case is decided on, and what is decided.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "api/validation.hpp"
#include "repair/step_runner.hpp"

#include <optional>
#include <string>

namespace gpu_healer {

/// A condition of a Node.
struct seen_condition {
    std::string status, reason, message;
    wall_time since{};
};

/// A Node as it concerns one case.
struct node_view {
    std::string uid;
    bool unschedulable = false, ready = false;
    wall_time ready_since{};
    std::optional<seen_condition> fault;    ///< the condition of the case's trigger
    std::optional<seen_condition> healthy;  ///< the condition by which it is verified
    bool tainted = false;                   ///< it has the case's taint
    std::string hold;                       ///< of the annotation; empty: none
    bool exempt = false;
};

struct case_facts {
    wall_time now{};
    std::optional<node_view> node;                ///< none: there is no such Node
    const healing_policy_spec* policy = nullptr;  ///< null: there is none
    bool valid = true;                            ///< check() says nothing against the policy
    bool selected = true;                         ///< the policy's selector has the node
    bool deleted = false;                         ///< the case is to be deleted
    std::string busy;                             ///< the open case of the same node that comes before this one; of
                                                  ///< an ended case, an open one that has no taint yet
    bool admitted = true;                         ///< the breaker lets it in
    bool slot = true;                             ///< fewer than atOnce others are worked on
    int starts = 0;                               ///< of steps on the node in 24 h
    std::optional<wall_time> released;            ///< when the node's last case was
    std::optional<int> pods;                      ///< that are to leave the node; none: not counted
    std::optional<step_outcome> outcome;          ///< of the step, or job of verification, with the status' token
    bool opens = false;                           ///< the fault would open a case now
    /// The taint is another open case's as well: it stays when this one ends.
    bool handed_over = false;
};

/// What came of a case at one look.
struct decision {
    node_repair_status next;  ///< the same as before: nothing is to be written
    bool wants_taint = false;
    bool drops_taint = false;
    bool overrides = false;             ///< the Node gets the annotation, before the taint goes
    bool drains = false;                ///< pods are to be counted, and sent away as drain.mode says
    bool runs_step = false;             ///< next.token is that of a step or job that is to be begun or asked about
    bool complete = false;              ///< nothing of it is left on the Node: the finalizer goes
    std::string event;                  ///< RepairSucceeded, RepairFailed; empty: none
    std::optional<wall_time> wake;      ///< when to look again if nothing changes
    const repair_step* step = nullptr;  ///< of the policy: that of next.step
};

/// Pure: the case goes on by at most one phase. Every change of phase is one of the table `phases`.
decision decide(const node_repair& of, const case_facts& seen);

/// The step of the case: the policy's, or null where it has no such step any more.
const repair_step* step_of(const healing_policy_spec& policy, const node_repair& of, std::string_view name);
/// Whether the token is that of a job of verification.
bool is_verification(std::string_view token);

}  // namespace gpu_healer
