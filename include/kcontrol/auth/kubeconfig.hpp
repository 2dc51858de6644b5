// kubeconfig: reading the file, or several as one, and choosing a context.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/auth/kubeconfig_overrides.hpp>
#include <kcontrol/auth/trust.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::auth {

/// A parsed kubeconfig. Certificate and token files it names are read when a context is resolved. docs/kubeconfig.md
/// lists every field, and what is done with it.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class kubeconfig {
public:
    /// The largest file that is read, in bytes.
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

    KCONTROL_DECL kubeconfig();  ///< of no file: empty()

    /// Parses YAML or JSON text. `origin` (a path) begins every message; relative paths in the file resolve
    /// against its directory.
    /// Errors: invalid_config naming origin, field and remedy; never a secret.
    static KCONTROL_DECL result<kubeconfig> parse(std::string_view text, std::string origin, trust level);

    /// Reads and parses a file.
    static KCONTROL_DECL result<kubeconfig> load(environment& env, const std::string& path, trust level);

    /// Several as one: of each context, cluster and user the first file that has its name counts, whole, and the
    /// current context is that of the first file that has one. Each entry keeps the directory and the trust of its own
    /// file. Source: k8s.io/client-go/tools/clientcmd, ClientConfigLoadingRules.
    static KCONTROL_DECL kubeconfig merge(const std::vector<kubeconfig>& files);

    /// Reads a list of paths with ':' between them, as $KUBECONFIG has it, and merges it: what is there twice counts
    /// once, what is not there or empty is passed over. Errors: those of load(). One without any file is empty().
    static KCONTROL_DECL result<kubeconfig> load_list(environment& env, std::string_view paths, trust level);

    /// True if there is no context, no cluster and no user in it.
    KCONTROL_DECL bool empty() const noexcept;

    const std::string& current_context() const noexcept { return current_context_; }  ///< empty: none is set
    KCONTROL_DECL std::vector<std::string> context_names() const;  ///< in the order of the files, each once

    /// The cluster and user of a context (empty: the current one), with files read.
    /// A user is optional: without one the cluster is reached anonymously. Where the file names no proxy, those of the
    /// environment variables count (http::proxy_rules), if it is trusted.
    /// Errors: invalid_config (no such context, cluster or user; bad base64; an http server with credentials beyond
    /// loopback; a field that is not supported, or that an untrusted file may not have), file_failed.
    KCONTROL_DECL result<cluster_config> resolve(environment& env, std::string_view context = {}) const;
    /// The same with what is to be otherwise. Without a context in `with` it is the current one.
    KCONTROL_DECL result<cluster_config> resolve(environment& env, const kubeconfig_overrides& with) const;

private:
    struct contents;
    std::shared_ptr<const contents> contents_;
    std::string current_context_;
};

/// The config of the pod's own service account: KUBERNETES_SERVICE_HOST/PORT and the mounted token and CA. Its
/// namespace is $POD_NAMESPACE, or else the mounted one. Errors: invalid_config if the process does not run in a
/// cluster, file_failed.
KCONTROL_DECL result<cluster_config> in_cluster_config(environment& env);

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/kubeconfig.ipp>
#include <kcontrol/auth/impl/kubeconfig_in_cluster.ipp>
#endif
