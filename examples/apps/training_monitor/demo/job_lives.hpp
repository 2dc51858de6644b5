// The lives of simulated jobs, each written as the operator of its kind writes it.
#pragma once

#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "demo/simulated_job.hpp"

#include <stop_token>

namespace training_monitor::demo {

/// Where a life happens and how fast. Copied into each coroutine.
class life_setting {
public:
    life_setting(kcontrol::environment& e, simulated_cluster& c, ledger& b, double p, std::stop_token s)
        : env(&e), cluster(&c), book(&b), pace(p), stop(std::move(s)) {}

    /// Waits for about `seconds` of the demo's time, a third more or less; false if it is time to stop.
    kcontrol::awaitable<bool> pass(double seconds) const;

    /// True with that probability.
    bool chance(double probability) const { return random_unit(*env) < probability; }

    kcontrol::environment* env;
    simulated_cluster* cluster;
    ledger* book;
    double pace;  ///< real seconds to one of the demo's
    std::stop_token stop;
};

/// What a cluster of the demo can run.
struct job_mix {
    bool mpi_v2beta1 = false;  ///< the MPI operator's version instead of the training operator's
    bool train_jobs = false;
};

/// Registers the kinds at the cluster's API server, and makes the namespaces.
void prepare(simulated_cluster& cluster, job_mix mix);

/// Starts jobs of all kinds, one after another, until `setting.stop`; each lives through its states and is deleted.
kcontrol::awaitable<void> run_jobs(life_setting setting, job_mix mix, kcontrol::task_group& tasks);

}  // namespace training_monitor::demo
