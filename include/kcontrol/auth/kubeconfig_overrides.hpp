// What somebody says beside a kubeconfig: which context, and what shall be otherwise than it stands there.
#pragma once

#include <kcontrol/auth/impersonation.hpp>
#include <kcontrol/base/secret_string.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::auth {

/// kubectl's flags of the same names. What is not set stays as the file has it, or the pod's own account; whoever sets
/// something here is trusted.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class kubeconfig_overrides {
public:
    kubeconfig_overrides() = default;

    /// By its name in the file. Empty: the current one.
    kubeconfig_overrides& context(std::string name) { return context_ = std::move(name), *this; }
    /// Another cluster than the context's, by its name in the file.
    kubeconfig_overrides& cluster(std::string name) { return cluster_ = std::move(name), *this; }
    /// Another user than the context's, by its name in the file.
    kubeconfig_overrides& user(std::string name) { return user_ = std::move(name), *this; }
    /// Instead of the context's; see cluster_config::default_namespace().
    kubeconfig_overrides& default_namespace(std::string name) { return namespace_ = std::move(name), *this; }
    /// Another address. A tls-server-name of the file is for the address there, and does not count then.
    kubeconfig_overrides& server(std::string url) { return server_ = std::move(url), *this; }
    /// The name to verify and to send as SNI, instead of the file's.
    kubeconfig_overrides& tls_server_name(std::string name) { return tls_server_name_ = std::move(name), *this; }
    /// True takes the place of the authorities in the file.
    kubeconfig_overrides& insecure_skip_tls_verify(bool on) { return insecure_ = on, *this; }
    /// As http::parse_proxy_url() reads it; goes before the file's and the environment's.
    kubeconfig_overrides& proxy_url(secret_string url) { return proxy_url_ = std::move(url), *this; }
    /// Takes the place of every way to log in that the file has.
    kubeconfig_overrides& token(secret_string text) { return token_ = std::move(text), *this; }
    /// Takes the place of all of as, as-uid, as-groups and as-user-extra.
    kubeconfig_overrides& impersonate(impersonation who) { return impersonate_ = std::move(who), *this; }

    const std::string& context() const noexcept { return context_; }
    const std::string& cluster() const noexcept { return cluster_; }
    const std::string& user() const noexcept { return user_; }
    const std::string& default_namespace() const noexcept { return namespace_; }
    const std::string& server() const noexcept { return server_; }
    const std::string& tls_server_name() const noexcept { return tls_server_name_; }
    const std::optional<bool>& insecure_skip_tls_verify() const noexcept { return insecure_; }
    const secret_string& proxy_url() const noexcept { return proxy_url_; }
    const secret_string& token() const noexcept { return token_; }
    const std::optional<impersonation>& impersonate() const noexcept { return impersonate_; }

private:
    std::string context_;
    std::string cluster_;
    std::string user_;
    std::string namespace_;
    std::string server_;
    std::string tls_server_name_;
    std::optional<bool> insecure_;
    secret_string proxy_url_;
    secret_string token_;
    std::optional<impersonation> impersonate_;
};

}  // namespace kcontrol::auth
