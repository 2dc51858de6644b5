#include <kcontrol/testing/no_overcommit.hpp>

#include "testing/fake_objects.hpp"
#include "testing/pod_resources.hpp"

namespace kcontrol::inline v0_1::testing {

std::string no_overcommit(const api_server& api) {
    std::map<std::string, detail::resource_amounts> requested;
    for (const auto& pod : api.list(detail::fake_pods)) {
        const std::string node = detail::text_at(pod, {"spec", "nodeName"});
        if (node.empty() || detail::is_over(pod)) continue;
        detail::resource_amounts wanted = detail::requests_of_pod(pod);
        wanted["pods"] = quantity(1);
        for (const auto& [name, amount] : wanted) requested[node][name] += amount;
    }
    for (const auto& node : api.list(detail::fake_nodes)) {
        const json::value* room = json::find(node, {"status", "allocatable"});
        const auto found = requested.find(detail::text_at(node, {"metadata", "name"}));
        if (room == nullptr || found == requested.end()) continue;
        const detail::resource_amounts allocatable = detail::amounts_of(room);
        for (const auto& [name, amount] : found->second) {
            const auto there = allocatable.find(name);
            const quantity has = there == allocatable.end() ? quantity() : there->second;
            if (amount <= has) continue;
            return "node " + found->first + " is over-committed: its pods request " + amount.canonical() + " of " +
                   has.canonical() + " " + name;
        }
    }
    return {};
}

}  // namespace kcontrol::testing
