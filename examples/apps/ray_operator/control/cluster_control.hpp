// The reconciler of RayClusters: looks, lets decide() say what is to be done, and does it.
#pragma once

#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/observation.hpp"

#include <optional>

namespace ray_operator {

class cluster_control {
public:
    cluster_control(manager& m, observation observed);

    reconciliation reconcile(reconcile_context ctx, ray_cluster cluster);

private:
    using outcome = awaitable<result<std::optional<replica_failure>>>;
    outcome carry_out(const reconcile_context& ctx, const ray_cluster& cluster, const cluster_facts& seen,
                      const cluster_plan& what);
    awaitable<result<void>> make_services(const reconcile_context& ctx, const ray_cluster& cluster,
                                          const cluster_facts& seen, const cluster_plan& what);
    awaitable<result<void>> remove(const reconcile_context& ctx, const ray_cluster& cluster, const pod_deletion& what);
    awaitable<result<void>> create(const reconcile_context& ctx, const ray_cluster& cluster, const pod_creation& what);
    awaitable<result<void>> write(const reconcile_context& ctx, const ray_cluster& cluster,
                                  const ray_cluster_status& status);
    void record(const ray_cluster& cluster, const note& what);

    observation observed_;
    std::shared_ptr<event_recorder> events_;
};

}  // namespace ray_operator
