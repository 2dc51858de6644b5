// The plugins of the program: kube-scheduler's, and the one for GPUs.
#pragma once

#include <kcontrol/scheduling/device_cel.hpp>
#include <kcontrol/scheduling/plugin_registry.hpp>

#include "plugins/gpu_plugin.hpp"

#include <memory>
#include <utility>

namespace gpu_scheduler {

/// The claims that the program decides on: none yet.
inline std::shared_ptr<kcontrol::scheduling::claim_catalog> make_claims() {
    return std::make_shared<kcontrol::scheduling::claim_catalog>(kcontrol::scheduling::device_selects());
}

/// Adds what hands out GPUs to kube-scheduler's plugins. Its scores come before all others, on all nodes.
inline void add_gpu_plugins(kcontrol::scheduling::plugin_registry& to, std::shared_ptr<board> known,
                            kcontrol::label_selector nodes = {}, std::shared_ptr<hami_protocol> hami = nullptr) {
    // These amounts are no part of what a node has.
    to.add("NodeResourcesFit", kcontrol::scheduling::node_resources_fit_factory(
                                   {"nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"},
                                   known->claims() == nullptr ? nullptr : known->claims()->objects()));
    to.add(gpu_plugin(std::move(known), std::move(nodes), std::move(hami)), 2000);
    to.percentage_of_nodes_to_score(100);
}

}  // namespace gpu_scheduler
