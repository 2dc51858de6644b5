// What pods request of a node's resources, and whether it is left there: the arithmetic of scheduler and kubelets.
// Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/quantity.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Amounts by the names of their resources: "cpu", "nvidia.com/gpu".
using resource_amounts = std::map<std::string, quantity>;

/// The amounts in an object like a container's resources.requests. Members that are no quantities are passed over.
resource_amounts amounts_of(const json::value* object);

/// What the scheduler reserves for a pod: the sum of its containers and sidecars, or an init container's need where
/// that is more, and the overhead. Requests of the pod itself take the place of the sums.
///
/// Source: k8s.io/component-helpers, resource/helpers.go (PodRequests), Kubernetes 1.36.
resource_amounts requests_of_pod(const json::value& pod);

/// What the pods on a node hold.
class node_usage {
public:
    /// A pod that requests `wanted` is on the node from now on.
    void add(const resource_amounts& wanted);
    /// It is not any more.
    void remove(const resource_amounts& wanted);

    std::int64_t pods = 0;     ///< how many
    resource_amounts amounts;  ///< the sum of their requests
};

/// What a node lacks for a pod.
class node_shortage {
public:
    std::vector<std::string> reasons;  ///< in the scheduler's words ("Insufficient cpu"); empty: the pod fits
    bool for_ever = false;             ///< it would not fit on the empty node either
};

/// Whether a pod fits. `allocatable`: the node's; a resource that it does not name is not there.
node_shortage shortage_on(const resource_amounts& wanted, const node_usage& used, const resource_amounts& allocatable);

/// Why a kubelet rejects a pod.
class pod_rejection {
public:
    std::string reason;   ///< the pod's status.reason: "OutOfcpu"
    std::string message;  ///< "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"
};

/// Whether a kubelet admits a pod beside those that it admitted before, which hold `used`. Nothing: it does. The first
/// shortage counts: of pods, cpu, memory, ephemeral-storage, then of the others by their names. An extended resource
/// that the node does not name is not asked for.
///
/// Source: kubelet/lifecycle/predicate.go, Kubernetes 1.36.
std::optional<pod_rejection> rejection_on(const resource_amounts& wanted, const node_usage& used,
                                          const resource_amounts& allocatable);

}  // namespace kcontrol::testing::detail
