#pragma once

#include <kcontrol/scheduling/resource_weights.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL std::vector<resource_weight> default_resource_weights() { return {{"cpu", 1}, {"memory", 1}}; }

namespace detail {

KCONTROL_DECL resource_use use_of(const interned_name& resource, const pod_info& pod, const node_info& node,
                                  counted_amounts counted) {
    const bool scored = counted == counted_amounts::scored;
    const auto& there = node.allocatable();
    const auto& held = node.requested();
    const auto& wanted = pod.requests();
    const auto use = [](std::int64_t allocatable, std::int64_t before, std::int64_t more) {
        resource_use out;
        out.allocatable = allocatable;
        out.before = before;
        out.after = before > std::numeric_limits<std::int64_t>::max() - more ? std::numeric_limits<std::int64_t>::max()
                                                                             : before + more;
        return out;
    };
    if (resource == "cpu") {
        return scored ? use(there.cpu_milli, node.scored_cpu_milli(), pod.scored_cpu_milli())
                      : use(there.cpu_milli, held.cpu_milli, wanted.cpu_milli);
    }
    if (resource == "memory") {
        return scored ? use(there.memory, node.scored_memory(), pod.scored_memory())
                      : use(there.memory, held.memory, wanted.memory);
    }
    if (resource == "ephemeral-storage") {
        return use(there.ephemeral_storage, held.ephemeral_storage, wanted.ephemeral_storage);
    }
    const std::int64_t more = wanted.extended(resource);
    return more == 0 ? resource_use() : use(there.extended(resource), held.extended(resource), more);
}

}  // namespace detail

}  // namespace kcontrol::scheduling
