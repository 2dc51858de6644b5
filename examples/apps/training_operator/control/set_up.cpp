#include <kcontrol/controller/builder.hpp>

#include "control/job_control.hpp"
#include "decide/goodput.hpp"
#include "job/phases.hpp"

namespace training_operator {
namespace {

// Nodes tell that they are alive every few minutes; what matters is whether they became ready, or ceased to be.
bool became_ready_or_not(const event<rank_node>& e) {
    if (!e.old_object || !e.new_object) return true;
    return unready_since(*e.old_object) != unready_since(*e.new_object);
}

}  // namespace

result<void> set_up(manager& m, http::transport_factory connect, restart_settings settings,
                    http::transport_factory to_scheduler) {
    auto observed = observation::of(m);
    if (!observed) return observed.error();
    const auto control =
        std::make_shared<job_control>(m, *observed, std::move(connect), std::move(settings), std::move(to_scheduler));
    const auto reconcile = [control](reconcile_context ctx, std::shared_ptr<const training_job> job) {
        return control->reconcile(std::move(ctx), *job);
    };
    const auto jobs_on = [observed = *observed](const rank_node& node) { return observed.jobs_on(node.metadata.name); };
    const auto made = controller_builder(m, "trainingjob")
                          .for_<training_job>()
                          .watches<rank_pod>([](const rank_pod& pod) { return std::vector{job_of(pod)}; })
                          .owns<gate_job>()
                          .watches<rank_node>(jobs_on, became_ready_or_not)
                          .with_options(controller_options().max_concurrent_reconciles(16))
                          .complete(reconcile);
    if (!made) return made.error();
    // Those of a follower as well: it watches, too.
    m.metrics().collect([&m, jobs = m.get_informer<training_job>()](metrics_writer& out) {
        write_phases(out, "training_jobs", "Training jobs by phase.", phases, jobs->list());
        goodput sum;
        for (const auto& job : jobs->list()) sum.add(*job, m.env().wall_now());
        if (const auto ratio = sum.ratio()) {
            out.gauge("training_job_goodput_ratio",
                      "Time of workers whose steps are kept, of all since their jobs began.", {}, *ratio);
        }
    });
    return {};
}

}  // namespace training_operator
