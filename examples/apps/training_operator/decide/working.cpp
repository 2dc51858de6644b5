// The phases in which ranks are meant to be there: Queued, Starting and Running.
#include "decide/checkpoints.hpp"
#include "decide/decision.hpp"
#include "job/names.hpp"

namespace training_operator {

using std::chrono::seconds;

plan decision::working() {
    // Pods of no rank of this attempt were made before it, and are seen late.
    remove([this](const rank& r) {
        return r.number < 0 || r.number >= job_.status.workers || r.attempt != job_.status.attempt;
    });
    if (facts_.holds_ranks && facts_.holds_ranks->attempt != job_.status.attempt) end_holder();
    if (!out_.remove.empty() || !out_.end_holder.empty()) return out_;
    if (const rank* refusal = take_reports(ranks_, now_, out_.status)) return refused(*refusal);
    const auto token = restart_token_of(job_);
    if (!token.empty() && token != job_.status.restart_token) return restart_on(token);
    if (job_.status.on_fallback && may_return()) {
        return turn("Restarting", "ReturnsToGPUs", "its gang fits on GPUs: all ranks begin there");
    }
    if (next_workers(job_) != job_.status.workers) {
        out_.status.lost_workers = 0;
        return turn("Restarting", "Resized",
                    "spec.workers has changed from " + std::to_string(job_.status.workers) + " to " +
                        std::to_string(job_.spec.workers));
    }
    if (const auto found = trouble()) return after(*found);
    if (job_.status.phase == "Queued") return queued();

    const auto well = count(pod_state::ended_well);
    const auto there = well + count(pod_state::running);
    out_.status.ready = std::to_string(there) + "/" + std::to_string(job_.status.workers);
    if (well == job_.status.workers) return trained();
    for (const rank& one : ranks_) {
        if (one.unready_since) look_again(*one.unready_since + node_grace);
    }
    return job_.status.phase == "Starting" ? starting() : out_;
}

// What keeps the attempt from going on.
std::optional<failure> decision::trouble() const {
    const auto& holder = facts_.holds_ranks;
    const bool queues = job_.status.phase == "Queued";
    if (holder && holder->suspended && !queues) return loss("Preempted", "the queue has taken its place back");
    if (auto found = find_failure(ranks_, now_, holder.has_value())) return found;
    if (holder && holder->failed && ranks_.empty())
        return loss("HolderFailed", "no rank could be made: " + holder->words);
    const auto absent = missing();
    if (job_.status.phase != "Running" || absent.empty()) return std::nullopt;
    return loss("PodDeleted", "rank " + std::to_string(absent.front()) + " is lost: its pod is gone");
}

// The time until they start is counted from the admission on.
plan decision::queued() {
    const auto& holder = facts_.holds_ranks;
    if (create_missing()) return out_;
    const bool waits = holder ? holder->suspended : std::ranges::any_of(ranks_, &rank::gated);
    if (waits && facts_.queue) {
        if (!*facts_.queue) tell("Admitted", false, "QueueUnreadable", facts_.queue->error().what());
        if (*facts_.queue && !(*facts_.queue)->empty()) tell("Admitted", false, "Waiting", **facts_.queue);
    }
    if (waits && waits_too_long()) {
        fall_back();
        return turn("Restarting", "FallsBack", "it has waited for GPUs for too long: all ranks begin on CPUs");
    }
    if (waits) return out_;
    tell("Admitted", true, "Admitted", "its queue has admitted it");
    return start("Admitted", "the queue has admitted " + std::to_string(job_.status.workers) + " ranks");
}

// What holds the ranks makes them itself.
bool decision::create_missing() {
    constexpr seconds create_again{5};  // a pod of that name was there, which is not ours, or not any more
    if (facts_.holds_ranks) return false;
    out_.create = missing();
    if (!out_.create.empty()) look_again(now_ + create_again);
    return !out_.create.empty();
}

plan decision::starting() {
    if (count(pod_state::ended_well) + count(pod_state::running) == job_.status.workers) {
        out_.status.missed_starts = 0;
        out_.status.lost_time = out_.status.wait_time = {};
        return turn("Running", "Running", "all ranks run");
    }
    const bool lacks_node = std::ranges::any_of(ranks_, [](const rank& r) { return r.node.empty() && !r.over; });
    if (lacks_node && waits_too_long()) {
        fall_back();
        return turn("Restarting", "FallsBack", "it has waited for GPUs for too long: all ranks begin on CPUs");
    }
    const auto deadline = later(job_.status.phase_time, job_.spec.start_deadline_seconds);
    if (now_ >= deadline) return missed();
    look_again(deadline);
    create_missing();
    return out_;
}

plan decision::missed() {
    std::string who;
    for (std::int32_t number = 0; number < job_.status.workers && who.empty(); ++number) {
        const rank* one = find(number);
        if (one == nullptr) who = "rank " + std::to_string(number) + " has no pod";
        if (one != nullptr && one->state == pod_state::waiting) {
            who = "rank " + std::to_string(number) + " waits: " + one->words;
        }
    }
    const auto pause = std::chrono::duration_cast<seconds>(start_backoff(++out_.status.missed_starts)).count();
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    return turn("Pending", "StartDeadlineExceeded",
                "not all ranks ran within " + std::to_string(job_.spec.start_deadline_seconds) + " s: " + who +
                    "; the next start is in " + std::to_string(pause) + " s",
                true);
}

// The job is not to blame: no attempt is counted. It comes to an end, for no checkpoint is refused twice.
plan decision::refused(const rank& by) {
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    return turn(
        "Restarting", "CheckpointRefused",
        "rank " + std::to_string(by.number) + " refused the checkpoint of step " + std::to_string(*by.told.refused),
        true);
}

plan decision::after(const failure& found) {
    if (!found.retryable) return fail(found.reason, found.message);
    const auto attempt = std::to_string(job_.status.attempt);
    if (job_.status.attempt > job_.spec.backoff_limit) {
        return fail("BackoffLimitExceeded", found.message + "; attempt " + attempt + " was the last one");
    }
    ++out_.status.attempt;
    out_.status.lost_workers =
        static_cast<std::int32_t>(std::ranges::count_if(ranks_, [&](const rank& r) { return is_lost(r, now_); }));
    if (!out_.status.lost_time.present()) out_.status.lost_time = whole_seconds(found.when.value_or(now_));
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    return turn("Restarting", found.reason, found.message + "; attempt " + attempt + " ends", true);
}

std::vector<std::int32_t> decision::missing() const {
    std::vector<std::int32_t> out;
    for (std::int32_t number = 0; number < job_.status.workers; ++number) {
        if (find(number) == nullptr) out.push_back(number);
    }
    return out;
}

const rank* decision::find(std::int32_t number) const {
    const auto found = std::ranges::find(ranks_, number, &rank::number);
    return found == ranks_.end() ? nullptr : &*found;
}

}  // namespace training_operator
