// Certificates made on the spot, for tests, demonstrations and endpoints that come without their own.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// The contents of a certificate. By default it is valid from `now` - 1 h to `now` + 24 h.
class certificate_options {
public:
    /// The most characters that common_name() and each organization() may have: more is an error where the certificate
    /// is made.
    static constexpr std::size_t max_name = 64;

    /// For a server called "kcontrol", without alternative names.
    explicit certificate_options(wall_time now)
        : not_before_(now - std::chrono::hours(1)), not_after_(now + std::chrono::hours(24)) {}

    /// Subject common name: the user name of a client certificate. Empty: none.
    certificate_options& common_name(std::string name) { return common_name_ = std::move(name), *this; }
    /// Subject organization, repeatable: the groups of a client certificate.
    certificate_options& organization(std::string name) { return organizations_.push_back(std::move(name)), *this; }
    /// Subject alternative names, repeatable.
    certificate_options& dns(std::string name) { return dns_.push_back(std::move(name)), *this; }
    /// An IPv4 or IPv6 address without brackets, repeatable.
    certificate_options& ip(std::string address) { return ips_.push_back(std::move(address)), *this; }
    /// From when on it is valid, cut to whole seconds.
    certificate_options& not_before(wall_time t) { return not_before_ = t, *this; }
    /// Until when it is valid, cut to whole seconds.
    certificate_options& not_after(wall_time t) { return not_after_ = t, *this; }
    /// For a client's side of TLS instead of a server's.
    certificate_options& for_client(bool on = true) { return for_client_ = on, *this; }

    const std::string& common_name() const noexcept { return common_name_; }
    /// All that organization() was given, in that order.
    const std::vector<std::string>& organizations() const noexcept { return organizations_; }
    const std::vector<std::string>& dns() const noexcept { return dns_; }
    /// All that ip() was given, in that order.
    const std::vector<std::string>& ips() const noexcept { return ips_; }
    wall_time not_before() const noexcept { return not_before_; }
    wall_time not_after() const noexcept { return not_after_; }
    bool for_client() const noexcept { return for_client_; }

private:
    std::string common_name_ = "kcontrol";
    std::vector<std::string> organizations_;
    std::vector<std::string> dns_;
    std::vector<std::string> ips_;
    wall_time not_before_;
    wall_time not_after_;
    bool for_client_ = false;
};

/// A certificate and its key, as PEM text.
class key_and_certificate {
public:
    key_and_certificate() = default;
    /// Nothing is checked, not even whether the two fit.
    key_and_certificate(std::string cert, secret_string key) : cert_pem(std::move(cert)), key_pem(std::move(key)) {}

    std::string cert_pem;   ///< this one alone, without the authority's
    secret_string key_pem;  ///< its private key, not encrypted
};

/// A certificate authority with an EC P-256 key of its own.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class certificate_authority {
public:
    /// A fresh authority. Keys and serial numbers come from OpenSSL's generator. Errors: those of issue().
    KCONTROL_DECL static result<certificate_authority> create(const certificate_options& options);

    /// An authority that create() made before, of its certificate and key. Errors: invalid_config, where these are no
    /// such pair.
    KCONTROL_DECL static result<certificate_authority> load(key_and_certificate own);

    /// The authority's own certificate.
    const std::string& cert_pem() const noexcept { return own_.cert_pem; }
    /// Its key: who has it can issue certificates in the authority's name.
    const secret_string& key_pem() const noexcept { return own_.key_pem; }

    /// A certificate with a fresh EC P-256 key, signed by this authority. Errors: invalid_argument for an address that
    /// is not an IP address, a name that is no DNS name, and a common name or an organization that is too long;
    /// tls_failed if OpenSSL can't make it.
    KCONTROL_DECL result<key_and_certificate> issue(const certificate_options& options) const;

private:
    key_and_certificate own_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/self_signed.ipp>
#endif
