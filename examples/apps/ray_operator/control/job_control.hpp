// The reconciler of RayJobs, and what both reconcilers are in a manager.
#pragma once

#include <kcontrol/controller/object_polls.hpp>

#include "control/cluster_control.hpp"

#include <functional>

namespace ray_operator {

/// How the dashboard of a job's cluster is reached.
using dashboard_factory = std::function<dashboard_exchange(const reconcile_context&, const ray_job&)>;
/// Directly, at the address in the job's status; `connect` refuses what may not be reached.
dashboard_factory direct_dashboards(http::transport_factory connect);
/// Through the API server.
dashboard_factory proxied_dashboards();

class job_control {
public:
    job_control(manager& m, observation observed, dashboard_factory dashboards);

    reconciliation reconcile(reconcile_context ctx, ray_job job);

private:
    awaitable<result<void>> carry_out(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                      const ray_cluster_spec* spec, const job_facts& seen);
    awaitable<result<void>> create(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                   const ray_cluster_spec* spec, const job_facts& seen);
    awaitable<result<void>> remove(const reconcile_context& ctx, const ray_job& job, const job_plan& what,
                                   const job_facts& seen);
    awaitable<result<void>> leave(const reconcile_context& ctx, const ray_job& job, bool stops);
    awaitable<result<void>> submit(const reconcile_context& ctx, const ray_job& job);
    awaitable<result<void>> show_service(const reconcile_context& ctx, const ray_job& job, const ray_cluster& cluster);
    void poll(const reconcile_context& ctx, const ray_job& job);
    void record(const ray_job& job, const note& what);

    observation observed_;
    dashboard_factory dashboards_;
    object_polls<job_answer> polls_{"dashboard", std::chrono::seconds(3)};
    std::shared_ptr<event_recorder> events_;
};

/// Adds all that the operator is to a manager with the options of watched(): its controllers and its metrics. At most
/// so many objects of a kind are reconciled at a time. Errors: those of the builder.
result<void> set_up(manager& m, dashboard_factory dashboards, std::size_t concurrency = 10);

}  // namespace ray_operator
