// Where the clusters come from, as the command line has it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "options.hpp"

#include <memory>

namespace training_monitor {

/// A directory, contexts of a kubeconfig, or the pod's own cluster. With --once a directory is looked at one time, and
/// a file that is broken then is a cluster that failed. Errors: what is wrong with the directory, the file or the
/// context, and the remedy.
kcontrol::result<std::unique_ptr<kcontrol::cluster_source>> make_source(kcontrol::environment& env,
                                                                        kcontrol::executor ex, const options& o,
                                                                        const kcontrol::logger& log);

}  // namespace training_monitor
