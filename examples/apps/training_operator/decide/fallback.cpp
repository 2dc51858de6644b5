// What a job runs on, and what a restart costs: starts on CPUs of a job that waits for GPUs for too long, its way back,
// restarts that somebody asks for, and what of the work is kept.
#include "decide/decision.hpp"
#include "job/names.hpp"

namespace training_operator {

bool decision::waits_too_long() {
    const auto& how = job_.spec.cpu_fallback;
    if (!how || job_.status.on_fallback || !job_.status.wait_time.present()) return false;
    const auto due = later(job_.status.wait_time, how->after_seconds);
    if (now_ < due) look_again(due);
    return now_ >= due;
}

void decision::fall_back() {
    out_.status.on_fallback = true;
    out_.status.fallback_time = out_.status.wait_time = whole_seconds(now_);
    out_.status.missed_starts = 0;
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    tell("OnFallback", true, "WaitedForGPUs",
         "it has waited for GPUs for " + std::to_string(job_.spec.cpu_fallback->after_seconds) +
             " s, and begins on CPUs",
         true);
}

void decision::leave_fallback(std::string reason, std::string message) {
    out_.status.on_fallback = false;
    out_.status.fallback_time = out_.status.wait_time = whole_seconds(now_);
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    tell("OnFallback", false, std::move(reason), std::move(message));
}

// What runs goes on up to its next checkpoint, so that nothing is lost.
bool decision::may_return() {
    if (!job_.spec.cpu_fallback) {
        leave_fallback("NoFallback", "spec.cpuFallback is not set any more");
        return true;
    }
    const auto due = later(job_.status.fallback_time, job_.spec.cpu_fallback->after_seconds);
    if (now_ < due) return look_again(due), false;
    const bool saved = out_.status.checkpoint && out_.status.checkpoint != job_.status.checkpoint;
    if (!facts_.gang_fits || (job_.status.phase == "Running" && !saved)) return false;
    leave_fallback("GPUsFree", "its gang fits on GPUs");
    return true;
}

// Nothing failed: no attempt is counted.
plan decision::restart_on(std::string_view token) {
    out_.status.restart_token = token;
    if (!out_.status.lost_time.present()) out_.status.lost_time = whole_seconds(now_);
    out_.status.ready = "0/" + std::to_string(job_.status.workers);
    return turn("Restarting", "RestartRequested", restart_annotation + (" is " + std::string(token)));
}

// What an end of Running keeps: all of it if the training is done or is to go on, else up to the checkpoint at which
// the next ranks begin.
void decision::keep_account(std::string_view next) {
    const bool is_done = next == "Validating" || next == "Promoting" || next == "Succeeded";
    training_job then = job_;
    then.status = out_.status;
    const checkpoint* from = resume_from(then);
    const auto since = job_.status.phase_time.value();
    const auto until = is_done ? now_ : from != nullptr ? std::min(from->time.value(), now_) : since;
    if (until > since)
        out_.status.kept_seconds += std::chrono::duration_cast<std::chrono::seconds>(until - since).count();
    if (next != "Restarting") return;
    std::int64_t done = 0;
    for (const rank& one : ranks_) done = std::max(done, one.told.step.value_or(0));
    out_.lost_steps = std::max<std::int64_t>(0, done - (from != nullptr ? from->step : 0));
}

}  // namespace training_operator
