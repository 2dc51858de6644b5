// The reconciler of RayClusters: looks, lets decide() say what is to be done, and does it.
#pragma once

#include <kcontrol/controller/object_polls.hpp>
#include <kcontrol/controller/reconcile_context.hpp>
#include <kcontrol/controller/reconcile_result.hpp>
#include <kcontrol/controllerutil/kueue.hpp>
#include <kcontrol/controllerutil/pod_groups.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include "control/observation.hpp"

#include <map>
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
    template <resource T>
    awaitable<result<void>> ensure(const reconcile_context& ctx, const ray_cluster& cluster,
                                   T (*make)(const ray_cluster&), const char* what);
    awaitable<result<void>> let_go(const reconcile_context& ctx, const ray_cluster& cluster, const cluster_plan& what);
    awaitable<result<const pod_group_kind*>> make_gang(const reconcile_context& ctx, const ray_cluster& cluster);
    void ask_queue(const reconcile_context& ctx, const ray_cluster& cluster, cluster_facts& seen);
    awaitable<result<void>> remove(const reconcile_context& ctx, const ray_cluster& cluster, const pod_deletion& what);
    awaitable<result<void>> create(const reconcile_context& ctx, const ray_cluster& cluster, const pod_creation& what,
                                   const pod_group_kind* gang);
    awaitable<result<void>> write(const reconcile_context& ctx, const ray_cluster& cluster,
                                  const ray_cluster_status& status);
    void record(const ray_cluster& cluster, const note& what);

    observation observed_;
    pod_groups groups_;
    std::shared_ptr<kueue::workloads> queues_ = std::make_shared<kueue::workloads>();
    using words_by_group = std::map<std::string, std::string>;
    object_polls<words_by_group> words_{"queue", std::chrono::seconds(10)};
    std::shared_ptr<event_recorder> events_;
};

}  // namespace ray_operator
