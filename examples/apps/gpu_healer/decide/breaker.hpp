// How many nodes of a policy may be tainted, and when that many are too few.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "api/validation.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpu_healer {

/// max(minNodes, floor(maxPercent of the selector's nodes)).
std::int64_t breaker_limit(const breaker_spec& spec, std::int64_t nodes);

struct breaker_facts {
    wall_time now{};
    std::int64_t nodes = 0;         ///< of the selector
    std::set<std::string> ill;      ///< whose fault is there now
    std::set<std::string> tainted;  ///< with a case of the policy, or the rest of one
    std::vector<std::string> held;  ///< nodes of Held cases, the oldest first
    std::string reset;              ///< the annotation; empty: none
};

struct breaker_decision {
    healing_policy_status next;
    bool opened = false, closed = false;
    bool forgets_reset = false;  ///< the annotation is to be removed, after `next` was written
    std::optional<wall_time> wake;
};

/// Pure. Whether it is open is the condition BreakerOpen; the caller gives the status its other conditions.
breaker_decision decide_breaker(const healing_policy& of, const breaker_facts& seen);

/// Whether a case of that node may be tainted.
bool admits(const healing_policy& of, std::int64_t nodes, const std::set<std::string>& tainted,
            const std::string& node);

/// The newest of the first three faults that began within 10 s of each other, after `last` and a minute.
std::optional<wall_time> common_cause(std::vector<wall_time> faults, std::optional<wall_time> last);

}  // namespace gpu_healer
