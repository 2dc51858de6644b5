// How to reach one cluster and as whom: what a kubeconfig's context or a pod's service account comes down to.
#pragma once

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/http/transport.hpp>

#include <string>

namespace kcontrol::auth {

/// Server, trust and identity. Holds credentials: never print it whole.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cluster_config {
public:
    http::endpoint server;
    std::string base_path;  ///< path prefix of the server URL without trailing '/', usually empty
    http::tls_options tls;
    secret_string token;            ///< static bearer token, or empty
    std::string token_file;         ///< file to read a bearer token from, again and again, or empty
    std::string default_namespace;  ///< the context's namespace, or empty

    /// "https://host:port/base" for people.
    KCONTROL_DECL std::string server_url() const;

    /// Equal configs reach the same server in the same way as the same user: no rebuild is needed. It does not
    /// depend on the layout of the file they came from.
    friend bool operator==(const cluster_config&, const cluster_config&) = default;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/cluster_config.ipp>
#endif
