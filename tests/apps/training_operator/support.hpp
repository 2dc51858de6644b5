// Jobs, ranks and plans in few words, for tables.
#pragma once

#include <kcontrol/values/time.hpp>

#include "decide/plan.hpp"

#include <string>
#include <vector>

namespace training_operator::tests {

/// When jobs' phases begin in these tables; `after(5)` is 5 s later.
inline const wall_time begin = parse_time("2026-11-23T10:00:00Z").value();
inline wall_time after(double seconds) {
    return begin + std::chrono::duration_cast<duration>(std::chrono::duration<double>(seconds));
}

/// Of two workers, in its first attempt, in that phase since `begin`.
inline training_job job_in(std::string_view phase) {
    training_job out;
    out.metadata.name = "bert";
    out.metadata.namespace_ = "ml";
    out.metadata.uid = "u-1";
    out.spec.workers = 2;
    out.status.phase = phase;
    out.status.attempt = 1;
    out.status.workers = 2;
    out.status.ready = "0/2";
    out.status.phase_time = begin;
    out.status.start_time = begin;
    return out;
}

inline rank one(std::int32_t number, pod_state state) {
    rank out;
    out.number = number;
    out.attempt = 1;
    out.name = "bert-" + std::to_string(number);
    out.uid = "pod-" + std::to_string(number);
    out.state = state;
    out.over = state == pod_state::ended_well || state == pod_state::failed;
    if (state == pod_state::waiting) out.words = "0/3 nodes are available";
    return out;
}
inline rank failed(std::int32_t number, std::int32_t code, double ended = 0) {
    rank out = one(number, pod_state::failed);
    out.exit_code = code;
    out.ended = after(ended);
    return out;
}
inline gang all(pod_state state) { return {one(0, state), one(1, state)}; }

/// "Running 2/2 attempt 1: Running, all ranks run", "create 0 1, again in 5 s", "" where nothing is to be done.
inline std::string words(const training_job& job, const plan& p, wall_time now) {
    std::vector<std::string> out;
    if (p.moves(job)) {
        out.push_back(p.status.phase.str() + " " + p.status.ready.str() + " attempt " +
                      std::to_string(p.status.attempt) + ": " + p.reason + ", " + p.message);
    } else if (p.status != job.status) {
        out.push_back("ready " + p.status.ready.str());
    }
    if (p.warning) out.emplace_back("warning");
    if (p.told) {
        out.push_back(p.told->type + "=" + (p.told->holds ? "True " : "False ") + p.told->reason + ": " +
                      p.told->message);
    }
    std::string ranks;
    for (const auto number : p.create) ranks += " " + std::to_string(number);
    if (!ranks.empty()) out.push_back("create" + ranks);
    ranks.clear();
    for (const auto& each : p.remove) ranks += " " + std::to_string(each.number);
    if (!ranks.empty()) out.push_back("remove" + ranks);
    if (!p.end_holder.empty()) out.push_back("end holder " + p.end_holder);
    if (p.release) out.emplace_back("release");
    if (p.remove_job) out.emplace_back("remove the job");
    if (p.again && !p.moves(job)) {
        out.push_back("again in " +
                      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*p.again - now).count()) + " s");
    }
    std::string text;
    for (const auto& each : out) text += (text.empty() ? "" : ", ") + each;
    return text;
}
inline std::string decided_on(const training_job& job, const facts& seen, double seconds = 1) {
    return words(job, decide(job, seen, after(seconds)), after(seconds));
}
inline std::string decided(const training_job& job, const gang& ranks, double seconds = 1) {
    return decided_on(job, ranks, seconds);
}

}  // namespace training_operator::tests
