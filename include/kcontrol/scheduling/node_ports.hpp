// NodePorts: a node's port is taken by one pod.
#pragma once

#include <kcontrol/scheduling/cluster_event.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>
#include <kcontrol/scheduling/snapshot.hpp>
#include <kcontrol/scheduling/status.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Refuses nodes where another pod has one of the pod's host ports.
///
/// Thread-safety: shared objects safe.
class node_ports {
public:
    static constexpr std::string_view name = "NodePorts";

    static std::vector<event_kind> events() {
        return {{interned_name("Pod"), event_actions::delete_}, {interned_name("Node"), event_actions::add}};
    }

    status pre_filter(const pod_info& pod, const snapshot&) const {
        return pod.host_ports().empty() ? status::skip() : status();
    }
    status filter(const pod_info& pod, const node_info& node) const {
        const auto& wanted = pod.host_ports();
        const bool taken = std::any_of(wanted.begin(), wanted.end(),
                                       [&](const host_port& port) { return node.has_port_conflict(port); });
        return taken ? status::unschedulable(taken_) : status();
    }

private:
    interned_name taken_{"node(s) didn't have free ports for the requested pod ports"};
};

}  // namespace kcontrol::scheduling
