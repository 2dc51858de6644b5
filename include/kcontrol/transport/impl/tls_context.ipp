#pragma once

#include <kcontrol/transport/impl/tls_context.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

struct openssl_deleter {
    void operator()(BIO* p) const noexcept { BIO_free(p); }
    void operator()(X509* p) const noexcept { X509_free(p); }
    void operator()(EVP_PKEY* p) const noexcept { EVP_PKEY_free(p); }
    void operator()(SSL_CTX* p) const noexcept { SSL_CTX_free(p); }
};
template <class T>
using openssl_ptr = std::unique_ptr<T, openssl_deleter>;

inline openssl_ptr<BIO> memory_bio(std::string_view text) {
    return openssl_ptr<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL's words for what it just refused; they never quote key material.
inline std::string take_openssl_reason() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* reason = code ? ERR_reason_error_string(code) : nullptr;
    return reason ? reason : "unknown reason";
}

inline error unusable_pem(const std::string& what, const std::string& why, const std::string& remedy) {
    return error(errc::invalid_config, "the " + what + " can't be used: " + why + "; " + remedy);
}

// Every certificate of a PEM text, in order.
inline result<std::vector<openssl_ptr<X509>>> read_certificates(const std::string& pem, const std::string& what) {
    ERR_clear_error();
    const auto source = memory_bio(pem);
    std::vector<openssl_ptr<X509>> found;
    while (X509* one = PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)) found.emplace_back(one);
    const auto end = ERR_peek_last_error();
    const bool clean = ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
    if (found.empty() || !clean) {
        const std::string why =
            clean ? "it holds no PEM certificate" : "its PEM is broken (" + take_openssl_reason() + ")";
        ERR_clear_error();
        return unusable_pem(what, why, "give PEM text with -----BEGIN CERTIFICATE----- blocks");
    }
    ERR_clear_error();
    return found;
}

// Never asks a terminal for a passphrase.
inline int refuse_passphrase(char*, int, int, void* asked) {
    *static_cast<bool*>(asked) = true;
    return 0;
}

inline result<void> use_identity(SSL_CTX* context, const std::string& cert_pem, const secret_string& key_pem,
                                 const std::string& whose) {
    const std::string certificate = whose + " certificate";
    const std::string key_name = whose + " key";
    if (key_pem.empty())
        return unusable_pem(certificate, "its key is missing", "give the " + key_name + " as PEM, too");
    if (cert_pem.empty())
        return unusable_pem(key_name, "its certificate is missing", "give the " + certificate + " as PEM, too");
    auto chain = read_certificates(cert_pem, certificate);
    if (!chain) return chain.error();
    if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
        return unusable_pem(certificate, take_openssl_reason(), "give another PEM certificate");
    }
    for (std::size_t i = 1; i < chain->size(); ++i) SSL_CTX_add1_chain_cert(context, (*chain)[i].get());

    bool encrypted = false;
    const auto source = memory_bio(key_pem.reveal());
    const openssl_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(source.get(), nullptr, &refuse_passphrase, &encrypted));
    if (encrypted) return unusable_pem(key_name, "it is encrypted", "give it as PEM without a passphrase");
    if (!key) {
        return unusable_pem(key_name, "its PEM is broken or not a private key (" + take_openssl_reason() + ")",
                            "give PEM text with a -----BEGIN PRIVATE KEY----- block");
    }
    if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
        return unusable_pem(key_name, "it does not belong to the " + certificate + " (" + take_openssl_reason() + ")",
                            "give the PEM key that the certificate was made for");
    }
    return {};
}

inline result<void> trust_only(SSL_CTX* context, const std::string& ca_pem, const std::string& what) {
    auto authorities = read_certificates(ca_pem, what);
    if (!authorities) return authorities.error();
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    for (const auto& one : *authorities) X509_STORE_add_cert(store, one.get());
    ERR_clear_error();  // of duplicates
    // As in Go: what is given is trusted as it is, be it an intermediate or the server's own certificate.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    return {};
}

inline openssl_ptr<SSL_CTX> new_context(const SSL_METHOD* method) {
    openssl_ptr<SSL_CTX> context(SSL_CTX_new(method));
    if (!context) return context;
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_security_level(context.get(), 2);  // no RSA below 2048 bits, no SHA-1 signatures
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    return context;
}

inline error no_context() { return error(errc::tls_failed, "OpenSSL can't make a context: " + take_openssl_reason()); }

KCONTROL_DECL result<std::shared_ptr<tls_context>> tls_context::for_client(const tls_options& options) {
    auto context = new_context(TLS_client_method());
    if (!context) return no_context();
    if (options.insecure() && !options.ca_pem().empty()) {
        return error(errc::invalid_config,
                     "a CA certificate is given, and certificates are not to be verified: leave one of the two out");
    }
    SSL_CTX_set_verify(context.get(), options.insecure() ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
    if (options.ca_pem().empty()) {
        SSL_CTX_set_default_verify_paths(context.get());
    } else if (const auto done = trust_only(context.get(), options.ca_pem(), "CA certificate"); !done) {
        return done.error();
    }
    if (!options.client_cert_pem().empty() || !options.client_key_pem().empty()) {
        const auto done = use_identity(context.get(), options.client_cert_pem(), options.client_key_pem(), "client");
        if (!done) return done.error();
    }
    return std::make_shared<tls_context>(context.release());
}

KCONTROL_DECL result<std::shared_ptr<tls_context>> tls_context::for_proxy(const std::string& ca_pem) {
    auto context = new_context(TLS_client_method());
    if (!context) return no_context();
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_default_verify_paths(context.get());
    if (!ca_pem.empty()) {
        if (const auto done = trust_only(context.get(), ca_pem, "CA certificate"); !done) return done.error();
    }
    return std::make_shared<tls_context>(context.release());
}

KCONTROL_DECL result<std::shared_ptr<tls_context>> tls_context::for_server(const server_tls& options) {
    auto context = new_context(TLS_server_method());
    if (!context) return no_context();
    const auto done = use_identity(context.get(), options.cert_pem(), options.key_pem(), "server");
    if (!done) return done.error();
    // No resumption: it buys little here, and with client certificates it needs a session id context.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context.get(), 0);
    if (!options.client_ca_pem().empty()) {
        const auto trusted = trust_only(context.get(), options.client_ca_pem(), "client CA certificate");
        if (!trusted) return trusted.error();
        const int must = options.require_client_certificate() ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | must, nullptr);
    }
    return std::make_shared<tls_context>(context.release());
}

KCONTROL_DECL result<void> expect_peer(SSL* tls, const std::string& name) {
    X509_VERIFY_PARAM* expected = SSL_get0_param(tls);
    X509_VERIFY_PARAM_set_hostflags(expected,
                                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    error_code not_an_address;
    boost::asio::ip::make_address(name, not_an_address);
    const bool ok = not_an_address ? X509_VERIFY_PARAM_set1_host(expected, name.c_str(), name.size()) == 1 &&
                                         SSL_set_tlsext_host_name(tls, name.c_str()) == 1
                                   : X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) == 1;
    if (ok) return {};
    ERR_clear_error();
    return error(errc::invalid_config, "\"" + name + "\" can't be the name of a TLS server; check the host");
}

KCONTROL_DECL void offer_http2(SSL* tls) noexcept {
    static constexpr unsigned char offer[] = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    SSL_set_alpn_protos(tls, offer, sizeof offer);
}

KCONTROL_DECL bool chose_http2(SSL* tls) noexcept {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls, &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
}

inline std::string verify_remedy(long verdict, const std::string& name) {
    switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "renew the server's certificate, or set this machine's clock right";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "set the clocks of the server and of this machine right";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return "the certificate is not made out to \"" + name +
               "\": use a name it holds, or set tls-server-name to one";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        return "give the certificate of the authority that signed it as certificate-authority-data";
    default: return "the server needs a certificate that TLS clients accept";
    }
}

// OpenSSL's errors have no words for alerts that are newer than it (3.0.13: none for 120, RFC 7301).
KCONTROL_DECL std::string tls_failure_text(const error_code& failure) {
    if (!is_tls_error(failure)) return failure.message();
    const auto code = static_cast<unsigned long>(failure.value());
    const int alert = ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET;
    if (alert < 0 || alert > 255 || ERR_reason_error_string(code)) return failure.message();
    return "TLS alert " + std::to_string(alert) + " (" + SSL_alert_desc_string_long(alert) + ")";
}

KCONTROL_DECL error handshake_error(SSL* tls, const error_code& failure, const std::string& peer_name) {
    const long verdict = tls ? SSL_get_verify_result(tls) : X509_V_OK;
    const bool verified = tls && (SSL_get_verify_mode(tls) & SSL_VERIFY_PEER) != 0;
    if (verified && verdict != X509_V_OK) {
        return error(errc::tls_failed, std::string("the server's certificate is refused: ") +
                                           X509_verify_cert_error_string(verdict) + "; " +
                                           verify_remedy(verdict, peer_name));
    }
    if (is_tls_error(failure)) {
        const int reason = ERR_GET_REASON(static_cast<unsigned long>(failure.value()));
        std::string remedy;
        if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
            remedy = "; the peer does not speak TLS: check scheme and port";
        } else if (reason > SSL_AD_REASON_OFFSET) {  // an alert: the peer refused us
            remedy = "; the peer refused this side: check the client certificate and key";
        }
        return error(errc::tls_failed, "the TLS handshake failed: " + tls_failure_text(failure) + remedy);
    }
    return error(errc::connection_lost, "the peer closed the connection during the TLS handshake");
}

KCONTROL_DECL bool is_tls_error(const error_code& failure) noexcept {
    return failure.category() == boost::asio::error::get_ssl_category();
}

KCONTROL_DECL bool is_refusal(const error_code& failure) noexcept {
    if (!is_tls_error(failure)) return false;
    switch (ERR_GET_REASON(static_cast<unsigned long>(failure.value())) - SSL_AD_REASON_OFFSET) {
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_DECRYPT_ERROR:
    case SSL_AD_CERTIFICATE_REQUIRED: return true;
    default: return false;
    }
}

KCONTROL_DECL bool is_unclean_end(const error_code& failure) noexcept {
    return failure == boost::asio::ssl::error::stream_truncated;
}

KCONTROL_DECL std::string peer_common_name(SSL* tls) {
    const openssl_ptr<X509> certificate(SSL_get1_peer_certificate(tls));
    if (!certificate || SSL_get_verify_result(tls) != X509_V_OK) return {};
    X509_NAME* subject = X509_get_subject_name(certificate.get());
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at < 0) return {};
    unsigned char* text = nullptr;
    const int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (length < 0) return {};
    std::string name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
    OPENSSL_free(text);
    return name;
}

}  // namespace kcontrol::http::detail
