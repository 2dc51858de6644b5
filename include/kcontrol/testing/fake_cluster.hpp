// What a cluster does besides serving its API: nodes on which pods live as they say, and the controllers of Jobs,
// ReplicaSets and Deployments, for tests of what stands on them.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/pod_behavior.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace kcontrol::inline v0_1::testing {

namespace detail {
class fake_core;
}

/// The settings of a fake_cluster.
class fake_cluster_options {
public:
    /// Called when a pod begins to run, again, or another one of its name; `run` counts these from 0.
    using pod_behavior_function = std::function<testing::pod_behavior(const json::value& pod, std::size_t run)>;

    /// How many nodes there are at the start. Default 1.
    fake_cluster_options& nodes(int count) { return nodes_ = count, *this; }
    /// The scripted behavior of pods; not null. Default: pod_behavior_of().
    fake_cluster_options& pod_behavior(pod_behavior_function f) { return pod_behavior_ = std::move(f), *this; }
    /// From a change to what follows from it. Default 10 ms.
    fake_cluster_options& reaction(duration d) { return reaction_ = d, *this; }
    /// The longest that a deleted pod takes to end. Default 1 s.
    fake_cluster_options& termination(duration d) { return termination_ = d, *this; }
    /// From the loss of a node to the deletion of its pods. Default 5 min.
    fake_cluster_options& eviction_delay(duration d) { return eviction_delay_ = d, *this; }
    /// Whether Jobs, ReplicaSets and Deployments are acted on. Default true.
    fake_cluster_options& controllers(bool yes) { return controllers_ = yes, *this; }
    /// Whether each namespace has the service account "default". Default false.
    fake_cluster_options& service_accounts(bool yes) { return service_accounts_ = yes, *this; }

    /// Nodes that are made at the start: node-0, node-1… Nodes that a test makes itself count as well. Default 1.
    int nodes() const noexcept { return nodes_; }
    /// The scripted behavior of pods; by default as their annotations say (pod_behavior_of).
    const pod_behavior_function& pod_behavior() const noexcept { return pod_behavior_; }
    /// Between a change and what follows from it. Default 10 ms.
    duration reaction() const noexcept { return reaction_; }
    /// How long a pod takes to end that was deleted, if its grace is not shorter. Default 1 s.
    duration termination() const noexcept { return termination_; }
    /// How long pods stay bound to a node that is lost before they are deleted. Default 5 min, as in Kubernetes.
    duration eviction_delay() const noexcept { return eviction_delay_; }
    /// Whether there are controllers besides scheduler and kubelets. Default true.
    bool has_controllers() const noexcept { return controllers_; }
    /// Whether each namespace has a service account "default", which is made again when somebody deletes it. Default
    /// false.
    bool has_service_accounts() const noexcept { return service_accounts_; }

private:
    int nodes_ = 1;
    pod_behavior_function pod_behavior_ = &pod_behavior_of;
    duration reaction_ = std::chrono::milliseconds(10);
    duration termination_ = std::chrono::seconds(1);
    duration eviction_delay_ = std::chrono::minutes(5);
    bool controllers_ = true;
    bool service_accounts_ = false;
};

/// A scheduler, kubelets and controllers on an api_server, under its environment's time: an hour of a simulated world
/// takes milliseconds. They act from the start to the destruction, on what is there and on what comes.
///
/// - The scheduler binds pods of "default-scheduler" to the node with the fewest: by nodeSelector, schedulingGates,
///   spec.unschedulable and what the node has allocatable (all, if it does not say). It retries pods that found no node
///   when one ends or a node changes. It looks at no taints, affinity and ports, and preempts no pod.
/// - Kubelets refuse a pod beyond what the node has allocatable, whoever bound it, as real ones do. It fails with the
///   reason OutOfcpu, OutOfmemory, OutOfpods or OutOfnvidia.com/gpu. They look at nothing else: no taints and ports.
/// - Kubelets start, end, restart (with Kubernetes' backoff) and evict pods as pod_behavior says, and end deleted ones.
///   All containers of a pod begin and end together; init containers, probes and volumes are passed over. Commands in
///   them (`kubectl exec`) do what annotated_containers() says.
/// - Jobs: parallelism, completions, Indexed, backoffLimit with backoff, activeDeadlineSeconds, suspend,
///   ttlSecondsAfterFinished; no podFailurePolicy, successPolicy and finalizers of pods.
/// - ReplicaSets: replicas, status; no adoption. Deployments: RollingUpdate and Recreate, revisions, status; no
///   rollback and no progress deadline.
/// - Scheduler and controllers write Events, as those of a cluster do; kubelets write those of refused pods only.
/// - Service accounts, if the options say so: each namespace has one, "default", without tokens.
///
/// Dependents of what is deleted go if the server collects garbage (api_server_options::collect_garbage).
///
/// Thread-safety: shared objects unsafe; use it on the server's executor, where it works.
/// Object lifetime: the server outlives it, the environment outlives what it began.
class fake_cluster {
public:
    /// Makes the nodes and looks at what is there. From then on it answers `kubectl exec` (api_server::on_exec).
    fake_cluster(environment& env, api_server& api, fake_cluster_options options = {});
    /// On a server of a simulated world, in its time.
    fake_cluster(sim_world& world, sim_server& server, fake_cluster_options options = {})
        : fake_cluster(world.env(), server.api(), std::move(options)) {}
    ~fake_cluster();
    fake_cluster(const fake_cluster&) = delete;
    fake_cluster& operator=(const fake_cluster&) = delete;

    /// Whether nothing is to happen by itself: no pod starts, ends or restarts some time.
    bool idle() const;

    /// The containers of a pod that runs end now. False: it does not run.
    bool end_pod(const namespaced_name& key, int exit_code = 0, std::string message = {});
    /// A pod that runs is evicted now, as for want of memory. False: it does not run.
    bool evict_pod(const namespaced_name& key);
    /// The node is not heard of: it and its pods are not ready, and after the eviction delay they are deleted, which no
    /// kubelet confirms.
    void lose_node(const std::string& name);
    /// It is back: so are its pods that still run, and those that were deleted meanwhile end.
    void restore_node(const std::string& name);

private:
    std::shared_ptr<detail::fake_core> core_;
};

}  // namespace kcontrol::testing
