// TLS settings of a server.
#pragma once

#include <kcontrol/base/secret_string.hpp>

#include <string>
#include <utility>

namespace kcontrol::http {

/// TLS settings of a server, as PEM text.
class server_tls {
public:
    server_tls() = default;
    server_tls(std::string cert, secret_string key) : cert_pem(std::move(cert)), key_pem(std::move(key)) {}

    std::string cert_pem;                     ///< chain
    secret_string key_pem;                    ///< key of cert_pem
    std::string client_ca_pem;                ///< verify client certificates against these; empty: don't ask for one
    bool require_client_certificate = false;  ///< with client_ca_pem: refuse clients without a certificate
};

}  // namespace kcontrol::http
