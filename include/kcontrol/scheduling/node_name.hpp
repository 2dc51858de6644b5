// NodeName: a pod that names its node goes there.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses all nodes but the one in spec.nodeName. A waiting pod of an API server has none.
///
/// Thread-safety: shared objects safe.
class node_name {
public:
    static constexpr std::string_view name = "NodeName";

    static std::vector<event_kind> events() { return {{interned_name("Node"), event_actions::add}}; }

    status filter(const pod_info& pod, const node_info& node) const {
        const auto& wanted = pod.pod().spec.node_name;
        return wanted.empty() || wanted == node.name() ? status() : status::unresolvable(other_node_);
    }

private:
    interned_name other_node_{"node(s) didn't match the requested node name"};
};

}  // namespace kcontrol::scheduling
