// A swarm run of an operator: processes that contend for a Lease, crash and are cut off, people who change and delete
// what they work on, and the verdict.
#pragma once

#include "simulation/operator_replica.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kcontrol::test {

struct operator_verdict {
    std::vector<std::string> violations;
    std::uint64_t digest = 0;
    std::uint64_t edits = 0;    // by people
    std::uint64_t faults = 0;   // inflicted
    std::uint64_t crashes = 0;  // of processes
    std::uint64_t terms = 0;    // in which another process wrote than in the one before
    std::uint64_t writes = 0;   // by processes
    std::uint64_t reconciles = 0;
    std::uint64_t steps = 0;  // from one phase to another
};

/// Runs one seed: two minutes of edits and faults, then quiet until every site is served. What must hold, by the names
/// of the invariants of client-go's and of Kubernetes' own documentation: the state converges; a deletion is cleaned up
/// before it is done, and leaves nothing; no two reconciles of an object at once; no process reads what is older than
/// its own write; every stored phase is an allowed step from the one before; no process writes once another has begun
/// to lead; after that nothing more is written.
operator_verdict run_operator_swarm(std::uint64_t seed, operator_bug bug = operator_bug::none);

}  // namespace kcontrol::test
