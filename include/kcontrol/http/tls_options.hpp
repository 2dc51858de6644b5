// Whom a client trusts, and who it says it is.
#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// TLS settings of a client, as PEM text. The peer is verified unless insecure() says otherwise.
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

    /// Takes any certificate: whoever sits between can read and change everything. For a person's own cluster only;
    /// with authorities it is refused.
    tls_options& insecure(bool on) { return insecure_ = on, *this; }

    const std::string& ca_pem() const noexcept { return ca_pem_; }
    const std::string& client_cert_pem() const noexcept { return client_cert_pem_; }  ///< the chain; empty: none
    const secret_string& client_key_pem() const noexcept { return client_key_pem_; }  ///< empty: no certificate
    const std::string& server_name() const noexcept { return server_name_; }
    bool insecure() const noexcept { return insecure_; }

    friend bool operator==(const tls_options&, const tls_options&) = default;

private:
    std::string ca_pem_;
    std::string client_cert_pem_;
    secret_string client_key_pem_;
    std::string server_name_;
    bool insecure_ = false;
};

}  // namespace kcontrol::http
