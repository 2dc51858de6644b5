// Where a program finds its cluster: kubectl's rules, and those of controllers.
#pragma once

#include <kcontrol/auth/kubeconfig.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::auth {

/// Which comes first where nothing is named: kubectl looks at ~/.kube/config before the pod's own service account,
/// controllers (controller-runtime) after it. $KUBECONFIG comes before both.
enum class search_order { kubectl, controller };

/// What is said about the cluster, on a command line for one.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class config_search {
public:
    config_search() = default;

    /// A file that must be there; nothing else is looked at then. Empty: none named.
    config_search& file(std::string path) { return file_ = std::move(path), *this; }
    /// What counts instead of what the kubeconfig says, or the pod's own account. A context, a cluster, a user and a
    /// server are a kubeconfig's: where one of them is named, the pod's own account is not looked at.
    config_search& overrides(kubeconfig_overrides with) { return overrides_ = std::move(with), *this; }
    config_search& order(search_order o) { return order_ = o, *this; }  ///< where no file is named; default: kubectl

    const std::string& file() const noexcept { return file_; }
    const kubeconfig_overrides& overrides() const noexcept { return overrides_; }
    search_order order() const noexcept { return order_; }

private:
    std::string file_;
    kubeconfig_overrides overrides_;
    search_order order_ = search_order::kubectl;
};

/// The kubeconfig of the person who runs this: the files of $KUBECONFIG merged, or where it is not set, ~/.kube/config.
/// It is empty() where there is none. Errors: those of kubeconfig::load_list().
KCONTROL_DECL result<kubeconfig> default_kubeconfig(environment& env);

/// The cluster: of the given file, of default_kubeconfig(), or the pod's own, where KUBERNETES_SERVICE_HOST and
/// KUBERNETES_SERVICE_PORT are both there. The namespace is the override's, the context's, or the pod's own; empty if
/// there is none.
/// Errors: those of kubeconfig and in_cluster_config; invalid_config if there is nothing to look at.
KCONTROL_DECL result<cluster_config> find_config(environment& env, const config_search& how = {});

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/find_config.ipp>
#endif
