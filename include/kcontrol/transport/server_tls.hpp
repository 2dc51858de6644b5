// TLS settings of a server.
#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// TLS settings of a server, as PEM text.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class server_tls {
public:
    server_tls() = default;
    /// The server's chain and its key.
    server_tls(std::string chain_pem, secret_string key_pem)
        : cert_pem_(std::move(chain_pem)), key_pem_(std::move(key_pem)) {}

    /// Verifies client certificates against these authorities. Empty: asks for no certificate.
    server_tls& client_ca_pem(std::string pem) { return client_ca_pem_ = std::move(pem), *this; }
    /// With client_ca_pem: refuses clients without a certificate.
    server_tls& require_client_certificate(bool on) { return require_client_certificate_ = on, *this; }

    const std::string& cert_pem() const noexcept { return cert_pem_; }  ///< the chain; empty: none
    const secret_string& key_pem() const noexcept { return key_pem_; }  ///< of the first certificate in it
    const std::string& client_ca_pem() const noexcept { return client_ca_pem_; }
    bool require_client_certificate() const noexcept { return require_client_certificate_; }

    friend bool operator==(const server_tls&, const server_tls&) = default;

private:
    std::string cert_pem_;
    secret_string key_pem_;
    std::string client_ca_pem_;
    bool require_client_certificate_ = false;
};

}  // namespace kcontrol::http
