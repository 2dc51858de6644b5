// Where a stand-alone program finds its cluster.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <string>

namespace kcontrol::inline v0_1 {

/// The cluster a program is meant for, looked for in controller-runtime's order: the given kubeconfig file (empty: none
/// given), the files $KUBECONFIG names, merged, the pod's own service account, $HOME/.kube/config. `context` chooses
/// one of the kubeconfig's contexts; empty: its current one. auth::find_config() has more to choose. Errors: those of
/// kubeconfig and in_cluster_config; invalid_config if there is nothing to look at.
KCONTROL_DECL result<auth::cluster_config> find_cluster_config(environment& env,
                                                               const std::string& kubeconfig_file = {},
                                                               const std::string& context = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/manager/impl/find_config.ipp>
#endif
