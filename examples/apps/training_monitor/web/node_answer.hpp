// One node: how it is, its GPUs, and the jobs that have pods there.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "jobs/link_template.hpp"
#include "monitor.hpp"

#include <vector>

namespace training_monitor {

/// Adds /api/v1/nodes/{cluster}/{node}: conditions, cordon, taints, allocatable GPUs; with --gpu-usage what its labeler
/// said of each GPU, for which the first call has it asked; pods of jobs, each with its job. The node is asked for at
/// each call, at most four at a time.
/// Without the right to list nodes the answer has what is known from pods, and says which right is missing. 404 for a
/// node that is not there and has no pods. A node under repair has its case, with `links`. The monitor outlives the
/// router.
void add_node_route(kcontrol::http::router& to, monitor& of, std::vector<link_template> links = {});

}  // namespace training_monitor
