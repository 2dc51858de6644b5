// The scheduler as a program: its flags, and the parts that run beside the scheduler.
#pragma once

#include <kcontrol/manager/manager.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/serve/router.hpp>

#include "cluster/board.hpp"
#include "hami/hami_protocol.hpp"

#include <memory>

namespace gpu_scheduler {

/// What the flags say, and what there is while it runs.
struct program_options {
    kcontrol::label_selector nodes;  ///< --node-selector
    bool has_tenants = true;         ///< --tenants
    bool tells_hami = false;         ///< --device-protocol

    kcontrol::manager* m = nullptr;                               ///< once there is one
    std::shared_ptr<hami_protocol> hami;                          ///< of scheduler_of(), if it tells HAMi
    std::shared_ptr<kcontrol::scheduling::claim_catalog> claims;  ///< of scheduler_of()
};

/// What the scheduler knows. Object lifetime: the manager of the options outlives its use.
std::shared_ptr<board> board_of(const std::shared_ptr<program_options>& options);

/// The scheduler's plugins, rules for victims, and keys of the configuration.
kcontrol::scheduling::scheduler_options scheduler_of(const std::shared_ptr<board>& known,
                                                     const std::shared_ptr<program_options>& options);

/// What runs beside the scheduler: tenants and their status, metrics, and the interface, whose routes are added to
/// `routes`. Errors: those of manager::add().
result<void> add_parts(kcontrol::manager& m, const program_options& options, const std::shared_ptr<board>& known,
                       const std::shared_ptr<kcontrol::scheduling::scheduler>& by, kcontrol::http::router& routes);

/// Runs it. Returns the program's exit status: 0, 1 after a failure, 2 for a wrong command line or configuration.
int run_gpu_scheduler(int argc, char** argv);

}  // namespace gpu_scheduler
