// The start command of Ray in a pod: `ray start` with the parameters of a group, and what its limits say.
#pragma once

#include "api/ray_cluster.hpp"

#include <string>

namespace ray_operator {

/// The parameters of a group, with those that its `resources` and `labels` stand for.
dict<text> group_parameters(dict<text> params, const dict<text>& resources, const dict<text>& labels);

/// "ray start --head  --block  --num-cpus=2 …": the parameters, and num-cpus, memory, num-gpus and resources from what
/// the container may use, where they are not given.
std::string start_command(bool head, dict<text> params, const api::core::v1::resource_requirements& may_use);

}  // namespace ray_operator
