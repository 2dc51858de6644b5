#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/model/condition.hpp>

#include "decide/decision.hpp"
#include "job/names.hpp"
#include "job/phases.hpp"

namespace training_operator {

using std::chrono::seconds;

plan decide(const training_job& job, const facts& seen, wall_time now) { return decision(job, seen, now).make(); }

plan refuse(const training_job& job, std::string why, wall_time now) {
    const facts nothing;
    return decision(job, nothing, now).fail("PodRefused", std::move(why));
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
    if (write_card()) return out_;
    if (known->is_terminal()) return after_the_end();
    if (phase == "Suspended") return suspended();
    if (phase == "Promoting") return promoting();
    if (job_.spec.suspend) return turn("Suspended", "Suspended", "spec.suspend is set");
    if (std::ranges::count(executor_names, job_.spec.executor.view()) == 0) {
        return fail("UnknownExecutor", "spec.executor: there is no executor \"" + job_.spec.executor.str() + "\"");
    }
    watch_data();
    if (phase == "Validating") return validating();
    if (is_over_deadline()) return fail("DeadlineExceeded", "activeDeadlineSeconds have passed since the first start");
    if (phase == "Pending") return pending();
    if (phase == "DataCheck") return data_check();
    if (phase == "Restarting") return restarting();
    return working();
}

plan decision::turn(std::string_view phase, std::string reason, std::string message, bool warning) {
    if (job_.status.phase == "Running") keep_account(phase);
    out_.status.phase = phase;
    out_.status.phase_time = whole_seconds(now_);
    out_.reason = std::move(reason);
    out_.message = std::move(message);
    out_.warning = warning;
    return out_;
}

plan decision::fail(std::string reason, std::string message) {
    return turn("Failed", std::move(reason), std::move(message), true);
}

bool says(const training_job& job, const remark& what) {
    const auto* said = find_condition(job.status.conditions, what.type);
    return said != nullptr && said->status == (what.holds ? "True" : "False") && said->reason == what.reason &&
           said->message == what.message;
}

void decision::tell(std::string type, bool holds, std::string reason, std::string message, bool warning) {
    remark what{std::move(type), holds, std::move(reason), std::move(message), warning};
    if (!says(job_, what)) out_.told = std::move(what);
}

plan decision::remove_all() {
    end_holder();
    return remove([](const rank&) { return true; });
}

// Nobody may say when it is gone.
void decision::end_holder() {
    constexpr seconds look_for_holder{5};
    if (!facts_.holds_ranks) return;
    if (!facts_.holds_ranks->leaving) out_.end_holder = facts_.holds_ranks->uid;
    look_again(now_ + look_for_holder);
}

bool decision::is_over_deadline() {
    if (!job_.spec.active_deadline_seconds || !job_.status.start_time.present()) return false;
    const auto end = later(job_.status.start_time, *job_.spec.active_deadline_seconds);
    if (now_ < end) look_again(end);
    return now_ >= end;
}

plan decision::leave() {
    if (job_.status.phase == "Promoting" && job_.status.promotion) return promoting();
    if (!is_clear()) return remove_all();
    out_.release = true;
    return out_;
}

plan decision::suspended() {
    if (!is_clear()) return remove_all();
    if (job_.spec.suspend) return end_gates();
    out_.status.start_time = {};
    out_.status.wait_time = {};
    out_.status.kept_seconds = 0;
    out_.status.missed_starts = out_.status.lost_workers = 0;
    if (job_.status.on_fallback) leave_fallback("Resumed", "it begins anew on GPUs");
    return turn("Pending", "Resumed", "spec.suspend is not set any more");
}

plan decision::pending() {
    if (!is_clear()) return remove_all();
    if (job_.status.trained_time.present()) return turn("Validating", "Validating", "the training is done");
    if (waits_too_long()) {
        fall_back();
    } else if (job_.status.missed_starts > 0) {
        const auto due = job_.status.phase_time.value() + start_backoff(job_.status.missed_starts);
        if (now_ < due) return look_again(due), out_;
    }
    if (job_.spec.dataset && job_.status.dataset_version.empty()) {
        return turn("DataCheck", "DataCheck", "the dataset's version is asked for");
    }
    return begin();
}

plan decision::begin() {
    out_.status.attempt = std::max(job_.status.attempt, 1);
    return restart();
}

plan decision::restarting() {
    if (!is_clear()) return remove_all();
    if (facts_.held) return look_again(facts_.held->until), out_;
    return restart();
}

plan decision::restart() {
    if (!resumable()) return out_;
    // As it is from now on: a job that falls back has its other queue and number of ranks.
    training_job next = job_;
    next.status = out_.status;
    const auto queue = queue_of(next);
    const auto ranks = next_workers(next);
    const auto count = std::to_string(ranks);
    out_.status.workers = ranks;
    out_.status.ready = "0/" + count;
    if (!out_.status.wait_time.present()) out_.status.wait_time = whole_seconds(now_);
    out_.status.restart_token = restart_token_of(job_);
    auto message = "attempt " + std::to_string(out_.status.attempt) + " begins with " + count;
    message += ranks == 1 ? " rank" : " ranks";
    if (fallback_of(next) != nullptr) message += " on CPUs";
    if (out_.status.checkpoint && resume_from(job_)) {
        message += " at step " + std::to_string(out_.status.checkpoint->step + 1);
    }
    if (!queue.empty()) return turn("Queued", "Queued", message + ", when its queue admits them");
    return start("Starting", std::move(message));
}

plan decision::start(std::string reason, std::string message) {
    if (!job_.status.start_time.present()) out_.status.start_time = whole_seconds(now_);
    return turn("Starting", std::move(reason), std::move(message));
}

// What has ended stays, for its log.
plan decision::after_the_end() {
    if (job_.spec.ttl_seconds_after_finished) {
        const auto end = later(job_.status.phase_time, *job_.spec.ttl_seconds_after_finished);
        if (now_ >= end) return out_.remove_job = true, out_;
        look_again(end);
    }
    // What waits in a queue may not begin any more.
    if (facts_.holds_ranks && facts_.holds_ranks->suspended) end_holder();
    return remove([](const rank& r) { return !r.over; });
}

}  // namespace training_operator
