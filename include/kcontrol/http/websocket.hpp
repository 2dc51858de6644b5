// A WebSocket connection to a server (RFC 6455): messages both ways, piece by piece.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// A part of a message, or the end of the connection.
class websocket_piece {
public:
    websocket_piece() = default;
    websocket_piece(std::size_t n, bool l) : bytes(n), last(l) {}  ///< how many, and whether the message ends

    std::size_t bytes = 0;  ///< at the front of the room given; 0 only where a message ends, or `closed`
    bool last = false;      ///< the message ends with it
    bool closed = false;    ///< no more comes: the server has closed the connection properly
};

/// One connection. Pings of the server are answered while a read is in progress.
///
/// Thread-safety: shared objects unsafe; use it on the transport's executor. One read and one write may be in progress
/// at the same time.
/// Object lifetime: destruction closes the connection at once, and ends what is in progress.
class websocket {
public:
    virtual ~websocket() = default;

    /// Reads some bytes of a message. `idle` bounds the wait; nothing of it means forever.
    /// Errors: timeout, stopped, connection_lost, truncated (it ended without a closing handshake), protocol_error.
    /// Each of them is the end of the connection.
    virtual awaitable<result<websocket_piece>> read_some(std::span<char> into, duration idle, std::stop_token stop) = 0;

    /// Sends one binary message: `head` and then `content`, which live until it returns. `time` bounds it.
    /// Errors: the same.
    virtual awaitable<result<void>> write(std::string_view head, std::string_view content, duration time,
                                          std::stop_token stop) = 0;

    /// Says goodbye and closes; what the server still sends is lost. No error: it is closed in any case.
    virtual awaitable<void> close(duration time) = 0;
};

/// What became of the question to speak WebSocket: a connection, or another answer with its whole body.
class opened_websocket {
public:
    opened_websocket() = default;

    http::response answer;              ///< 101, with the subprotocol in Sec-WebSocket-Protocol; or why not
    std::unique_ptr<websocket> socket;  ///< null where the answer is not 101
};

}  // namespace kcontrol::http
