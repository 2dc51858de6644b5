// The real transport: HTTP/2 over TLS, HTTP/1.1 over TCP and TLS, with a pool of kept-alive connections.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/http/address_rules.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <cstddef>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// What bounds the connections of a transport. The defaults suit an API server.
class transport_options {
public:
    transport_options() = default;

    /// From the look-up of the host's name until one of its addresses is connected. Where there is a proxy, the name is
    /// the proxy's, and the way through it ends in this time, too. Default 10 s.
    transport_options& connect_timeout(duration d) { return connect_timeout_ = d, *this; }
    /// Of the TLS handshake; a proxy has as long to let through to the server, within connect_timeout(). Default 10 s.
    transport_options& handshake_timeout(duration d) { return handshake_timeout_ = d, *this; }
    /// How long an unused connection is kept. It is closed then if another exchange of its transport goes on, such as
    /// a watch, and else when the next one begins: unused connections keep no context running.
    transport_options& idle_timeout(duration d) { return idle_timeout_ = d, *this; }
    /// How many unused connections are kept for each server.
    transport_options& max_idle(std::size_t n) { return max_idle_ = n, *this; }
    /// Lets an Authorization header go to another machine over plain http. Off: such a request is refused.
    transport_options& allow_plaintext_credentials(bool on) { return allow_plaintext_credentials_ = on, *this; }
    /// Which addresses are connected to; invalid_argument where a host has no other one. Default: all.
    transport_options& addresses(address_rules rules) { return addresses_ = std::move(rules), *this; }

    /// Offers HTTP/2 in TLS (on unless said): one connection carries many requests and watches. Off: HTTP/1.1, a
    /// connection for each request that is going on. WebSockets have connections of their own, over HTTP/1.1, in either
    /// case.
    transport_options& http2(bool on) { return http2_ = on, *this; }
    /// After so long without a byte on a connection that speaks HTTP/2 and is in use, or on a WebSocket that somebody
    /// reads, the server is asked for a sign of life; if none comes in time, the connection is dead, and all that goes
    /// on over it ends. An `idle` of zero: never.
    transport_options& http2_ping(duration idle, duration timeout) {
        return http2_ping_idle_ = idle, http2_ping_timeout_ = timeout, *this;
    }

    duration connect_timeout() const noexcept { return connect_timeout_; }
    duration handshake_timeout() const noexcept { return handshake_timeout_; }
    duration idle_timeout() const noexcept { return idle_timeout_; }
    std::size_t max_idle() const noexcept { return max_idle_; }
    bool allow_plaintext_credentials() const noexcept { return allow_plaintext_credentials_; }
    const address_rules& addresses() const noexcept { return addresses_; }
    bool http2() const noexcept { return http2_; }
    /// Silence after which the server, also of a WebSocket, is asked for a sign of life. Default 30 s; zero: never.
    duration http2_ping_idle() const noexcept { return http2_ping_idle_; }
    /// How long it may take to give that. Default 15 s.
    duration http2_ping_timeout() const noexcept { return http2_ping_timeout_; }

private:
    duration connect_timeout_ = std::chrono::seconds(10);
    duration handshake_timeout_ = std::chrono::seconds(10);
    duration idle_timeout_ = std::chrono::seconds(90);
    std::size_t max_idle_ = 8;
    bool allow_plaintext_credentials_ = false;
    address_rules addresses_;
    bool http2_ = true;
    duration http2_ping_idle_ = std::chrono::seconds(30);
    duration http2_ping_timeout_ = std::chrono::seconds(15);
};

/// Makes transports to real servers. TLS is 1.2 or newer and the peer is verified (unless tls_options::insecure()):
/// against exactly the given authorities, or the system's roots if none are given, and for the endpoint's host (or
/// `server_name`).
///
/// Over TLS the server may choose HTTP/2 where transport_options::http2() is on. Requests share a connection then, as
/// many as the server allows at a time; what does not fit goes over another one. A server that does not choose it is
/// asked over HTTP/1.1, and offered HTTP/2 again after 10 min. The variable DISABLE_HTTP2, if it is not empty, switches
/// HTTP/2 off; HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS, whole numbers, are http2_ping(). They
/// are read once, by this function.
///
/// Where the endpoint has a proxy, it is asked for a way to the server (CONNECT, or SOCKS5 with the server's name), and
/// TLS with the server goes through it; requests to an http server are handed to an http proxy as they are. An https
/// proxy is verified against the system's roots and the given authorities, and sees no client certificate.
///
/// Transports of one factory with equal TLS settings share one TLS context. The factory fails with invalid_config,
/// naming the setting, on PEM that can't be used, on an unknown scheme and on an empty host.
///
/// A host name is looked up on the executor, anew for each connection and once for those that are made together: in
/// /etc/hosts (or the file that CARES_HOSTS names), then in DNS as glibc does it, with the servers, search domains and
/// options of /etc/resolv.conf and the variables LOCALDOMAIN and RES_OPTIONS. Addresses are tried in the order of
/// RFC 6724. Other sources of nsswitch.conf (mDNS, LDAP, nss_myhostname, nss_resolve) are not asked: a name that only
/// they know is not found. docs/dependencies.md lists what else differs from glibc.
///
/// Thread-safety: the factory: shared objects safe; what it makes: see http::transport.
/// Object lifetime: `env` outlives the factory and everything made with it.
KCONTROL_DECL transport_factory make_transport_factory(environment& env, transport_options options = {});

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/client.ipp>
#endif
