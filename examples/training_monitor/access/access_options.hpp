// What the command line says about who may read.
#pragma once

#include <string>
#include <vector>

namespace training_monitor {

struct access_options {
    std::string tls_cert_file;   ///< PEM chain; with tls_key_file the server speaks TLS
    std::string tls_key_file;    ///< PEM
    std::string client_ca_file;  ///< PEM; a client certificate signed by one of these opens
    std::string token_file;      ///< one bearer token a line
    std::vector<std::string> trusted_origins;
    bool insecure_listen = false;  ///< serve beyond loopback without any of these

    bool tls() const noexcept { return !tls_cert_file.empty(); }
    bool login() const noexcept { return !token_file.empty() || !client_ca_file.empty(); }
};

}  // namespace training_monitor
