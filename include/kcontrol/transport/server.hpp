// The small HTTP/1.1 server that the manager's endpoints, pages, the test API server and tests share.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/listen_address.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace kcontrol::http {

/// Limits of a server. Source of the defaults: controller-runtime's webhook and metrics servers, or stricter.
class server_options {
public:
    server_options() = default;

    server_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
    /// Request bodies beyond this are answered with 413.
    server_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
    /// From the first byte of a request (or the start of a TLS handshake) until its header is complete.
    server_options& header_timeout(duration d) { return header_timeout_ = d, *this; }
    server_options& body_timeout(duration d) { return body_timeout_ = d, *this; }
    /// How long a kept-alive connection may wait for its next request.
    server_options& idle_timeout(duration d) { return idle_timeout_ = d, *this; }
    /// How long a peer may leave one write() or send() waiting before it is cut off.
    server_options& write_timeout(duration d) { return write_timeout_ = d, *this; }
    /// How long stop() lets handlers finish once gone() is triggered, before it closes their connections.
    server_options& drain_timeout(duration d) { return drain_timeout_ = d, *this; }

    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_body() const noexcept { return max_body_; }
    duration header_timeout() const noexcept { return header_timeout_; }
    duration body_timeout() const noexcept { return body_timeout_; }
    duration idle_timeout() const noexcept { return idle_timeout_; }
    duration write_timeout() const noexcept { return write_timeout_; }
    duration drain_timeout() const noexcept { return drain_timeout_; }

private:
    std::size_t max_connections_ = 1024;
    std::size_t max_body_ = std::size_t{8} << 20;
    duration header_timeout_ = std::chrono::seconds(10);
    duration body_timeout_ = std::chrono::seconds(30);
    duration idle_timeout_ = std::chrono::seconds(90);
    duration write_timeout_ = std::chrono::seconds(60);
    duration drain_timeout_ = std::chrono::seconds(1);
};

namespace detail {
class server_core;
}

/// Serves one handler: keep-alive, chunked streaming with back-pressure, HEAD, `Expect: 100-continue`. A handler
/// that throws, or returns without an answer, is answered for with 500 and a fixed text. Anything malformed is
/// refused and its connection closed. HTTP/1.x only.
///
/// Thread-safety: shared objects unsafe; use it on its executor, a strand or a single-threaded context. Handlers run
/// there, too.
/// Object lifetime: destruction closes every connection; handlers that still run keep what they need alive, and end
/// when their context runs on. Call stop() first where the context is about to go. The environment outlives them.
class server {
public:
    KCONTROL_DECL server(environment& env, executor ex, handler answer, server_options options = {}, logger log = {});
    KCONTROL_DECL ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    /// Binds the address; connections queue up from here on. Errors: address_in_use, invalid_argument (no such
    /// address here, no right to bind it), invalid_config (PEM), unavailable (listening already).
    KCONTROL_DECL result<void> listen(const listen_address& at, std::optional<server_tls> tls = std::nullopt);

    /// Connections made from here on use this certificate; those that are open stay as they are. Errors:
    /// invalid_argument (it does not speak TLS), invalid_config (PEM; what it had stays in use).
    KCONTROL_DECL result<void> replace_tls(const server_tls& tls);

    /// Begins to accept. Call listen() before.
    KCONTROL_DECL void start();

    /// The port bound, or 0.
    KCONTROL_DECL std::uint16_t local_port() const noexcept;

    /// Stops listening, triggers every responder's gone(), closes idle connections, lets handlers finish for
    /// drain_timeout, then closes the rest and returns soon after. Idempotent. listen() and start() may follow.
    KCONTROL_DECL awaitable<void> stop();

    /// Cuts every connection off with a reset, as a crash would; still listening. For tests and fault injection.
    KCONTROL_DECL void reset_connections();

    /// Connections open now, and accepted since construction.
    KCONTROL_DECL std::size_t connections() const noexcept;
    KCONTROL_DECL std::size_t accepted() const noexcept;

private:
    std::shared_ptr<detail::server_core> core_;
};

/// The name the rest of the library uses where `server` alone would be unclear.
using http_server = server;

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/server.ipp>
#endif
