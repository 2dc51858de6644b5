// The Job that submits a RayJob in K8sJobMode, and the request that does in HTTPMode.
// Source: KubeRay 1.5.0, ray-operator/controllers/ray/common/job.go and utils/dashboardclient.
#pragma once

#include <kcontrol/api/batch/v1.hpp>

#include "api/ray_job.hpp"

#include <string>

namespace ray_operator {

/// The command that submits the job at the dashboard of its status, unless it is there, and follows its log.
std::string submit_command(const ray_job& job, std::string_view ray_version);
/// Its name is the job's. `cluster` is that of the job, whose image it takes.
api::batch::v1::job make_submitter(const ray_job& job, const ray_cluster_spec& cluster, std::string_view ray_version);
/// The body of the POST that submits the job.
std::string submit_request(const ray_job& job);

}  // namespace ray_operator
