// The rules of the kinds that this program knows without a type of their own, as a rule file would have them.
// docs/training_monitor/kinds.md names the source of each field.
#include "jobs/ruled_kinds.hpp"

namespace training_monitor {
namespace {

// Of the training operator's kinds the status is the same, and the replicas are at a name of each kind's own.
std::string kubeflow_kind(std::string_view kind, std::string_view plural, std::string_view replicas) {
    std::string out = R"(
- group: kubeflow.org
  versions: [v1]
  kind: KIND
  plural: PLURAL
  states:
  - {state: Failed, condition: Failed}
  - {state: Succeeded, condition: Succeeded}
  - {state: Suspended, condition: Suspended}
  - {state: Restarting, condition: Restarting}
  - {state: Running, condition: Running}
  - {state: Pending, condition: Created, field: status.startTime}
  - {state: Created, condition: Created}
  - {state: Pending, field: status.startTime}
  - {state: Pending, field: 'status.replicaStatuses[].active'}
  otherwise: Unknown
  suspend: spec.runPolicy.suspend
  startTime: status.startTime
  completionTime: status.completionTime
  replicas:
  - {items: spec.REPLICAS, desired: replicas, counts: status.replicaStatuses,
     active: active, succeeded: succeeded, failed: failed}
  gpus:
  - {items: spec.REPLICAS, templates: [template], times: [replicas]}
  pods:
    label: training.kubeflow.org/job-name
    type: training.kubeflow.org/replica-type
    index: training.kubeflow.org/replica-index
)";
    const auto put = [&](std::string_view name, std::string_view value) {
        for (auto at = out.find(name); at != out.npos; at = out.find(name)) out.replace(at, name.size(), value);
    };
    put("REPLICAS", replicas);
    put("PLURAL", plural);
    put("KIND", kind);
    return out;
}

constexpr std::string_view others = R"(
- group: jobset.x-k8s.io
  versions: [v1alpha2]
  kind: JobSet
  plural: jobsets
  states:
  - {state: Failed, condition: Failed}
  - {state: Succeeded, condition: Completed}
  - {state: Suspended, condition: Suspended}
  - {state: Running, field: 'status.replicatedJobsStatus[].ready'}
  - {state: Restarting, field: status.restarts}
  - {state: Restarting, field: 'status.replicatedJobsStatus[].failed'}
  - {state: Pending, field: 'status.replicatedJobsStatus[].active'}
  - {state: Running, field: 'status.replicatedJobsStatus[].succeeded'}
  suspend: spec.suspend
  replicas:
  - {items: spec.replicatedJobs, name: name, desired: replicas, counts: status.replicatedJobsStatus,
     active: active, succeeded: succeeded, failed: failed}
  replicasArePods: false
  gpus:
  - {items: spec.replicatedJobs, templates: [template.spec.template], times: [replicas, template.spec.parallelism]}
  pods:
    label: jobset.sigs.k8s.io/jobset-name
    type: jobset.sigs.k8s.io/replicatedjob-name
    index: batch.kubernetes.io/job-completion-index

- group: ray.io
  versions: [v1, v1alpha1]
  kind: RayJob
  plural: rayjobs
  states:
  - {state: Failed, field: status.jobDeploymentStatus, values: [Failed, ValidationFailed]}
  - {state: Restarting, field: status.jobDeploymentStatus, values: [Retrying]}
  - {state: Suspended, field: status.jobDeploymentStatus, values: [Suspended, Suspending]}
  - {state: Failed, field: status.jobStatus, values: [FAILED, STOPPED]}
  - {state: Succeeded, field: status.jobStatus, values: [SUCCEEDED]}
  - {state: Running, field: status.jobStatus, values: [RUNNING]}
  - {state: Pending, field: status.jobDeploymentStatus, values: [Initializing, Running, Waiting]}
  suspend: spec.suspend
  reason: status.reason
  message: status.message
  startTime: status.startTime
  completionTime: status.endTime
  replicas:
  - {type: Worker, desired: status.rayClusterStatus.desiredWorkerReplicas, otherwise: 0,
     active: status.rayClusterStatus.readyWorkerReplicas}
  gpus:
  - {templates: [spec.rayClusterSpec.headGroupSpec.template]}
  - {items: spec.rayClusterSpec.workerGroupSpecs, templates: [template], times: [replicas, numOfHosts]}

- group: ray.io
  versions: [v1, v1alpha1]
  kind: RayCluster
  plural: rayclusters
  states:
  - {state: Suspended, condition: RayClusterSuspended}
  - {state: Suspended, field: status.state, values: [suspended]}
  - {state: Failed, field: status.state, values: [failed]}
  - {state: Failed, condition: SpecValid, status: 'False'}
  - {state: Running, field: status.state, values: [ready], condition: ResourcesAvailable, status: 'False'}
  - {state: Running, field: status.state, values: [ready]}
  - {state: Pending, condition: ReplicaFailure}
  - {state: Pending, condition: ResourcesAvailable, status: 'False'}
  - {state: Pending, condition: GpuPlacement, status: 'False'}
  - {state: Pending, condition: RayClusterProvisioned, status: 'False'}
  - {state: Pending, field: status.desiredWorkerReplicas}
  suspend: spec.suspend
  reason: status.reason
  replicas:
  - {type: Worker, desired: status.desiredWorkerReplicas, otherwise: 0, active: status.readyWorkerReplicas}
  gpus:
  - {templates: [spec.headGroupSpec.template]}
  - {items: spec.workerGroupSpecs, templates: [template], times: [replicas, numOfHosts]}
  pods: {label: ray.io/cluster, type: ray.io/group}

- group: leaderworkerset.x-k8s.io
  versions: [v1]
  kind: LeaderWorkerSet
  plural: leaderworkersets
  states:
  - {state: Running, condition: Available}
  - {state: Running, field: status.readyReplicas}
  - {state: Pending, condition: Progressing}
  - {state: Pending, field: status.replicas}
  replicas:
  - {type: Group, desired: spec.replicas, active: status.readyReplicas}
  replicasArePods: false
  gpus:
  - {templates: [spec.leaderWorkerTemplate.leaderTemplate, spec.leaderWorkerTemplate.workerTemplate],
     times: [spec.replicas]}
  - {templates: [spec.leaderWorkerTemplate.workerTemplate], times: [spec.replicas, spec.leaderWorkerTemplate.size],
     less: 1}
  pods: {label: leaderworkerset.sigs.k8s.io/name, index: leaderworkerset.sigs.k8s.io/worker-index}
)";

}  // namespace

std::string shipped_kinds() {
    std::string out = "kinds:";
    out += kubeflow_kind("TFJob", "tfjobs", "tfReplicaSpecs");
    out += kubeflow_kind("XGBoostJob", "xgboostjobs", "xgbReplicaSpecs");
    out += kubeflow_kind("PaddleJob", "paddlejobs", "paddleReplicaSpecs");
    out += kubeflow_kind("JAXJob", "jaxjobs", "jaxReplicaSpecs");
    out += others;
    return out;
}

}  // namespace training_monitor
