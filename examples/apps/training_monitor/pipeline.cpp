#include "pipeline.hpp"

#include "gpus/gpu_hours.hpp"
#include "memory/memory.hpp"
#include "notices/center.hpp"
#include "output/live_output.hpp"
#include "web/event_hub.hpp"
#include "web/job_metrics.hpp"

namespace training_monitor {

void pipeline::publish(const std::vector<change>& changes) {
    const observation seen = past_.observe(changes, env_.wall_now());
    log_missed(seen.found_out);
    log_failures(changes);
    to_.stream.publish(changes);
    to_.metrics.take(changes, env_.now());
    if (to_.hours) to_.hours->take(changes, env_.wall_now());
    if (to_.notices) to_.notices->take(seen);
    if (to_.kept) to_.kept->take(changes);
    to_.output.take(changes);
}

void pipeline::log_failures(const std::vector<change>& changes) const {
    for (const auto& c : changes) {
        if (c.type != change_type::job || c.initial) continue;
        const auto& job = *c.job;
        if (job.state != job_state::failed || (c.before && c.before->state == job_state::failed)) continue;
        log_.warning("the job failed", {{"cluster", job.cluster},
                                        {"job", job.namespace_ + "/" + job.name},
                                        {"kind", std::string(job.kind)},
                                        {"gpus", std::to_string(job.gpus)},
                                        {"reason", job.why.empty() ? job.reason : job.why}});
    }
}

void pipeline::log_missed(const std::vector<missed>& found_out) const {
    for (const auto& m : found_out) {
        const auto& job = *m.job;
        log_.info(m.gone ? "the job is gone" : "the job finished while nobody looked",
                  {{"cluster", job.cluster},
                   {"job", job.namespace_ + "/" + job.name},
                   {"kind", std::string(job.kind)},
                   {"last_seen", std::string(to_string(m.last_state))},
                   {"state", m.gone ? "gone" : std::string(to_string(job.state))}});
    }
}

}  // namespace training_monitor
