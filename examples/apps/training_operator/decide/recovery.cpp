#include "decide/recovery.hpp"

#include <algorithm>

namespace training_operator {

recovery_part recovery_part_of(const training_job& job, const facts& seen) {
    const auto& phase = job.status.phase;
    if (phase == "Restarting")
        return seen.ranks.empty() && !seen.holds_ranks ? recovery_part::queue : recovery_part::drain;
    if (phase == "Queued") return recovery_part::queue;
    const bool placed = static_cast<std::int32_t>(seen.ranks.size()) >= job.status.workers &&
                        std::ranges::none_of(seen.ranks, [](const rank& r) { return r.node.empty(); });
    if (phase == "Starting") return placed ? recovery_part::start : recovery_part::place;
    const bool works = std::ranges::any_of(
        seen.ranks, [&](const rank& r) { return r.attempt == job.status.attempt && r.told.step.has_value(); });
    return phase == "Running" && !works ? recovery_part::load : recovery_part::none;
}

}  // namespace training_operator
