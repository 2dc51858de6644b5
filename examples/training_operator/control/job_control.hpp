// The reconciler: looks, lets decide() say what is to be done, and does it.
#pragma once

#include <kcontrol/controllerutil/status_machine.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/observation.hpp"
#include "decide/plan.hpp"
#include "executors/job_executor.hpp"

#include <map>
#include <memory>
#include <string>

namespace training_operator {

class job_control {
public:
    job_control(manager& m, observation observed);

    reconciliation reconcile(reconcile_context ctx, training_job job);

private:
    awaitable<result<plan>> plan_for(const reconcile_context& ctx, training_job& job);
    awaitable<result<void>> carry_out(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> move(const reconcile_context& ctx, const training_job& job, const plan& what);

    manager* manager_;
    observation observed_;
    std::shared_ptr<event_recorder> events_;
    transition_counter transitions_;
    std::map<std::string, std::unique_ptr<job_executor>, std::less<>> executors_;
};

/// Adds all that the operator is to a manager: its controller and its metrics. Errors: those of the builder.
result<void> set_up(manager& m);

}  // namespace training_operator
