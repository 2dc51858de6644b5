// TLS contexts made from PEM text, in this one place, and messages for OpenSSL's failures.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// An SSL_CTX for one side, TLS 1.2 or newer. Connections share it.
/// Thread-safety: shared objects safe once made.
class tls_context {
public:
    /// The server is verified against `ca_pem` only, or the system's roots if it is empty, unless the options say that
    /// it is not to be.
    KCONTROL_DECL static result<std::shared_ptr<tls_context>> for_client(const tls_options& options);
    /// For a proxy, which is verified always: against the system's roots and `ca_pem`. It gets no client certificate.
    KCONTROL_DECL static result<std::shared_ptr<tls_context>> for_proxy(const std::string& ca_pem);
    KCONTROL_DECL static result<std::shared_ptr<tls_context>> for_server(const server_tls& options);

    explicit tls_context(SSL_CTX* adopted) : context_(adopted) {}
    boost::asio::ssl::context& native() noexcept { return context_; }

private:
    boost::asio::ssl::context context_;
};

/// Makes `tls` verify that the peer is `name`: a DNS name, also sent as SNI, or an IP address, which never is.
KCONTROL_DECL result<void> expect_peer(SSL* tls, const std::string& name);

/// Before the handshake: the server may choose between HTTP/2 and HTTP/1.1 (ALPN, RFC 7301). After it: what it chose.
KCONTROL_DECL void offer_http2(SSL* tls) noexcept;
KCONTROL_DECL bool chose_http2(SSL* tls) noexcept;

/// Why a handshake failed, with the remedy. `tls` may be null. `peer_name` is what was expected.
KCONTROL_DECL error handshake_error(SSL* tls, const error_code& failure, const std::string& peer_name);

/// True for errors that TLS itself raised, an alert of the peer for one.
KCONTROL_DECL bool is_tls_error(const error_code& failure) noexcept;

/// What an error of a connection says, also where it is an alert that OpenSSL's errors have no words for.
KCONTROL_DECL std::string tls_failure_text(const error_code& failure);

/// True for the alerts with which a server refuses a client's certificate, or that there is none.
KCONTROL_DECL bool is_refusal(const error_code& failure) noexcept;

/// True where the peer closed TCP without ending TLS: what arrived before may have been cut short.
KCONTROL_DECL bool is_unclean_end(const error_code& failure) noexcept;

/// The common name of the peer's verified certificate, or empty.
KCONTROL_DECL std::string peer_common_name(SSL* tls);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/tls_context.ipp>
#endif
