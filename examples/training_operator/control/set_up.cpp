#include <kcontrol/controller/builder.hpp>

#include "control/job_control.hpp"
#include "job/names.hpp"
#include "job/phases.hpp"

namespace training_operator {
namespace {

// Jobs by phase, those of a follower as well: it watches, too.
void count_jobs(const informer<training_job>& jobs, metrics_writer& out) {
    std::map<std::string, double, std::less<>> counts;
    for (const auto& each : phases.phases()) counts.emplace(each.name(), 0);
    for (const auto& job : jobs.list()) {
        const auto found = counts.find(job->status.phase.empty() ? phases.initial() : job->status.phase.view());
        if (found != counts.end()) ++found->second;
    }
    for (const auto& [name, count] : counts) {
        out.gauge("training_jobs", "Training jobs by phase.", {{"phase", name}}, count);
    }
}

// Nodes tell that they are alive every few minutes; what matters is whether they became ready, or ceased to be.
bool became_ready_or_not(const event<rank_node>& e) {
    if (!e.old_object || !e.new_object) return true;
    return unready_since(*e.old_object) != unready_since(*e.new_object);
}

}  // namespace

result<void> set_up(manager& m) {
    auto observed = observation::of(m);
    if (!observed) return observed.error();
    const auto control = std::make_shared<job_control>(m, *observed);
    const auto reconcile = [control](reconcile_context ctx, std::shared_ptr<const training_job> job) {
        return control->reconcile(std::move(ctx), *job);
    };
    const auto jobs_on = [observed = *observed](const rank_node& node) { return observed.jobs_on(node.metadata.name); };
    const auto made = controller_builder(m, "trainingjob")
                          .for_<training_job>()
                          .owns<rank_pod>()
                          .watches<rank_node>(jobs_on, became_ready_or_not)
                          .with_options(controller_options().max_concurrent_reconciles(16))
                          .complete(reconcile);
    if (!made) return made.error();
    m.metrics().collect([jobs = m.get_informer<training_job>()](metrics_writer& out) { count_jobs(*jobs, out); });
    return {};
}

}  // namespace training_operator
