// What a responder may be besides: one whose connection goes on as a WebSocket (RFC 6455 §4.2).
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/websocket.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// Whether a request is a complete upgrade to a WebSocket of version 13.
KCONTROL_DECL bool is_websocket_upgrade(const request& asked);

/// The first of the subprotocols that a request offers which is among `known`, or empty.
KCONTROL_DECL std::string offered_subprotocol(const request& asked, std::span<const std::string_view> known);

/// A handler finds it with dynamic_cast on its responder: servers without sockets have none.
///
/// Thread-safety: as the responder.
class websocket_acceptor {
public:
    virtual ~websocket_acceptor() = default;

    /// Answers 101, with that subprotocol (or none), instead of a response; the connection ends when the handler
    /// returns. The websocket is the server's end, and must not outlive the handler; its pings are answered as
    /// http::websocket says. Errors: invalid_argument (the request does not ask for one, or has been answered),
    /// connection_lost.
    virtual awaitable<result<std::unique_ptr<websocket>>> accept_websocket(const request& asked,
                                                                           std::string subprotocol) = 0;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/websocket_acceptor.ipp>
#endif
