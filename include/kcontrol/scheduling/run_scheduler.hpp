// Running a scheduler as a program of its own: the flags of run(), and those of a scheduler.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/manager/run_options.hpp>
#include <kcontrol/scheduling/scheduler.hpp>

namespace kcontrol::inline v0_1::scheduling {

/// run() with a scheduler in the manager. Besides its flags there are `--scheduler-name NAME` and `--config FILE`,
/// which come before what the options say and exclude each other. The Lease of --leader-elect is named after the
/// scheduler, or after the first profile, unless --leader-election-id says otherwise. Returns the program's exit
/// status: also 2 for a configuration with an error, which is printed as `FILE:LINE: …`, and for --namespace, since the
/// pods of all namespaces fill the nodes.
///
/// The functions of `program`'s flags, and scheduler_options::plugins(), may be called twice.
KCONTROL_DECL int run_scheduler(int argc, char** argv, scheduler_options how, run_options program = {});

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/run_scheduler.ipp>
#endif
