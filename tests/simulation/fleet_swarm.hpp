// A fleet: controllers over many clusters that join, rotate, fail and leave at random, checked against what they
// promise. One run is a function of its seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kcontrol::test {

/// Bugs of a program that the checks must find.
enum class fleet_bug {
    none,
    deaf_to_copies,  ///< what somebody changes in a cluster is not looked at
    loses_requests,  ///< what is meant for the hub is lost while the hub is away
    wrong_cluster,   ///< a reconcile writes to the hub in place of its own cluster
};

struct fleet_verdict {
    std::vector<std::string> violations;
    std::uint64_t clusters = 0, edits = 0, faults = 0, reconciles = 0, joins = 0, moves = 0, requests_between = 0;
    std::uint64_t protobuf_requests = 0;  // that asked for Protocol Buffers
    std::uint64_t digest = 0;
};

fleet_verdict run_fleet(std::uint64_t seed, fleet_bug bug = fleet_bug::none);

}  // namespace kcontrol::test
