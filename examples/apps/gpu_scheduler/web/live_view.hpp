// What the interface answers from while the scheduler runs.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/scheduling/scheduler.hpp>

#include "cluster/view.hpp"

#include <memory>
#include <utility>

namespace gpu_scheduler {

/// Object lifetime: the manager outlives its use.
class live_view final : public cluster_view {
public:
    live_view(kcontrol::manager& m, std::shared_ptr<kcontrol::scheduling::scheduler> by)
        : m_(m), scheduler_(std::move(by)) {}

    kcontrol::wall_time now() override { return m_.env().wall_now(); }
    std::vector<pod_object> pods() override { return m_.get_informer<kcontrol::api::core::v1::pod>()->list(); }
    pod_object find(const kcontrol::namespaced_name& pod) override {
        return m_.get_informer<kcontrol::api::core::v1::pod>()->get(pod);
    }
    bool schedules(const kcontrol::api::core::v1::pod& pod) override { return scheduler_->schedules(pod); }
    bool look_at(const look_function& look) override { return scheduler_->look_at(look); }
    kcontrol::result<kcontrol::scheduling::explanation> explain(const kcontrol::namespaced_name& pod) override {
        return scheduler_->explain(pod);
    }
    kcontrol::result<kcontrol::scheduling::preemption_plan> what_must_go(
        const kcontrol::namespaced_name& pod, const kcontrol::scheduling::preemption_policy& policy) override {
        return scheduler_->what_must_go(pod, policy);
    }

private:
    kcontrol::manager& m_;
    std::shared_ptr<kcontrol::scheduling::scheduler> scheduler_;
};

}  // namespace gpu_scheduler
