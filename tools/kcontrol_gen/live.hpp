// CRDs of a live cluster.
#pragma once

#include <kcontrol/client/client.hpp>

#include "input.hpp"

namespace kcontrol_gen {

/// Lists the cluster's CRDs and adds those whose name or group is in `wanted` (all if it is empty).
/// Errors: those of the client; not_found naming what the cluster lacks.
kcontrol::awaitable<kcontrol::result<void>> add_cluster(kcontrol::client from, std::vector<std::string> wanted,
                                                        std::string cluster_name, input& into);

/// The same from a kubeconfig, on an event loop of its own; blocks.
kcontrol::result<void> add_cluster(const std::string& kubeconfig, const std::string& context,
                                   const std::vector<std::string>& wanted, input& into);

}  // namespace kcontrol_gen
