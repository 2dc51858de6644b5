// What a cluster has beside its pods: Services, and the account and rights of its autoscaler.
// Source: KubeRay 1.5.0, ray-operator/controllers/ray/common/service.go and rbac.go.
#pragma once

#include <kcontrol/api/batch/v1.hpp>
#include <kcontrol/api/rbac/v1.hpp>

#include "api/ray_cluster.hpp"

namespace ray_operator {

/// Of the head: "NAME-head-svc", or what headService says.
api::core::v1::service make_head_service(const ray_cluster& cluster);
/// Of the workers of groups with several hosts: "NAME-headless", without an address of its own.
api::core::v1::service make_headless_service(const ray_cluster& cluster);
/// Whether the cluster's annotation asks for a Service of Ray Serve, and the head has a port "serve".
bool serves(const ray_cluster& cluster);
/// "NAME-serve-svc", of a cluster that serves.
api::core::v1::service make_serve_service(const ray_cluster& cluster);

api::core::v1::service_account make_autoscaler_account(const ray_cluster& cluster);
api::rbac::v1::role make_autoscaler_role(const ray_cluster& cluster);
api::rbac::v1::role_binding make_autoscaler_binding(const ray_cluster& cluster);

/// Whether a group of the cluster has several hosts per replica.
bool has_several_hosts(const ray_cluster& cluster);

/// The name of the Job that empties the storage of a fault tolerant cluster, once that is deleted.
std::string redis_cleanup_name(const ray_cluster& cluster);
/// That Job. Source: KubeRay 1.5.0, buildRedisCleanupJob in raycluster_controller.go.
api::batch::v1::job make_redis_cleanup(const ray_cluster& cluster);

}  // namespace ray_operator
