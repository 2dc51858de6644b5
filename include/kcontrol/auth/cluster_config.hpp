// How to reach one cluster and as whom: made from a kubeconfig's context or a pod's service account.
#pragma once

#include <kcontrol/auth/credential_provider.hpp>
#include <kcontrol/auth/exec_command.hpp>
#include <kcontrol/auth/impersonation.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/config.hpp>
#include <kcontrol/http/transport.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::auth {

/// The files that parts of a tls_options were read from, to read them again. Empty: none.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class tls_files {
public:
    tls_files() = default;

    /// That of tls_options::ca_pem().
    tls_files& ca(std::string path) { return ca_ = std::move(path), *this; }
    /// That of the client's chain. Without one, the chain stays as it is.
    tls_files& certificate(std::string path) { return certificate_ = std::move(path), *this; }
    /// That of the client's key. Without one, the key stays as it is.
    tls_files& key(std::string path) { return key_ = std::move(path), *this; }

    const std::string& ca() const noexcept { return ca_; }
    const std::string& certificate() const noexcept { return certificate_; }
    const std::string& key() const noexcept { return key_; }
    bool empty() const noexcept { return ca_.empty() && certificate_.empty() && key_.empty(); }

    friend bool operator==(const tls_files&, const tls_files&) = default;

private:
    std::string ca_;
    std::string certificate_;
    std::string key_;
};

/// Server, trust and identity. Holds credentials: never print it whole.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cluster_config {
public:
    cluster_config() = default;
    explicit cluster_config(http::endpoint at) : server_(std::move(at)) {}  ///< no login; trusts the system's roots

    /// Scheme, host, port and proxy; the URL's path is base_path().
    cluster_config& server(http::endpoint at) { return server_ = std::move(at), *this; }
    /// The path prefix of the server's URL without a trailing '/'; usually empty.
    cluster_config& base_path(std::string path) { return base_path_ = std::move(path), *this; }
    /// Whom to trust, which name to verify and which client certificate to show.
    cluster_config& tls(http::tls_options options) { return tls_ = std::move(options), *this; }
    /// A fixed bearer token. Empty: none.
    cluster_config& token(secret_string text) { return token_ = std::move(text), *this; }
    /// The file to read a bearer token from, again and again. Empty: none. token() is sent until it could
    /// be read.
    cluster_config& token_file(std::string path) { return token_file_ = std::move(path), *this; }
    /// The files behind tls(), which are read again every five minutes and after a 401. What changed counts for
    /// connections from then on, and watches move to such a one.
    cluster_config& files(tls_files paths) { return files_ = std::move(paths), *this; }
    /// A user and a password (basic authentication), where there is no token.
    cluster_config& basic(std::string user, secret_string password) {
        return user_ = std::move(user), password_ = std::move(password), *this;
    }
    /// The program that gives a token or a client certificate.
    cluster_config& exec(std::optional<exec_command> command) { return exec_ = std::move(command), *this; }
    /// The same as an object of the program. Configurations with different objects are not equal.
    cluster_config& credentials_from(std::shared_ptr<credential_provider> provider) {
        return provider_ = std::move(provider), *this;
    }
    /// As whom requests are made. Default: as who logs in.
    cluster_config& impersonate(impersonation who) { return impersonate_ = std::move(who), *this; }
    /// No answer shall be compressed. Else the server may do so (gzip), which it does where an answer is large.
    cluster_config& disable_compression(bool on) { return disable_compression_ = on, *this; }
    /// The context's namespace, or the pod's. Empty: neither names one; client::default_namespace() is "default" then.
    cluster_config& default_namespace(std::string name) { return default_namespace_ = std::move(name), *this; }

    const http::endpoint& server() const noexcept { return server_; }
    const std::string& base_path() const noexcept { return base_path_; }
    const http::tls_options& tls() const noexcept { return tls_; }
    const secret_string& token() const noexcept { return token_; }
    const std::string& token_file() const noexcept { return token_file_; }
    const tls_files& files() const noexcept { return files_; }
    const std::string& basic_user() const noexcept { return user_; }            ///< of basic(); empty: none
    const secret_string& basic_password() const noexcept { return password_; }  ///< counts without a user, too
    const std::optional<exec_command>& exec() const noexcept { return exec_; }
    const std::shared_ptr<credential_provider>& credentials_from() const noexcept { return provider_; }
    const impersonation& impersonate() const noexcept { return impersonate_; }
    bool disable_compression() const noexcept { return disable_compression_; }
    const std::string& default_namespace() const noexcept { return default_namespace_; }
    /// True if it says who is asking, in whatever way.
    KCONTROL_DECL bool has_login() const noexcept;

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
    tls_files files_;
    std::string user_;
    secret_string password_;
    std::optional<exec_command> exec_;
    std::shared_ptr<credential_provider> provider_;
    impersonation impersonate_;
    bool disable_compression_ = false;
    std::string default_namespace_;
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/cluster_config.ipp>
#endif
