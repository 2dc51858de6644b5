// Which GPUs of a node a pod gets.
#pragma once

#include "allocate/slice_turns.hpp"
#include "devices/ledger.hpp"
#include "devices/record.hpp"
#include "devices/request.hpp"
#include "placement/placer.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpu_scheduler {

/// What a pod gets, and how good that is: of two nodes the one with the smaller cost is better, then with the smaller
/// tie.
struct allocation {
    std::vector<device_hold> devices;  ///< in the order of containers
    std::int64_t cost = 0;
    std::int64_t tie = 0;
};

/// The CPU of a node that is free, and that of the pod.
struct cpu_amounts {
    std::int64_t free_milli = 0;
    std::int64_t pod_milli = 0;
};

/// The free parts of the GPUs of a node, as placement sees them: what can be given whole, and of others the memory that
/// shares may take. A GPU with slices counts with its free slots.
room room_of(const node_ledger& node, std::int64_t free_cpu_milli);

/// The best devices for a pod, all of which node_ledger::check() allows together, or none. `turns`: slices go to the
/// GPU whose turn it is, weighted by how many slices of the profile it can have at all; null: where they leave least.
/// The ledger is changed during the call only.
std::optional<allocation> allocate(node_ledger& node, const gpu_request& pod, const cpu_amounts& cpu, placer& by,
                                   slice_turns* turns = nullptr);

}  // namespace gpu_scheduler
