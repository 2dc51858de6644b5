// Where a server is, and through which proxy it is reached.
#pragma once

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/config.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// A proxy, or none. It may hold a password: never print it whole.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class proxy {
public:
    proxy() = default;
    /// Scheme, host and port; without a login.
    proxy(std::string s, std::string h, std::uint16_t p) : scheme_(std::move(s)), host_(std::move(h)), port_(p) {}

    /// Whom to log in as there.
    proxy& login(std::string user, secret_string password) {
        return user_ = std::move(user), password_ = std::move(password), *this;
    }

    bool empty() const noexcept { return host_.empty(); }
    /// "http" and "https" are asked with CONNECT, "socks5" as RFC 1928 has it; each of them looks the server's name up.
    const std::string& scheme() const noexcept { return scheme_; }
    const std::string& host() const noexcept { return host_; }  ///< an IPv6 address without brackets
    std::uint16_t port() const noexcept { return port_; }       ///< 0 where there is no proxy
    const std::string& user() const noexcept { return user_; }  ///< of login(), not percent-encoded; empty: none
    const secret_string& password() const noexcept { return password_; }  ///< of login(), not percent-encoded
    /// Whether there is a user or a password to send.
    bool has_login() const noexcept { return !user_.empty() || !password_.empty(); }

    /// "scheme://host:port" for messages: without the login.
    std::string text() const {
        const std::string host = host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]";
        return scheme_ + "://" + host + ":" + std::to_string(port_);
    }

    friend bool operator==(const proxy&, const proxy&) = default;

private:
    std::string scheme_;
    std::string host_;
    std::uint16_t port_ = 0;
    std::string user_;
    secret_string password_;
};

/// Where a server is: scheme, host and port. The path of a base URL is part of the targets.
class endpoint {
public:
    endpoint() = default;
    /// Scheme, host and port; without a proxy.
    endpoint(std::string s, std::string h, std::uint16_t p) : scheme(std::move(s)), host(std::move(h)), port(p) {}

    std::string scheme = "https";  ///< "https" or "http"
    std::string host;              ///< name or IP address, an IPv6 one without brackets
    std::uint16_t port = 443;      ///< 443 unless said, whatever the scheme
    proxy via;                     ///< through what it is reached; empty: directly

    friend bool operator==(const endpoint&, const endpoint&) = default;
};

}  // namespace kcontrol::http
