// The training operator: TrainingJobs become ranks that run all together or not at all.
#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/manager/run.hpp>

#include "control/job_control.hpp"
#include "job/names.hpp"

namespace {

using namespace kcontrol;

// Of the cluster's pods only the jobs' are watched.
manager_options watched() {
    cache_options cache;
    cache.for_kind<training_operator::rank_pod>(informer_options().label_selector(training_operator::job_label));
    return manager_options().cache(std::move(cache));
}

}  // namespace

int main(int argc, char** argv) {
    bool install = false;
    run_options options(watched());
    options.flag("--install-crds", "installs the CustomResourceDefinition of TrainingJob first", install)
        .leader_election(leader_options(namespaced_name("", training_operator::operator_name)))
        .log_as(log_format::json);
    const auto set_up = [&install](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        if (install) {
            install_options how;
            how.stop(std::move(stop));
            // Replicas that do not lead install it, too: they watch the kind.
            const auto installed = co_await install_crds<training_operator::training_job>(m.get_unfenced_client(), how);
            if (!installed) co_return installed;
        }
        co_return training_operator::set_up(m);
    };
    return run(argc, argv, set_up, options);
}
