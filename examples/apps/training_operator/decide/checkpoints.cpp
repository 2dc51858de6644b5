#include "decide/checkpoints.hpp"

#include <algorithm>

namespace training_operator {
namespace {

constexpr std::size_t most_kept = 5;

checkpoint* find(training_job_status& in, std::int64_t step) {
    const auto found = std::ranges::find(in.checkpoints, step, &checkpoint::step);
    return found == in.checkpoints.end() ? nullptr : &*found;
}

void remember(checkpoint saved, wall_time now, training_job_status& to) {
    if (find(to, saved.step) != nullptr) return;
    saved.time = wall_time(std::chrono::floor<std::chrono::seconds>(now));
    saved.attempt = to.attempt;
    const auto older = std::ranges::find_if(to.checkpoints, [&](const checkpoint& c) { return c.step < saved.step; });
    to.checkpoints.insert(older, std::move(saved));
    if (to.checkpoints.size() > most_kept) to.checkpoints.pop_back();
}

void choose(training_job_status& in) {
    const auto good = std::ranges::find(in.checkpoints, false, &checkpoint::refused);
    in.checkpoint.reset();
    if (good != in.checkpoints.end()) in.checkpoint = *good;
}

}  // namespace

const rank* take_reports(const gang& ranks, wall_time now, training_job_status& to) {
    const rank* refusal = nullptr;
    for (const rank& one : ranks) {
        if (one.told.saved) remember(*one.told.saved, now, to);
        checkpoint* refused = one.told.refused ? find(to, *one.told.refused) : nullptr;
        if (refused == nullptr || refused->refused) continue;
        refused->refused = true;
        refusal = &one;
    }
    choose(to);
    return refusal;
}

void refuse_checkpoint(training_job_status& in) {
    if (checkpoint* found = find(in, in.checkpoint->step); found != nullptr) found->refused = true;
    choose(in);
}

}  // namespace training_operator
