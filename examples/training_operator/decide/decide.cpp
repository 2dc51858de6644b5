#include <kcontrol/controllerutil/finalizers.hpp>

#include "decide/decision.hpp"
#include "job/names.hpp"
#include "job/phases.hpp"

namespace training_operator {

using std::chrono::seconds;

plan decide(const training_job& job, const gang& ranks, wall_time now) { return decision(job, ranks, now).make(); }

plan refuse(const training_job& job, std::string why, wall_time now) {
    return decision(job, {}, now).fail("PodRefused", std::move(why));
}

duration start_backoff(std::int32_t missed) {
    constexpr seconds first{5}, longest{300};
    return std::min(longest, first * (1 << std::clamp(missed - 1, 0, 10)));
}

plan decision::make() {
    const std::string_view phase = job_.status.phase;
    if (is_being_deleted(job_.metadata)) return leave();
    if (phase.empty()) return turn("Pending", "Accepted", "the job waits for its start");
    const auto* known = phases.find(phase);
    if (known == nullptr) return out_;  // of a newer operator, which may know what to do
    if (known->is_terminal()) return after_the_end();
    if (phase == "Suspended") return suspended();
    if (job_.spec.suspend) return turn("Suspended", "Suspended", "spec.suspend is set");
    if (std::ranges::count(executor_names, job_.spec.executor.view()) == 0) {
        return fail("UnknownExecutor", "spec.executor: there is no executor \"" + job_.spec.executor.str() + "\"");
    }
    if (is_over_deadline()) return fail("DeadlineExceeded", "activeDeadlineSeconds have passed since the first start");
    if (phase == "Pending") return pending();
    if (phase == "Restarting") return restarting();
    return working();
}

plan decision::turn(std::string_view phase, std::string reason, std::string message, bool warning) {
    out_.status.phase = phase;
    out_.status.phase_time = wall_time(std::chrono::floor<seconds>(now_));
    out_.reason = std::move(reason);
    out_.message = std::move(message);
    out_.warning = warning;
    return out_;
}

plan decision::fail(std::string reason, std::string message) {
    return turn("Failed", std::move(reason), std::move(message), true);
}

plan decision::remove_all() {
    return remove([](const rank&) { return true; });
}

bool decision::is_over_deadline() {
    if (!job_.spec.active_deadline_seconds || !job_.status.start_time.present()) return false;
    const auto end = later(job_.status.start_time, *job_.spec.active_deadline_seconds);
    if (now_ < end) look_again(end);
    return now_ >= end;
}

plan decision::leave() {
    if (!ranks_.empty()) return remove_all();
    out_.release = true;
    return out_;
}

plan decision::suspended() {
    if (!ranks_.empty()) return remove_all();
    if (job_.spec.suspend) return out_;
    out_.status.start_time = {};
    out_.status.missed_starts = 0;
    return turn("Pending", "Resumed", "spec.suspend is not set any more");
}

plan decision::pending() {
    if (!ranks_.empty()) return remove_all();
    if (job_.status.missed_starts > 0) {
        const auto due = job_.status.phase_time.value() + start_backoff(job_.status.missed_starts);
        if (now_ < due) return look_again(due), out_;
    }
    out_.status.attempt = std::max(job_.status.attempt, 1);
    if (!job_.status.start_time.present()) out_.status.start_time = wall_time(std::chrono::floor<seconds>(now_));
    return start();
}

plan decision::restarting() {
    if (!ranks_.empty()) return remove_all();
    return start();
}

plan decision::start() {
    const auto count = std::to_string(job_.spec.workers);
    out_.status.workers = job_.spec.workers;
    out_.status.ready = "0/" + count;
    auto message = "attempt " + std::to_string(out_.status.attempt) + " begins with " + count;
    message += job_.spec.workers == 1 ? " rank" : " ranks";
    if (const checkpoint* from = resume_from(job_)) message += " at step " + std::to_string(from->step + 1);
    return turn("Starting", "Starting", std::move(message));
}

// What has ended stays, for its log.
plan decision::after_the_end() {
    if (job_.spec.ttl_seconds_after_finished) {
        const auto end = later(job_.status.phase_time, *job_.spec.ttl_seconds_after_finished);
        if (now_ >= end) return out_.remove_job = true, out_;
        look_again(end);
    }
    return remove([](const rank& r) { return !r.over; });
}

}  // namespace training_operator
