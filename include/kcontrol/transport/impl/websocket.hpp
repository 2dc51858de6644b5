// WebSocket connections of the transport: Beast's, behind http::websocket, in a file of their own.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/transport/impl/client_transport.hpp>

#include <memory>

namespace kcontrol::inline v0_1::http::detail {

/// See http::transport::open(). Errors, besides: unknown_outcome where the connection broke, or its time was up, after
/// the request was sent: it may start a command.
KCONTROL_DECL awaitable<result<opened_exchange>> run_open_websocket(std::shared_ptr<client_transport> self, request req,
                                                                    exchange_options options);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/websocket.ipp>
#endif
