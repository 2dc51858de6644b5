// Tells Kubernetes how the node's GPUs are: when the damper says so, again until it is written.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/record/event_recorder.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "health/node_health.hpp"
#include "node/node_condition.hpp"

#include <stop_token>
#include <string>

namespace gpu_labeler {

/// Writes the condition and the label, and an Event when the health changes. What it wrote in an earlier life is read
/// first: a restart that finds everything as it was writes nothing.
///
/// Thread-safety: shared objects unsafe; used on one strand, the client's. Object lifetime: the environment outlives
/// it, and it run().
class health_reporter {
public:
    health_reporter(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api, std::string node,
                    kcontrol::logger log, health_patience patience = {});

    /// Holds from now on.
    void change(health_patience patience);

    /// The GPUs were measured.
    void take(const node_sample& sample);

    /// The Node may have been registered anew: what it has is looked at.
    void node_renewed();

    /// Until `stop`.
    kcontrol::awaitable<void> run(std::stop_token stop);

private:
    kcontrol::awaitable<bool> look(std::stop_token stop);
    kcontrol::awaitable<void> tell(const node_verdict& verdict, std::stop_token stop);
    void note(const node_verdict& verdict, bool first);
    void failed(const kcontrol::error& why);

    kcontrol::environment& env_;
    node_condition there_;
    kcontrol::event_recorder events_;
    std::string node_;
    kcontrol::logger log_;
    health_damper damper_;
    kcontrol::backoff pauses_;
    kcontrol::async_event seen_;
    told_health known_;    ///< of the Node
    bool looked_ = false;  ///< known_ holds
    std::string error_;    ///< that was logged last
    kcontrol::time_point not_before_{};
};

/// Takes away what a reporter wrote.
kcontrol::awaitable<kcontrol::result<void>> clear_health(kcontrol::client api, std::string node, std::stop_token stop);

}  // namespace gpu_labeler
