// Whom a client trusts, and who it says it is.
#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <string>
#include <utility>

namespace kcontrol::http {

/// TLS settings of a client, as PEM text. Verification of the peer can't be turned off.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class tls_options {
public:
    tls_options() = default;

    /// Trusts exactly these authorities. Empty: the system's roots.
    tls_options& ca_pem(std::string pem) { return ca_pem_ = std::move(pem), *this; }
    /// The client's chain and its key. Empty: no client certificate.
    tls_options& client_certificate(std::string chain_pem, secret_string key_pem) {
        return client_cert_pem_ = std::move(chain_pem), client_key_pem_ = std::move(key_pem), *this;
    }
    /// The name to verify and to send as SNI. Empty: the endpoint's host.
    tls_options& server_name(std::string name) { return server_name_ = std::move(name), *this; }

    const std::string& ca_pem() const noexcept { return ca_pem_; }
    const std::string& client_cert_pem() const noexcept { return client_cert_pem_; }
    const secret_string& client_key_pem() const noexcept { return client_key_pem_; }
    const std::string& server_name() const noexcept { return server_name_; }

    friend bool operator==(const tls_options&, const tls_options&) = default;

private:
    std::string ca_pem_;
    std::string client_cert_pem_;
    secret_string client_key_pem_;
    std::string server_name_;
};

}  // namespace kcontrol::http
