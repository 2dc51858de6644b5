#include "notices/condition_text.hpp"

#include <kcontrol/values/time.hpp>

namespace training_monitor::notices {
namespace {

std::string lacking_text(const job_view& job) {
    std::string out = "it runs with fewer pods than wanted";
    bool first = true;
    for (const auto& replicas : job.replicas) {
        const auto there = replicas.active + replicas.succeeded;
        if (there >= replicas.desired) continue;
        out += (first ? ": " : ", ") + std::to_string(there) + " of " + std::to_string(replicas.desired) + " " +
               replicas.type;
        first = false;
    }
    return job.why.empty() ? out : out + "; " + job.why;
}

}  // namespace

job_view told_as(job_condition which, job_view job, kcontrol::wall_time since) {
    if (which == job_condition::none) return job;
    job.reason = to_string(which);
    if (trouble_of(which) != trouble::none) {
        job.message = message_of(job);
        if (which == condition_of(trouble::holds_gpus)) {
            job.message = "its pods still hold " + std::to_string(job.stuck_count) +
                          (job.stuck_count == 1 ? " GPU" : " GPUs") + (job.message.empty() ? "" : "; " + job.message);
        }
        job.why.clear();
        return job;
    }
    job.message = which == job_condition::incomplete
                      ? lacking_text(job)
                      : "all its GPUs have been at 0 % since " + kcontrol::format_time(since);
    job.why.clear();
    return job;
}

}  // namespace training_monitor::notices
