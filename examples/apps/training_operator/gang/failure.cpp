#include "gang/failure.hpp"

namespace training_operator {
namespace {

constexpr std::int32_t first_signal = 128;

std::string about(const rank& one, std::string what) {
    std::string out = "rank " + std::to_string(one.number) + " " + std::move(what);
    if (!one.words.empty() && one.state == pod_state::failed) out += ": " + one.words;
    return out;
}

std::optional<failure> failure_of(const rank& one, wall_time now) {
    if (one.state == pod_state::ended_well) return std::nullopt;
    if (is_lost(one, now)) {
        auto out = loss("NodeLost", about(one, "is lost: its node " + one.node + " is not ready"));
        out.when = one.unready_since;
        return out;
    }
    if (one.state == pod_state::failed && one.disrupted) return loss("Disrupted", about(one, "was taken away"));
    if (one.state == pod_state::failed) {
        auto out = loss("RankFailed", about(one, "exited with code " + std::to_string(one.exit_code)));
        out.retryable = one.exit_code >= first_signal;
        out.when = one.ended;
        return out;
    }
    if (one.leaving) return loss("PodDeleted", about(one, "is lost: somebody deleted its pod"));
    return std::nullopt;
}

// Those that do not say when they ended come first: they were taken away. What a Job's controller deletes comes last.
wall_time order_of(const rank& one, bool has_holder) {
    if (has_holder && one.leaving && !one.disrupted) return wall_time::max();
    return one.ended && !one.disrupted ? *one.ended : wall_time::min();
}

}  // namespace

failure loss(std::string reason, std::string message) {
    failure out;
    out.retryable = true;
    out.reason = std::move(reason);
    out.message = std::move(message);
    return out;
}

std::optional<failure> find_failure(const gang& ranks, wall_time now, bool has_holder) {
    std::optional<failure> first;
    wall_time first_at{};
    bool doubtful = false;
    for (const rank& one : ranks) {
        doubtful = doubtful || one.unready_since.has_value();
        auto found = failure_of(one, now);
        if (!found) continue;
        const wall_time at = order_of(one, has_holder);
        const bool better = found->retryable && first && !first->retryable;
        if (!first || at < first_at || (at == first_at && better)) first = std::move(found), first_at = at;
    }
    if (first && !first->retryable && doubtful) return std::nullopt;
    return first;
}

}  // namespace training_operator
