// Asks the labeler of a node for its GPUs, by way of the API server: the monitor reaches no node itself.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>

#include "usage/node_report.hpp"
#include "usage/usage_options.hpp"

#include <map>
#include <stop_token>
#include <string>

namespace training_monitor {

/// The pods of the labelers that run, by node. Errors: those of a list.
kcontrol::awaitable<kcontrol::result<std::map<std::string, std::string>>> find_labelers(kcontrol::client from,
                                                                                        usage_options where,
                                                                                        std::stop_token stop);

/// Errors: those of the API server and of its proxy, and of read_node_report().
kcontrol::awaitable<kcontrol::result<node_report>> ask_labeler(kcontrol::client from, usage_options where,
                                                               std::string pod, std::stop_token stop);

}  // namespace training_monitor
