// What the interface answers from: the pods, and what the scheduler says of them, as it runs or as it was recorded.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/scheduling/decision.hpp>
#include <kcontrol/scheduling/preemption.hpp>
#include <kcontrol/scheduling/snapshot.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace gpu_scheduler {

/// Thread-safety: shared objects unsafe.
class cluster_view {
public:
    using pod_object = std::shared_ptr<const kcontrol::api::core::v1::pod>;
    using look_function = std::function<void(const kcontrol::scheduling::snapshot&)>;

    cluster_view() = default;
    virtual ~cluster_view() = default;
    cluster_view(const cluster_view&) = delete;
    cluster_view& operator=(const cluster_view&) = delete;

    virtual kcontrol::wall_time now() = 0;
    virtual std::vector<pod_object> pods() = 0;
    virtual pod_object find(const kcontrol::namespaced_name& pod) = 0;  ///< or null
    /// These are as those of kcontrol::scheduling::scheduler.
    virtual bool schedules(const kcontrol::api::core::v1::pod& pod) = 0;
    virtual bool look_at(const look_function& look) = 0;
    virtual kcontrol::result<kcontrol::scheduling::explanation> explain(const kcontrol::namespaced_name& pod) = 0;
    virtual kcontrol::result<kcontrol::scheduling::preemption_plan> what_must_go(
        const kcontrol::namespaced_name& pod, const kcontrol::scheduling::preemption_policy& policy) = 0;
};

}  // namespace gpu_scheduler
