// How to reach one cluster and as whom: made from a kubeconfig's context or a pod's service account.
#pragma once

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/http/transport.hpp>

#include <string>
#include <utility>

namespace kcontrol::auth {

/// Server, trust and identity. Holds credentials: never print it whole.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cluster_config {
public:
    cluster_config() = default;
    explicit cluster_config(http::endpoint at) : server_(std::move(at)) {}

    cluster_config& server(http::endpoint at) { return server_ = std::move(at), *this; }
    /// The path prefix of the server's URL without a trailing '/'; usually empty.
    cluster_config& base_path(std::string path) { return base_path_ = std::move(path), *this; }
    cluster_config& tls(http::tls_options options) { return tls_ = std::move(options), *this; }
    /// A fixed bearer token. Empty: none.
    cluster_config& token(secret_string text) { return token_ = std::move(text), *this; }
    /// The file to read a bearer token from, again and again. Empty: none. token() is sent until it could
    /// be read.
    cluster_config& token_file(std::string path) { return token_file_ = std::move(path), *this; }
    /// The context's namespace. Empty: it names none.
    cluster_config& default_namespace(std::string name) { return default_namespace_ = std::move(name), *this; }

    const http::endpoint& server() const noexcept { return server_; }
    const std::string& base_path() const noexcept { return base_path_; }
    const http::tls_options& tls() const noexcept { return tls_; }
    const secret_string& token() const noexcept { return token_; }
    const std::string& token_file() const noexcept { return token_file_; }
    const std::string& default_namespace() const noexcept { return default_namespace_; }

    /// "https://host:port/base" for people.
    KCONTROL_DECL std::string server_url() const;

    /// Equal configs reach the same server in the same way as the same user: no rebuild is needed. It does not
    /// depend on the layout of the file they came from.
    friend bool operator==(const cluster_config&, const cluster_config&) = default;

private:
    http::endpoint server_;
    std::string base_path_;
    http::tls_options tls_;
    secret_string token_;
    std::string token_file_;
    std::string default_namespace_;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/cluster_config.ipp>
#endif
