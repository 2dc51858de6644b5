#pragma once

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/manager/find_config.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<auth::cluster_config> find_cluster_config(environment& env, const std::string& kubeconfig_file,
                                                               const std::string& context) {
    auth::config_search how;
    how.file(kubeconfig_file).order(auth::search_order::controller);
    return auth::find_config(env, how.overrides(auth::kubeconfig_overrides().context(context)));
}

}  // namespace kcontrol
