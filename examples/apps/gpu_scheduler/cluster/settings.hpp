// What `--config` says besides the profiles.
#pragma once

#include <kcontrol/scheduling/configuration_part.hpp>

#include "messages.hpp"
#include "placement/placer.hpp"
#include "tenants/book.hpp"
#include "topology/gpu_links.hpp"

#include <string>
#include <vector>

namespace gpu_scheduler {

/// The keys of the configuration that are the program's own.
struct settings {
    placement_policy placement = placement_policy::fragmentation;
    bool takes_turns = false;  ///< `slices: weighted-round-robin`
    link_costs costs;
    std::vector<std::string> topology_keys = {"nvidia.com/gpu.clique", "topology.kubernetes.io/rack",
                                              "topology.kubernetes.io/zone"};  ///< of nodes, the nearest first
    hunger_bounds hunger = {0.3, 0.7};

    static const std::vector<std::string>& keys();  ///< "placement", "slices", …
};

/// Errors: `FILE:LINE: KEY: …`.
result<settings> read_settings(const kcontrol::scheduling::configuration_part& file);

}  // namespace gpu_scheduler
