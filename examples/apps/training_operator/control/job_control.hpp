// The reconciler: looks, lets decide() say what is to be done, and does it.
#pragma once

#include <kcontrol/controller/object_polls.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/observation.hpp"
#include "decide/plan.hpp"
#include "decide/recovery.hpp"
#include "executors/job_executor.hpp"
#include "turns/restart_pressure.hpp"
#include "turns/restart_turns.hpp"

#include <map>
#include <memory>
#include <string>

namespace training_operator {

/// What the program's flags say of restarts.
class restart_settings {
public:
    std::size_t at_once = restart_limits().at_once;   ///< gangs of medium and low priority that start again at a time
    duration wait_target = std::chrono::seconds(60);  ///< how long gangs may wait for what they run on
    std::string scheduler_url;                        ///< of a GPU scheduler, whose /api/v1/fits is asked; empty: none
};

class job_control {
public:
    job_control(manager& m, observation observed, http::transport_factory connect, restart_settings settings,
                http::transport_factory to_scheduler);

    reconciliation reconcile(reconcile_context ctx, training_job job);

private:
    // What other servers say, asked again and again.
    using poll = object_polls<std::string>;
    void ask_servers(const reconcile_context& ctx, const training_job& job, const facts& seen);
    void ask_room(const reconcile_context& ctx, const training_job& job);
    std::optional<held_restart> turn_of(const reconcile_context& ctx, const training_job& job, const facts& seen);
    double pressure(const reconcile_context& ctx);
    void follow_recovery(const reconcile_context& ctx, const training_job& job, const facts& seen);
    void ask_queue(const reconcile_context& ctx, const training_job& job);
    void ask(poll& of, const reconcile_context& ctx, const training_job& job, const std::string& url,
             result<std::string> (*read)(const http::response&));
    facts with_answers(const reconcile_context& ctx, const training_job& job, facts seen);

    awaitable<result<plan>> plan_for(const reconcile_context& ctx, training_job& job);
    awaitable<result<void>> carry_out(const reconcile_context& ctx, const training_job& job, plan what);
    awaitable<result<void>> run_ranks(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> run_gates(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> finish(const reconcile_context& ctx, const training_job& job, plan& what);
    awaitable<result<std::size_t>> ready_endpoints(const reconcile_context& ctx, namespaced_name service);
    awaitable<result<void>> set_weights(const reconcile_context& ctx, const training_job& job, plan& what);
    awaitable<result<void>> move(const reconcile_context& ctx, const training_job& job, const plan& what);
    awaitable<result<void>> stay(const reconcile_context& ctx, const training_job& job, const plan& what);
    void count(const training_job& job, const plan& what, wall_time now);
    void record(const training_job& job, bool warning, const std::string& reason, const std::string& message);
    job_executor* executor_of(const training_job& job) const;

    observation observed_;
    http::transport_factory connect_;
    poll versions_{"dataset", std::chrono::minutes(1)};
    poll hashes_{"checkpoint", std::chrono::minutes(1)};
    poll queues_{"queue", std::chrono::seconds(15)};
    object_polls<bool> room_{"room", std::chrono::seconds(15)};
    restart_settings settings_;
    http::transport_factory to_scheduler_;
    restart_pressure pressure_;
    restart_turns turns_;
    time_point pressure_read_{};
    struct recovery {
        recovery_part part = recovery_part::none;
        wall_time since{};
    };
    std::map<std::string, recovery, std::less<>> recoveries_;  ///< by the job's uid
    std::shared_ptr<event_recorder> events_;
    transition_counter transitions_;
    metric_counter attempts_, lost_seconds_, lost_steps_;
    metric_histogram restart_seconds_;
    std::vector<metric_histogram> recovery_seconds_;  ///< by recovery_part
    std::map<std::string, std::unique_ptr<job_executor>, std::less<>> executors_;
};

/// Adds all that the operator is to a manager: its controller and its metrics. `connect` reaches servers that jobs
/// name, `to_scheduler` that of restart_settings::scheduler_url. Errors: those of the builder.
result<void> set_up(manager& m, http::transport_factory connect, restart_settings settings = {},
                    http::transport_factory to_scheduler = {});

}  // namespace training_operator
