// What the command line says about who may read.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/transport/listen_address.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace guarded_serving {

class access_options {
public:
    access_options() = default;

    /// PEM chain; with tls_key_file() the server speaks TLS.
    access_options& tls_cert_file(std::string f) { return tls_cert_file_ = std::move(f), *this; }
    /// PEM.
    access_options& tls_key_file(std::string f) { return tls_key_file_ = std::move(f), *this; }
    /// PEM; a client certificate signed by one of these opens.
    access_options& client_ca_file(std::string f) { return client_ca_file_ = std::move(f), *this; }
    /// One bearer token a line.
    access_options& token_file(std::string f) { return token_file_ = std::move(f), *this; }
    access_options& trusted_origins(std::vector<std::string> o) { return trusted_origins_ = std::move(o), *this; }
    /// Serve beyond loopback without any of these.
    access_options& insecure_listen(bool yes) { return insecure_listen_ = yes, *this; }

    const std::string& tls_cert_file() const noexcept { return tls_cert_file_; }
    const std::string& tls_key_file() const noexcept { return tls_key_file_; }
    const std::string& client_ca_file() const noexcept { return client_ca_file_; }
    const std::string& token_file() const noexcept { return token_file_; }
    const std::vector<std::string>& trusted_origins() const noexcept { return trusted_origins_; }
    bool insecure_listen() const noexcept { return insecure_listen_; }

    /// Adds one as the command line has it. Errors: invalid_argument with what it should look like.
    kcontrol::result<void> trust_origin(std::string_view text);
    /// Takes those of a list with commas in the place of what is there. Errors: as of trust_origin(), naming the one.
    kcontrol::result<void> trust_origins(std::string_view list);

    bool tls() const noexcept { return !tls_cert_file_.empty(); }
    bool login() const noexcept { return !token_file_.empty() || !client_ca_file_.empty(); }

    friend bool operator==(const access_options&, const access_options&) = default;

private:
    std::string tls_cert_file_;
    std::string tls_key_file_;
    std::string client_ca_file_;
    std::string token_file_;
    std::vector<std::string> trusted_origins_;
    bool insecure_listen_ = false;
};

/// For a program's table of flags: sets that file in its options' access().
template <access_options& (access_options::*Set)(std::string), class Options>
kcontrol::result<void> set_access_file(Options& o, std::string_view value) {
    auto access = o.access();
    (access.*Set)(std::string(value));
    o.access(std::move(access));
    return {};
}

/// Whether the flags go together. Errors: invalid_argument naming those that are missing.
kcontrol::result<void> check_files(const access_options& o);

/// The same, and beyond loopback nobody reads who has not shown that he may: it takes TLS and a login, or
/// --insecure-listen. Errors: invalid_argument with the flags that help.
kcontrol::result<void> check_listen(const kcontrol::http::listen_address& at, const access_options& o);

}  // namespace guarded_serving
