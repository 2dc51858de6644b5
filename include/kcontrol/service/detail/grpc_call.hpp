// One call of a gRPC method, as bytes over HTTP/2 without TLS: what to send, and what comes. No socket here.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/transport/http2_call.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service::detail {

/// A unary call: one message there, one back.
///
/// Thread-safety: distinct objects safe, shared objects unsafe.
class grpc_call {
public:
    /// `method` is the path, /PACKAGE.SERVICE/METHOD; the answer may have `most` bytes.
    KCONTROL_DECL grpc_call(std::string method, const std::string& message, std::size_t most);

    /// Bytes to send now; empty: none until more came. Ask again after each receive().
    KCONTROL_DECL std::string send();

    /// Bytes that came.
    KCONTROL_DECL void receive(std::string_view bytes);

    /// The peer closed the connection.
    KCONTROL_DECL void closed();

    /// The answer's message, or why there is none, once that is known: the errors of http2_call; protocol_error;
    /// truncated; unavailable, with what the server says.
    const std::optional<result<std::string>>& outcome() const noexcept { return outcome_; }

private:
    KCONTROL_DECL void look();

    http::http2_call call_;
    std::optional<result<std::string>> outcome_;
};

}  // namespace kcontrol::service::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/grpc_call.ipp>
#endif
