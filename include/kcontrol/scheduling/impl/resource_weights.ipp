#pragma once

#include <kcontrol/scheduling/resource_weights.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL resource_weight::resource_weight(std::string_view resource, std::int64_t weight)
    : resource_(resource), weight_(weight) {
    if (resource == "cpu") kind_ = kind::cpu;
    if (resource == "memory") kind_ = kind::memory;
    if (resource == "ephemeral-storage") kind_ = kind::ephemeral_storage;
}

KCONTROL_DECL std::vector<resource_weight> default_resource_weights() { return {{"cpu", 1}, {"memory", 1}}; }

namespace detail {

KCONTROL_DECL resource_use use_of(const resource_weight& of, const pod_info& pod, const node_info& node,
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
    switch (of.kind_) {
    case resource_weight::kind::cpu:
        return scored ? use(there.cpu_milli, node.scored_cpu_milli(), pod.scored_cpu_milli())
                      : use(there.cpu_milli, held.cpu_milli, wanted.cpu_milli);
    case resource_weight::kind::memory:
        return scored ? use(there.memory, node.scored_memory(), pod.scored_memory())
                      : use(there.memory, held.memory, wanted.memory);
    case resource_weight::kind::ephemeral_storage:
        return use(there.ephemeral_storage, held.ephemeral_storage, wanted.ephemeral_storage);
    case resource_weight::kind::extended: break;
    }
    const auto& name = of.resource();
    const std::int64_t more = wanted.extended(name);
    return more == 0 ? resource_use() : use(there.extended(name), held.extended(name), more);
}

}  // namespace detail

}  // namespace kcontrol::scheduling
