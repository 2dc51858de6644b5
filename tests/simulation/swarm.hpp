// A swarm run: clusters that live and fail by a seed, a multi-cluster manager that follows them, and the verdict.
#pragma once

#include "simulation/planted_bug.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kcontrol::test {

struct swarm_verdict {
    std::vector<std::string> violations;
    std::uint64_t digest = 0;
    std::uint64_t events = 0;    // that handlers got
    std::uint64_t writes = 0;    // made at the servers
    std::uint64_t faults = 0;    // inflicted
    std::uint64_t rebuilds = 0;  // configurations put to use beyond the first
    std::uint64_t relists = 0;   // list requests beyond each informer's first
    std::uint64_t streams = 0;   // lists that were asked for as streams
    std::uint64_t kinds_of_refusal = 0;
    std::uint64_t spoiled = 0;            // clusters in which some object could not be read
    std::uint64_t protobuf_requests = 0;  // that asked for Protocol Buffers
    std::uint64_t thrown = 0;             // exceptions of functions that were called
    bool bug_triggered = false;           // the planted bug had its chance
};

/// Runs one seed: a minute of writes under faults, then quiet until the caches equal the servers, and a controller on
/// each cluster has reconciled what they hold.
swarm_verdict run_swarm(std::uint64_t seed, planted_bug bug = planted_bug::none);

}  // namespace kcontrol::test
