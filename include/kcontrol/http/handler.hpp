// What an HTTP server calls: a handler that answers requests, whole or as a stream.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http {

/// Writes the answer to one request: send() once, or start() and then any number of write().
///
/// Thread-safety: shared objects unsafe; use it in the handler's coroutine only.
class responder {
public:
    virtual ~responder() = default;

    /// Sends a whole response.
    virtual awaitable<result<void>> send(response answer) = 0;

    /// Begins a response whose body follows in pieces; its end is the handler's return.
    virtual awaitable<result<void>> start(response_head head) = 0;

    /// Sends a piece of the body and flushes it. Returns when the peer has room for more (back-pressure), or with
    /// connection_lost.
    virtual awaitable<result<void>> write(std::string piece) = 0;

    /// Breaks the connection off instead of ending the body properly. A write() in progress fails then; this one may be
    /// called while the handler waits for it.
    virtual void abort() = 0;

    /// Triggered when the client has disconnected or the server stops: a waiting handler ends then.
    virtual std::stop_token disconnected() const = 0;

    /// Says that the peer may be served: it has shown who it is, or need not. A server with a time limit for that
    /// (server_options::login_timeout) closes the connection of one of which no handler says so.
    virtual void admit() {}

    /// Says how many bytes the handler keeps for this answer beside what it writes, from now on and until it returns.
    /// They count to what the server's connections may hold (server_options::max_buffered_bytes). False: there is no
    /// room for them; answer with 503.
    virtual bool holds(std::size_t bytes) {
        static_cast<void>(bytes);
        return true;
    }
};

/// A request with what the server knows about its sender.
class server_request : public request {
public:
    server_request() = default;
    explicit server_request(request r) : request(std::move(r)) {}  ///< of a sender that is not known

    std::string peer;            ///< "address:port", or the simulator's name
    std::string client_subject;  ///< subject common name of a verified client certificate, or empty
};

/// Answers one request. Runs on the server's executor. The responder lives until the coroutine returns.
using handler = std::function<awaitable<void>(server_request, responder&)>;

}  // namespace kcontrol::http
