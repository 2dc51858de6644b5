#pragma once

#include <kcontrol/scheduling/default_plugins.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL profile default_profile(std::string scheduler_name, const volume_catalog& volumes) {
    profile out(std::move(scheduler_name));
    const auto weight = [](std::string_view name) {
        const auto found = std::find_if(default_plugins.begin(), default_plugins.end(),
                                        [&](const default_plugin& one) { return one.name == name; });
        return std::max<std::int64_t>(found->weight, 1);
    };
    out.add(node_unschedulable());
    out.add(node_name());
    out.add(taint_toleration(), weight(taint_toleration::name));
    out.add(node_affinity(), weight(node_affinity::name));
    out.add(node_ports());
    out.add(node_resources_fit(), weight(node_resources_fit::name));
    out.add(volume_binding(volumes), weight(volume_binding::name));
    out.add(pod_topology_spread(), weight(pod_topology_spread::name));
    out.add(inter_pod_affinity(), weight(inter_pod_affinity::name));
    out.add(default_preemption());
    out.add(node_resources_balanced_allocation(), weight(node_resources_balanced_allocation::name));
    out.add(image_locality(), weight(image_locality::name));
    return out;
}

}  // namespace kcontrol::scheduling
