// The small HTTP/1.1 server that the manager's endpoints, pages, the test API server and tests share.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/listen_address.hpp>
#include <kcontrol/transport/server_options.hpp>
#include <kcontrol/transport/server_stats.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace kcontrol::inline v0_1::http {

namespace detail {
class server_core;
}

/// Serves one handler: keep-alive, chunked streaming with back-pressure, HEAD, `Expect: 100-continue`. A handler
/// that throws, or returns without an answer, is answered for with 500 and a fixed text. Anything malformed is
/// refused and its connection closed. HTTP/1.x only. What peers may hold without giving anything is limited, and who
/// does nothing makes room for who comes: see server_options.
///
/// Thread-safety: shared objects unsafe; use it on its executor, a strand or a single-threaded context. Handlers run
/// there, too.
/// Object lifetime: destruction closes every connection; handlers that still run keep what they need alive, and end
/// when their context runs on. Call stop() first where the context is about to go. The environment outlives them.
class server {
public:
    /// Listens nowhere yet. `answer` is called for each request, also while earlier ones still run.
    KCONTROL_DECL server(environment& env, executor ex, handler answer, server_options options = {}, logger log = {});
    KCONTROL_DECL ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    /// Binds the address; connections queue up from here on. Errors: address_in_use, invalid_argument (no such
    /// address here, no right to bind it), invalid_config (PEM), unavailable (listening already, or still stopping).
    KCONTROL_DECL result<void> listen(const listen_address& at, std::optional<server_tls> tls = std::nullopt);

    /// Connections made from here on use this certificate; those that are open stay as they are. Errors:
    /// invalid_argument (it does not speak TLS), invalid_config (PEM; what it had stays in use).
    KCONTROL_DECL result<void> replace_tls(const server_tls& tls);

    /// Begins to accept. Call listen() before. Does nothing while it accepts.
    KCONTROL_DECL void start();

    /// The port bound, or 0.
    KCONTROL_DECL std::uint16_t local_port() const noexcept;

    /// Stops listening, triggers every responder's disconnected(), closes idle connections, lets handlers finish for
    /// drain_timeout, then closes the rest and returns soon after. Idempotent. listen() and start() may follow. A
    /// handler that awaits it is not waited for, and may answer afterwards.
    KCONTROL_DECL awaitable<void> stop();

    /// Stops listening and lets go of nothing that has begun: idle connections are closed, the others after the answer
    /// to the request that they are at, which says `Connection: close`, and handlers' disconnected() is not triggered.
    /// What has not ended after `most` does so as in stop(). Returns when all have ended; listen() and start() may
    /// follow.
    KCONTROL_DECL awaitable<void> drain(duration most);

    /// Cuts every connection off with a reset, as a crash would; still listening. For tests and fault injection.
    KCONTROL_DECL void reset_connections();

    /// Connections open now, and accepted since construction.
    KCONTROL_DECL std::size_t connections() const noexcept;
    KCONTROL_DECL std::size_t accepted() const noexcept;  ///< without those that were refused

    /// These and what became of the others, for write_server_metrics().
    KCONTROL_DECL server_stats stats() const;

private:
    std::shared_ptr<detail::server_core> core_;
};

/// The name the rest of the library uses where `server` alone would be unclear.
using http_server = server;

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/server.ipp>
#endif
