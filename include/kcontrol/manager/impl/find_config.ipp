#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/manager/find_config.hpp>

namespace kcontrol {
namespace detail {

inline result<auth::cluster_config> config_from_file(environment& env, const std::string& path,
                                                     const std::string& context) {
    const auto file = auth::kubeconfig::load(env, path, auth::trust::trusted);
    if (!file) return file.error();
    return file->resolve(env, context);
}

}  // namespace detail

// Source: controller-runtime pkg/client/config, loadConfig.
KCONTROL_DECL result<auth::cluster_config> find_cluster_config(environment& env, const std::string& kubeconfig_file,
                                                               const std::string& context) {
    if (!kubeconfig_file.empty()) return detail::config_from_file(env, kubeconfig_file, context);
    if (const auto named = env.variable("KUBECONFIG"); named && !named->empty()) {
        if (named->find(':') != std::string::npos) {
            return error(errc::invalid_config,
                         "KUBECONFIG names several files, which are not merged: name one, or use --kubeconfig FILE");
        }
        return detail::config_from_file(env, *named, context);
    }
    // A context can only be meant for a file.
    if (context.empty() && env.variable("KUBERNETES_SERVICE_HOST")) return auth::in_cluster_config(env);
    if (const auto home = env.variable("HOME"); home && !home->empty()) {
        auto found = detail::config_from_file(env, *home + "/.kube/config", context);
        if (found || !(found.error() == errc::file_failed)) return found;
        return found.error().with_context("no cluster to talk to: use --kubeconfig FILE, or set KUBECONFIG");
    }
    return error(errc::invalid_config, "no cluster to talk to: use --kubeconfig FILE, or set KUBECONFIG");
}

}  // namespace kcontrol
