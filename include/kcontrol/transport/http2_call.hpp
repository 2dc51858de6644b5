// http2_call: one request over HTTP/2 without TLS and its answer with trailers, as bytes: gRPC over any stream.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::http {

/// What came back.
class http2_answer : public response {
public:
    fields trailers;  ///< header fields after the body (RFC 9113 §8.1)
};

/// A connection with one request, with prior knowledge of HTTP/2 (RFC 9113 §3.3). No socket here: it says what to send,
/// and is told what came.
///
/// Thread-safety: distinct objects safe, shared objects unsafe.
class http2_call {
public:
    /// `authority` is the server as the request names it, "localhost". The answer's body may have `max_body` bytes. The
    /// request says `te: trailers`.
    KCONTROL_DECL http2_call(std::string authority, request asked, std::size_t max_body);
    KCONTROL_DECL ~http2_call();
    http2_call(const http2_call&) = delete;
    http2_call& operator=(const http2_call&) = delete;

    /// Bytes to send now; empty: none until more came. Ask again after each receive(), also after an error: the peer is
    /// told of it.
    KCONTROL_DECL std::string send();

    /// Bytes that came. Nothing happens once there is an outcome.
    KCONTROL_DECL void receive(std::string_view bytes);

    /// The peer closed the connection.
    KCONTROL_DECL void closed();

    /// The answer, or why there is none, once that is known: too_large; protocol_error (it speaks no HTTP/2);
    /// connection_lost (no answer); truncated (a part of one).
    KCONTROL_DECL const std::optional<result<http2_answer>>& outcome() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/http2_call.ipp>
#endif
