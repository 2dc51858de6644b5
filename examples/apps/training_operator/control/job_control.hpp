// The reconciler: looks, lets decide() say what is to be done, and does it.
#pragma once

#include <kcontrol/controller/object_polls.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>
#include <kcontrol/http/transport.hpp>
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
    job_control(manager& m, observation observed, http::transport_factory connect);

    reconciliation reconcile(reconcile_context ctx, training_job job);

private:
    // What other servers say, asked again and again.
    using poll = object_polls<std::string>;
    void ask_servers(const reconcile_context& ctx, const training_job& job);
    void ask_queue(const reconcile_context& ctx, const training_job& job);
    void ask(poll& of, const reconcile_context& ctx, const training_job& job, const std::string& url,
             result<std::string> (*read)(const http::response&));
    facts with_answers(const training_job& job, facts seen) const;

    awaitable<result<plan>> plan_for(const reconcile_context& ctx, training_job& job);
    awaitable<result<void>> carry_out(const reconcile_context& ctx, const training_job& job, plan what);
    awaitable<result<void>> run_ranks(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> run_gates(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> finish(const reconcile_context& ctx, const training_job& job, plan& what);
    awaitable<result<void>> set_weights(const reconcile_context& ctx, const training_job& job, plan& what);
    awaitable<result<void>> move(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> stay(const reconcile_context& ctx, const training_job& job, const plan& what);
    void count(const training_job& job, const plan& what);
    void record(const training_job& job, bool warning, const std::string& reason, const std::string& message);
    job_executor* executor_of(const training_job& job) const;

    observation observed_;
    http::transport_factory connect_;
    poll versions_{"dataset", std::chrono::minutes(1)};
    poll hashes_{"checkpoint", std::chrono::minutes(1)};
    poll queues_{"queue", std::chrono::seconds(15)};
    std::shared_ptr<event_recorder> events_;
    transition_counter transitions_;
    metric_counter attempts_, lost_seconds_;
    metric_histogram restart_seconds_;
    std::map<std::string, std::unique_ptr<job_executor>, std::less<>> executors_;
};

/// Adds all that the operator is to a manager: its controller and its metrics. `connect` reaches servers that jobs
/// name. Errors: those of the builder.
result<void> set_up(manager& m, http::transport_factory connect);

}  // namespace training_operator
