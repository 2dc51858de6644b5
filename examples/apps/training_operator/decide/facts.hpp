// All that decisions look at beside the job and the time.
#pragma once

#include "gates/gate_run.hpp"

#include <optional>

namespace training_operator {

/// A start that has no turn yet.
class held_restart {
public:
    wall_time until{};  ///< then it is asked again
};

class facts {
public:
    facts() = default;
    facts(gang r) : ranks(std::move(r)) {}  // NOLINT(google-explicit-constructor): mostly there is nothing else

    gang ranks;                         ///< all pods of its ranks
    std::optional<holder> holds_ranks;  ///< of some executors
    std::vector<gate_run> gates;
    std::optional<result<std::string>> queue;  ///< why it waits there
    std::optional<held_restart> held;          ///< its next start waits for others
    bool gang_fits = false;                    ///< on GPUs, by what is known of them
    // What servers that the job names said last.
    std::optional<result<std::string>> dataset;          ///< its version
    std::optional<result<std::string>> checkpoint_hash;  ///< of the one to go on with; "": its server has none
};

}  // namespace training_operator
