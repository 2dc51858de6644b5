// What history makes of the table's changes: each with what it meant, and what they brought to light besides.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "table/change.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace training_monitor {

/// What a change meant against what was remembered.
struct transition {
    std::optional<job_state> from;  ///< nothing: the job was never seen before
    job_state to = job_state::unknown;
    bool while_away = false;  ///< it happened while the job was not in view: before the start, or its cluster was away
};

/// A change, and the transition that it brought; nothing: the job's state was known already, or no job is concerned.
struct enriched_change {
    change what;
    std::optional<transition> turned;
};

/// Something that happened while nobody looked.
struct missed {
    std::shared_ptr<const job_view> job;  ///< as it is now; of one that vanished, as it was last seen
    job_state last_state = job_state::unknown;
    kcontrol::wall_time last_seen{};
    std::optional<kcontrol::wall_time> gone;  ///< when it was found to be gone; nothing: it has finished
};

/// history::observe()'s answer.
struct observation {
    std::vector<enriched_change> changes;  ///< all of them, in their order
    std::vector<missed> found_out;
};

}  // namespace training_monitor
