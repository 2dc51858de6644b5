// The seam between the library and the network: how requests reach a server, whatever carries them.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/endpoint.hpp>
#include <kcontrol/http/exchange_options.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/tls_options.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace kcontrol::inline v0_1::http {

/// The body of a response that is still arriving.
///
/// Thread-safety: shared objects unsafe; use it on the transport's executor.
/// Object lifetime: destruction closes the exchange.
class body_stream {
public:
    virtual ~body_stream() = default;

    /// Reads at least one byte, or 0 at the proper end of the body. `idle` bounds the wait for the next byte.
    /// Errors: timeout, stopped, connection_lost, truncated (the peer closed inside the body).
    virtual awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) = 0;
};

/// A response whose body is read piece by piece.
class streamed_response {
public:
    response_head head;                 ///< whole, whatever its status
    std::unique_ptr<body_stream> body;  ///< not null, also where there is nothing to read
};

/// Carries requests to one server. Implementations: transport/ (Beast and TLS) and the simulator's.
///
/// Any HTTP status is a success here; errors are what kept an answer from arriving whole. Redirects are never
/// followed. A GET or HEAD may be sent again once where a kept-alive connection turned out to be closed; any
/// other request whose answer was lost after sending began ends with unknown_outcome.
///
/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
class transport {
public:
    virtual ~transport() = default;

    /// Sends a request and reads the whole answer.
    virtual awaitable<result<response>> round_trip(request req, exchange_options options) = 0;

    /// Sends a request and returns once the head of the answer is there.
    virtual awaitable<result<streamed_response>> open_stream(request req, exchange_options options) = 0;

    /// Asks for a WebSocket at the request's target, on a connection of its own, with the subprotocols of its header
    /// Sec-WebSocket-Protocol. Errors, besides: unavailable where a transport can't.
    virtual awaitable<result<opened_websocket>> open_websocket(request, exchange_options) {
        return make_ready<result<opened_websocket>>(error(errc::unavailable, "this transport has no WebSockets"));
    }

    /// Closes idle connections now and the others when their exchange ends; later calls fail with unavailable.
    virtual void close() = 0;
};

/// Makes a transport to a server. Fails with invalid_config on unusable TLS material.
using transport_factory =
    std::function<result<std::shared_ptr<transport>>(executor, const endpoint&, const tls_options&)>;

}  // namespace kcontrol::http
