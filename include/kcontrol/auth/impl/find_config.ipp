#pragma once

#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/auth/impl/kubeconfig.ipp>
#include <kcontrol/auth/impl/kubeconfig_in_cluster.ipp>

namespace kcontrol::inline v0_1::auth {
namespace detail {

inline bool in_pod(const environment& env) {
    return !env.variable("KUBERNETES_SERVICE_HOST").value_or("").empty() &&
           !env.variable("KUBERNETES_SERVICE_PORT").value_or("").empty();
}

// The list of files that are looked at where none is given, or empty.
inline std::string default_kubeconfig_paths(const environment& env) {
    if (auto named = env.variable("KUBECONFIG"); named && !named->empty()) return std::move(*named);
    const std::string home = env.variable("HOME").value_or("");
    return home.empty() ? std::string() : home + "/.kube/config";
}

inline result<cluster_config> resolve_found(environment& env, const kubeconfig& found, const config_search& how) {
    auto config = found.resolve(env, how.overrides());
    if (config && config->default_namespace().empty() && in_pod(env)) config->default_namespace(pod_namespace(env));
    return config;
}

// The pod's own account, read as the entries of a kubeconfig, so that it is overridden as they are.
inline result<cluster_config> resolve_own(environment& env, const kubeconfig_overrides& with) {
    const std::string origin = "service account", name = "in-cluster";
    const auto own = in_cluster_config(env);
    if (!own) return own.error();
    kubeconfig_cluster cluster;
    cluster.server = own->server_url();
    cluster.ca_file = own->files().ca();
    kubeconfig_user user;
    user.token_file = own->token_file();
    trust level = override_cluster(cluster, with, trust::trusted);
    resolver reader(env);
    if (auto failed = reader.take_cluster({origin, level}, name, cluster)) return *failed;
    level = override_user(user, with, trust::trusted);
    if (auto failed = reader.take_user({origin, level}, name, user)) return *failed;
    const std::string& ns = with.default_namespace();
    return reader.finish(ns.empty() ? own->default_namespace() : ns);
}

// Whether what is said can only be meant for a kubeconfig.
inline bool wants_file(const kubeconfig_overrides& with) {
    return !with.context().empty() || !with.cluster().empty() || !with.user().empty() || !with.server().empty();
}

}  // namespace detail

KCONTROL_DECL result<kubeconfig> default_kubeconfig(environment& env) {
    return kubeconfig::load_list(env, detail::default_kubeconfig_paths(env), trust::trusted);
}

// Source: client-go, DeferredLoadingClientConfig; controller-runtime pkg/client/config, loadConfig.
KCONTROL_DECL result<cluster_config> find_config(environment& env, const config_search& how) {
    if (!how.file().empty()) {
        const auto file = kubeconfig::load(env, how.file(), trust::trusted);
        if (!file) return file.error();
        return detail::resolve_found(env, *file, how);
    }
    const bool wants_file = detail::wants_file(how.overrides());
    const bool named = !env.variable("KUBECONFIG").value_or("").empty();
    const bool pod_first = how.order() == search_order::controller && !named;
    const bool may_be_own = !wants_file && detail::in_pod(env);
    if (pod_first && may_be_own) return detail::resolve_own(env, how.overrides());
    const auto found = default_kubeconfig(env);
    if (!found) return found.error();
    if (!found->empty() || !how.overrides().server().empty()) return detail::resolve_found(env, *found, how);
    if (may_be_own) return detail::resolve_own(env, how.overrides());
    const std::string paths = detail::default_kubeconfig_paths(env);
    return error(errc::invalid_config,
                 "no cluster to talk to: use --kubeconfig FILE, or set KUBECONFIG" +
                     (paths.empty() ? "" : "; there is no kubeconfig at " + escape_control(paths)));
}

}  // namespace kcontrol::auth
