// What starts the steps of a repair, and finds out how they end.
#pragma once

#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include "api/healing_policy.hpp"

#include <stop_token>
#include <string>
#include <vector>

namespace gpu_healer {

/// One start of a step. Its token is in the status of the case before it is begun.
class step_request {
public:
    step_request() = default;
    repair_step step;  ///< as the policy has it; that of `verify.job` is a job step, too
    std::string node, uid, reason;
    std::vector<std::string> gpus;  ///< UUIDs in the condition's message
    std::int32_t attempt = 0;       ///< started steps of the case, with this one
    std::string token;              ///< of this start alone: "never twice" is by this
};

/// How a step is.
class step_outcome {
public:
    enum class state {
        running,    ///< begun; ask() after `again`
        succeeded,  ///< ended well
        failed,     ///< ended badly, or refused
        absent,     ///< known not to have been begun, or safe to be sent again: begin() after `again`
        lost,       ///< only a person can tell: the case becomes NeedsHuman, with `reason`
    };
    step_outcome() = default;
    explicit step_outcome(state s, std::string said = {}) : is(s), words(std::move(said)) {}

    state is = state::running;
    std::string words;                  ///< for the status: no secret is in it
    std::string reason = "AnswerLost";  ///< of `lost`, in CamelCase; "Manual" of a step that a person does
    kcontrol::duration again = std::chrono::seconds(5);
};

/// Thread-safety: shared objects unsafe; used on the manager's executor. Calls for several cases are concurrent, those
/// for one case are not. A stop ends a call early, whatever has begun by then.
class step_runner {
public:
    virtual ~step_runner() = default;
    /// Begins the step. Called once per token, and again after `absent` alone. May last until the step has ended.
    virtual kcontrol::awaitable<step_outcome> begin(step_request what, std::stop_token stop) = 0;
    /// How the step is that was, or may have been, begun: also by a process that ended meanwhile. Begins nothing.
    virtual kcontrol::awaitable<step_outcome> ask(step_request what, std::stop_token stop) = 0;
};

}  // namespace gpu_healer
