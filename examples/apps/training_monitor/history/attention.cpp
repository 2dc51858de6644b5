#include "history/attention.hpp"

#include <algorithm>
#include <array>

namespace training_monitor {
namespace {

using kcontrol::wall_time;

constexpr std::array<std::string_view, 10> names{"unreadable", "failed",  "holding-gpus", "crash-loop", "restarting",
                                                 "stuck",      "unknown", "incomplete",   "idle",       "waiting"};

bool waits(job_state s) { return s == job_state::created || s == job_state::pending || s == job_state::queued; }

// From Created to Queued to Pending is one wait.
wall_time wait_began(const job_record& job) {
    auto out = job.spans.back().from;
    for (auto at = job.spans.rbegin(); at != job.spans.rend() && waits(at->state); ++at) out = at->from;
    return out;
}

std::size_t restarts_since(const job_record& job, wall_time begin) {
    return static_cast<std::size_t>(std::count_if(job.spans.begin(), job.spans.end(), [&](const span& s) {
        return s.state == job_state::restarting && s.from >= begin;
    }));
}

bool lacks_pods(const job_view& job) {
    return std::any_of(job.replicas.begin(), job.replicas.end(),
                       [](const replica_counts& r) { return r.active + r.succeeded < r.desired; });
}

}  // namespace

std::string_view to_string(concern c) noexcept { return names[static_cast<std::size_t>(c)]; }

bool may_need(const job_view& job, wall_time now) {
    if (job.state == job_state::succeeded || job.state == job_state::suspended) return false;
    if (job.state != job_state::failed || !job.completion_time || job.stuck == trouble::holds_gpus) return true;
    // In seconds: the years that a text may name do not fit into nanoseconds.
    const auto begin = std::chrono::floor<std::chrono::seconds>((now - failed_for).time_since_epoch());
    return std::chrono::seconds(*job.completion_time) >= begin;
}

bool is_incomplete(const job_view& job) {
    return job.state == job_state::running && job.kind != "Job" && lacks_pods(job);
}

std::optional<need> need_of(const job_record& job, wall_time now, std::optional<wall_time> idle_since) {
    if (!may_need(*job.view, now)) return std::nullopt;
    const span& last = job.spans.back();
    need out{concern::failed, last.from, restarts_since(job, now - restarts_within)};
    const trouble stuck = job.view->stuck;
    const bool is_stuck = stuck != trouble::none && now - job.stuck_since >= stuck_for;
    const auto since_stuck = [&](concern what) {
        out.what = what;
        out.since = job.stuck_since;
        return out;
    };
    if (is_stuck && stuck == trouble::crash_loop) return since_stuck(concern::crashing);
    switch (job.state()) {
    case job_state::failed:
        if (is_stuck && now - job.stuck_since >= held_for) return since_stuck(concern::holding);
        if (now - last.from > failed_for) return std::nullopt;
        return out;
    case job_state::restarting: out.what = concern::restarting; return out;
    case job_state::created:
    case job_state::queued:
    case job_state::pending:
        if (is_stuck && stuck != trouble::unschedulable) return since_stuck(concern::stuck);
        out.what = concern::waiting;
        out.since = wait_began(job);
        if (now - out.since < waiting_for) return std::nullopt;
        return out;
    case job_state::running:
        if (out.restarts >= many_restarts) {
            out.what = concern::restarting;
            return out;
        }
        if (is_stuck) return since_stuck(concern::stuck);
        if (is_incomplete(*job.view) && now - last.from >= incomplete_for) {
            out.what = concern::incomplete;
            return out;
        }
        if (!idle_since || now - *idle_since < idle_for) return std::nullopt;
        out.what = concern::idle;
        out.since = *idle_since;
        return out;
    case job_state::unknown:
        if (is_stuck) return since_stuck(concern::stuck);
        out.what = concern::unknown;
        if (now - last.from < unknown_for) return std::nullopt;
        return out;
    case job_state::suspended:
    case job_state::succeeded: break;
    }
    return std::nullopt;
}

}  // namespace training_monitor
