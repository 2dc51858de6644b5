// What /api/v1/queues/{cluster} answers: Kueue's queues there, their quota, and who waits.
#pragma once

#include <kcontrol/serve/router.hpp>

#include "monitor.hpp"

namespace training_monitor {

/// They are read when somebody asks, and kept nowhere. 503 where the cluster is not there, 429 where four are being
/// read already, 400 for a query. The monitor outlives the router.
void add_queues_route(kcontrol::http::router& to, monitor& of);

}  // namespace training_monitor
