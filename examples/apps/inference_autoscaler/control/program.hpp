// The autoscaler's parts, connected: metrics of servers and pods, warm-ups, free places, and what the page shows.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/manager/manager.hpp>

#include "web/board.hpp"

#include <memory>

namespace inference_autoscaler {

/// Adds everything to a manager; `connect` reaches metrics, pods and the scheduler. The board gets each look, and what
/// the status of a scaler says where this process looks at nothing. Errors: those of the builder.
result<void> set_up(manager& m, http::transport_factory connect, std::shared_ptr<board> shown);

}  // namespace inference_autoscaler
