// The pods of a cluster, as KubeRay makes them: environment, ports, start command, probes, the autoscaler's container.
// Source: KubeRay 1.5.0, ray-operator/controllers/ray/common/pod.go.
#pragma once

#include "api/ray_cluster.hpp"

#include <string>

namespace ray_operator {

/// Of which replica of a group with several hosts a worker is.
class replica_place {
public:
    std::string name;  ///< of the replica; empty: the group's replicas have one host each
    std::int32_t index = 0, host = 0;
    friend bool operator==(const replica_place&, const replica_place&) = default;
};

/// The head of a cluster, under that name; its specification is valid.
api::core::v1::pod make_head_pod(const ray_cluster& cluster, std::string name);
/// A worker of a group.
api::core::v1::pod make_worker_pod(const ray_cluster& cluster, const worker_group_spec& group, std::string name,
                                   const replica_place& place);

/// A digest of what a group's pods are made from; see template_annotation.
std::string template_digest(const pod_template& from, const dict<text>& ray_start_params);

/// What a shell runs: the command of Ray, "bash -c". Source: KubeRay, utils.GetContainerCommand.
list<text> shell_command(std::string_view options = "-c");

/// The port of that name in a container, or another one.
std::int32_t port_of(const api::core::v1::container& in, std::string_view name, std::int32_t otherwise);

}  // namespace ray_operator
