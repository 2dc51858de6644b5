// kubeconfig: reading the file and choosing a context.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::auth {

/// Where kubeconfig bytes come from. Untrusted ones (a Secret, a directory others can write to) may not name files,
/// commands, proxies or impersonation: an untrusted author must not be able to run code.
enum class trust { trusted, untrusted };

/// A parsed kubeconfig. Certificate and token files it names are read when a context is resolved.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class kubeconfig {
public:
    /// The largest file that is read, in bytes.
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

    /// Parses YAML or JSON text. `origin` (a path) begins every message; relative paths in the file resolve
    /// against its directory.
    /// Errors: invalid_config naming origin, field and remedy; never a secret.
    static KCONTROL_DECL result<kubeconfig> parse(std::string_view text, std::string origin, trust level);

    /// Reads and parses a file.
    static KCONTROL_DECL result<kubeconfig> load(environment& env, const std::string& path, trust level);

    const std::string& current_context() const noexcept { return current_context_; }
    KCONTROL_DECL std::vector<std::string> context_names() const;

    /// The cluster and user of a context (empty: the current one), with files read.
    /// A user is optional: without one the cluster is reached anonymously. insecure-skip-tls-verify is refused.
    /// Errors: invalid_config (no such context, cluster or user; bad base64; an http server with credentials beyond
    /// loopback; a feature that is not supported; a path in an untrusted file), file_failed.
    KCONTROL_DECL result<cluster_config> resolve(environment& env, std::string_view context = {}) const;

private:
    struct contents;
    std::shared_ptr<const contents> contents_;
    std::string current_context_;
};

/// The config of the pod's own service account: KUBERNETES_SERVICE_HOST/PORT and the mounted token and CA.
/// Errors: invalid_config if the process does not run in a cluster, file_failed.
KCONTROL_DECL result<cluster_config> in_cluster_config(environment& env);

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/in_cluster.ipp>
#include <kcontrol/auth/impl/kubeconfig.ipp>
#endif
