// Asks a cluster for one of its nodes.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>

#include "pods/training_node.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace training_monitor {

/// The node of that name, as the API server's cache has it; nothing: there is none. Needs the right to list nodes,
/// which the GPUs of the fleet need, too. Await it on the executor of `from`. Errors: those of a list.
kcontrol::awaitable<kcontrol::result<std::optional<training_node>>> ask_node(kcontrol::client from, std::string name,
                                                                             std::stop_token stop);

}  // namespace training_monitor
