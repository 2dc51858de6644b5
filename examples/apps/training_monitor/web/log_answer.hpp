// What /api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/logs answers: the last lines of a container.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "monitor.hpp"

namespace training_monitor {

/// `?pod=POD`, by default the one that says why the job is as it is; `container=`, `previous=true`, `lines=` up to
/// 1,000 (100). Only pods of that
/// job are read, which the monitor knows. 404 for others, 403 where the right pods/log is missing, 429 where four are
/// being read already. The monitor outlives the router.
void add_log_route(kcontrol::http::router& to, monitor& of);

}  // namespace training_monitor
