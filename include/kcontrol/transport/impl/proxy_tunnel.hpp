// Asking a proxy for a way to a server: CONNECT (RFC 9110 §9.3.6) and SOCKS5 (RFC 1928, RFC 1929).
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/endpoint.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/transport/impl/byte_stream.hpp>

#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// Whether the proxy only passes bytes on: always, but for requests without TLS, which an http proxy takes as they are.
inline bool needs_tunnel(const endpoint& server) {
    return !server.via.empty() && (server.scheme == "https" || server.via.scheme() == "socks5");
}

/// "\r\nProxy-Authorization: Basic …", or nothing.
KCONTROL_DECL std::string proxy_authorization(const proxy& via);

/// Asks at the other end of `stream` for a way to the server. Nothing is left to read afterwards. Errors:
/// connection_refused (the proxy says no), protocol_error, connection_lost. No message holds the login.
KCONTROL_DECL awaitable<result<void>> open_tunnel(byte_stream& stream, const endpoint& server);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/proxy_tunnel.ipp>
#endif
