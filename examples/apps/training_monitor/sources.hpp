// Where the clusters come from, as the command line has it.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "memory/memory.hpp"
#include "options.hpp"

#include <memory>
#include <string>

namespace training_monitor {

/// A directory, contexts of a kubeconfig, Secrets of a home cluster, the clusters that the state file keeps (`kept`,
/// null without --state), or the pod's own cluster: in a pod if the file keeps none. With --once a directory is looked
/// at one time, and a file that is broken then is a cluster that failed. Errors: what is wrong with the directory, the
/// file or the context, and the remedy.
kcontrol::result<std::unique_ptr<kcontrol::cluster_source>> make_source(kcontrol::environment& env,
                                                                        kcontrol::executor ex, const options& o,
                                                                        memory* kept, const kcontrol::logger& log);

/// The cluster of --home-kubeconfig, or the pod's own; `needed_by` is the flag that needs it. Errors: name both flags.
kcontrol::result<kcontrol::auth::cluster_config> home_cluster(kcontrol::environment& env, const options& o,
                                                              const std::string& needed_by);

}  // namespace training_monitor
