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
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>

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

/// What transport::open() returns: the response, as far as exchange_options::form() says.
class opened_exchange : public response {
public:
    opened_exchange() = default;
    opened_exchange(response whole) : response(std::move(whole)) {}  // NOLINT: meant to convert
    explicit opened_exchange(response_head head) { static_cast<response_head&>(*this) = std::move(head); }

    /// The body of exchange_form::streamed. Null: the transport has read it already, and it is in `body`.
    std::unique_ptr<body_stream> stream;
    /// The connection of exchange_form::websocket. Null: the server did not switch protocols, and `body` says why.
    std::unique_ptr<websocket> socket;
};

/// Carries requests to one server. Implementations: transport/ (Beast and TLS) and the simulator's. A transport of your
/// own has an open() and a close(); one around another is an open_function (http/wrapped_transport.hpp).
///
/// Any HTTP status is a success here; errors are what kept an answer from arriving whole. Redirects are never
/// followed. A GET or HEAD may be sent again once where a kept-alive connection turned out to be closed; any
/// other request whose answer was lost after sending began ends with unknown_outcome.
///
/// Thread-safety: shared objects unsafe; use it on the executor it was made with.
/// Object lifetime: the caller keeps it until open() has ended. A client keeps it as long as what was opened, too.
class transport {
public:
    virtual ~transport() = default;

    /// Sends a request, and returns once that much of the response is there as options.form() says. All verbs come this
    /// way, so what a transport or a wrapper does here holds for each of them.
    ///
    /// A transport without streams may return a whole response instead. One without WebSockets returns no_websockets()
    /// for exchange_form::websocket. Else it asks for a WebSocket at the request's target, on a connection of its own,
    /// with the subprotocols of its header Sec-WebSocket-Protocol.
    virtual awaitable<result<opened_exchange>> open(request req, exchange_options options) = 0;

    /// Closes idle connections now and the others when their exchange ends; later calls fail with unavailable.
    virtual void close() = 0;

    // The verbs: open() in one form each. What the options say of the form does not count.

    /// Sends a request and reads the whole answer.
    KCONTROL_DECL awaitable<result<response>> round_trip(request req, exchange_options options);
    /// Sends a request and returns once the head of the answer is there.
    KCONTROL_DECL awaitable<result<streamed_response>> open_stream(request req, exchange_options options);
    /// Asks for a WebSocket. Errors, besides: unavailable where a transport can't.
    KCONTROL_DECL awaitable<result<opened_websocket>> open_websocket(request req, exchange_options options);
};

/// What a transport returns that has no WebSockets: unavailable.
KCONTROL_DECL error no_websockets();

/// Brings what a transport returned into the form that was requested: a body that it read already is a stream then.
/// Errors: unavailable where it does not fit, such as a stream instead of a whole response.
KCONTROL_DECL result<void> fit_form(opened_exchange& opened, exchange_form form);

// The second half of each verb, for whoever has opened an exchange in its form.
KCONTROL_DECL awaitable<result<response>> whole_of(awaitable<result<opened_exchange>> opening);
KCONTROL_DECL awaitable<result<streamed_response>> stream_of(awaitable<result<opened_exchange>> opening);
KCONTROL_DECL awaitable<result<opened_websocket>> websocket_of(awaitable<result<opened_exchange>> opening);

/// Makes a transport to a server. Fails with invalid_config on unusable TLS material.
using transport_factory =
    std::function<result<std::shared_ptr<transport>>(executor, const endpoint&, const tls_options&)>;

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/transport.ipp>
#endif
