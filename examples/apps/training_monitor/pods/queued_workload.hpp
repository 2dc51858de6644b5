// Kueue's Workload of a job: of it the queue, and the conditions, which say in Kueue's words what the job waits for.
// Source: https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta1/
#pragma once

#include "jobs/kinds.hpp"

#include <string>
#include <vector>

namespace training_monitor {

struct queued_workload_spec {
    std::string queue_name;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("queueName", &queued_workload_spec::queue_name));
    }
};

struct queued_workload_status {
    std::vector<job_condition> conditions;

    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("conditions", &queued_workload_status::conditions));
    }
};

struct queued_workload : projection_of<queued_workload_spec, queued_workload_status> {
    static constexpr kcontrol::resource_name kcontrol_resource{"kueue.x-k8s.io", "v1beta1", "Workload", "workloads"};
};

}  // namespace training_monitor
