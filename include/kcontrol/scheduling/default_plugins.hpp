// The default plugins of kube-scheduler that this room has, what their scores weigh, and a profile with them.
#pragma once

#include <kcontrol/scheduling/image_locality.hpp>
#include <kcontrol/scheduling/inter_pod_affinity.hpp>
#include <kcontrol/scheduling/node_affinity.hpp>
#include <kcontrol/scheduling/node_name.hpp>
#include <kcontrol/scheduling/node_ports.hpp>
#include <kcontrol/scheduling/node_resources_balanced_allocation.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>
#include <kcontrol/scheduling/node_unschedulable.hpp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>
#include <kcontrol/scheduling/preemption.hpp>
#include <kcontrol/scheduling/profile.hpp>
#include <kcontrol/scheduling/taint_toleration.hpp>
#include <kcontrol/scheduling/volume_binding.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling {

/// A plugin, and the factor of its scores in the sum.
struct default_plugin {
    std::string_view name;    ///< kube-scheduler's
    std::int64_t weight = 0;  ///< 0: it gives no scores
};

/// In kube-scheduler's order, which is that of the calls: the first filter that refuses a node gives the reasons.
inline constexpr std::array<default_plugin, 11> default_plugins{{
    {node_unschedulable::name, 0},
    {node_name::name, 0},
    {taint_toleration::name, 3},
    {node_affinity::name, 2},
    {node_ports::name, 0},
    {node_resources_fit::name, 1},
    {volume_binding::name, 1},
    {pod_topology_spread::name, 2},
    {inter_pod_affinity::name, 2},
    {node_resources_balanced_allocation::name, 1},
    {image_locality::name, 1},
}};

/// A profile with these, and with DefaultPreemption. The catalog outlives it.
KCONTROL_DECL profile default_profile(std::string scheduler_name, const volume_catalog& volumes);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/default_plugins.ipp>
#endif
