// A connection to a port of a pod, through the API server.
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1 {

namespace detail {
class port_state;
}

/// Options of open_port(); they count until the connection is there.
class port_forward_options {
public:
    port_forward_options() = default;

    /// Until the server has taken the connection. Default 30 s.
    port_forward_options& deadline(duration d) { return deadline_ = d, *this; }
    /// Ends the opening with errc::stopped.
    port_forward_options& stop(std::stop_token token) { return stop_ = std::move(token), *this; }

    duration deadline() const noexcept { return deadline_; }
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    duration deadline_ = std::chrono::seconds(30);
    std::stop_token stop_;
};

/// Bytes both ways, as of one TCP connection, but for its half-closed state: the protocol has no word for "no more from
/// here". Whether anybody listens at the port shows when something is read.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. One read and any number of writes, which take
/// turns, may be in progress.
/// Object lifetime: destruction closes the connection, which ends calls in progress.
class port_stream {
public:
    KCONTROL_DECL port_stream(port_stream&&) noexcept;
    KCONTROL_DECL port_stream& operator=(port_stream&&) noexcept;
    KCONTROL_DECL ~port_stream();

    /// Reads some bytes; 0 when the pod's side has closed. Errors: connection_refused with what the node says (nobody
    /// listens there), stopped, connection_lost, truncated, protocol_error.
    KCONTROL_DECL awaitable<result<std::size_t>> read_some(std::span<char> into, std::stop_token stop);
    /// Sends bytes that live until it returns. Errors: stopped, connection_lost.
    KCONTROL_DECL awaitable<result<void>> write(std::string_view bytes, std::stop_token stop);

    /// For open_port().
    KCONTROL_DECL port_stream(environment& env, std::unique_ptr<http::websocket> socket, std::uint16_t port);

private:
    std::shared_ptr<detail::port_state> state_;
};

/// Connects to a port of a pod; each connection is a WebSocket of its own. Errors: those of open_exec().
KCONTROL_DECL awaitable<result<port_stream>> open_port(client c, namespaced_name pod, std::uint16_t port,
                                                       port_forward_options options = {});

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/port_forward.ipp>
#endif
