// Limits of a server: how many connections, how much memory for them, how long each may take.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1::http {

/// Limits of a server. Everything that a peer can hold without being known has a number here, and where it is reached,
/// who has waited the longest goes first: a connection whose peer says nothing, does not finish its request, or does
/// not take its answer. A connection whose handler works, or waits for something to tell, is never ended for others.
class server_options {
public:
    server_options() = default;

    /// Where it is reached, the connection that waits the longest for its peer is closed to admit a new one; the new
    /// one is refused if none waits. Connections that nobody logged in on (see login_timeout) go first as long as they
    /// are more than half. Default 1024; each takes some 20 KiB, with TLS some 100 KiB. The system's limit on open
    /// files counts too: where that is reached first, room is made in the same way, but not by those that have come
    /// less than 200 ms ago. A server has one descriptor in reserve, so that those of others do not keep out who comes
    /// to it.
    server_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
    /// The same for the connections of one address (of IPv6: one /64). Default 0: no such limit, for behind a proxy all
    /// have one address.
    server_options& max_connections_per_address(std::size_t n) { return max_per_address_ = n, *this; }
    /// What all connections together may hold: requests that are not answered, answers that were not taken, and what
    /// handlers say they keep (responder::holds). Beyond it those are closed whose peers have not done anything for a
    /// second or more, the longest first. If none is left, requests of more than 16 KiB get 503, and answers that are
    /// made already go out at the cost of those that wait the longest. Default 64 MiB.
    server_options& max_buffered_bytes(std::size_t n) { return max_buffered_bytes_ = n, *this; }
    /// Request bodies beyond this are answered with 413. Default 8 MiB.
    server_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }

    /// From the start of a TLS handshake until its end. Default 5 s.
    server_options& handshake_timeout(duration d) { return handshake_timeout_ = d, *this; }
    /// From then until the first request is complete, with its body. Default 10 s.
    server_options& first_request_timeout(duration d) { return first_request_timeout_ = d, *this; }
    /// From the start of a connection until a handler calls responder::admit(). Default 0: there is no login, and who
    /// got an answer is known.
    server_options& login_timeout(duration d) { return login_timeout_ = d, *this; }
    /// From the first byte of a later request until its header is complete. Default 10 s.
    server_options& header_timeout(duration d) { return header_timeout_ = d, *this; }
    /// Default 30 s.
    server_options& body_timeout(duration d) { return body_timeout_ = d, *this; }
    /// How long a kept-alive connection may wait for its next request. Default 90 s, as controller-runtime's servers.
    server_options& idle_timeout(duration d) { return idle_timeout_ = d, *this; }
    /// How long a peer may take less than the next 64 KiB of its answer, or what is left of it. Default 60 s.
    server_options& write_timeout(duration d) { return write_timeout_ = d, *this; }
    /// How long stop() lets handlers finish once disconnected() is triggered, before it closes their connections.
    /// Default 1 s.
    server_options& drain_timeout(duration d) { return drain_timeout_ = d, *this; }

    std::size_t max_connections() const noexcept { return max_connections_; }
    std::size_t max_connections_per_address() const noexcept { return max_per_address_; }
    std::size_t max_buffered_bytes() const noexcept { return max_buffered_bytes_; }
    std::size_t max_body() const noexcept { return max_body_; }
    duration handshake_timeout() const noexcept { return handshake_timeout_; }
    duration first_request_timeout() const noexcept { return first_request_timeout_; }
    duration login_timeout() const noexcept { return login_timeout_; }
    duration header_timeout() const noexcept { return header_timeout_; }
    duration body_timeout() const noexcept { return body_timeout_; }
    duration idle_timeout() const noexcept { return idle_timeout_; }
    duration write_timeout() const noexcept { return write_timeout_; }
    duration drain_timeout() const noexcept { return drain_timeout_; }

private:
    std::size_t max_connections_ = 1024;
    std::size_t max_per_address_ = 0;
    std::size_t max_buffered_bytes_ = std::size_t{64} << 20;
    std::size_t max_body_ = std::size_t{8} << 20;
    duration handshake_timeout_ = std::chrono::seconds(5);
    duration first_request_timeout_ = std::chrono::seconds(10);
    duration login_timeout_{0};
    duration header_timeout_ = std::chrono::seconds(10);
    duration body_timeout_ = std::chrono::seconds(30);
    duration idle_timeout_ = std::chrono::seconds(90);
    duration write_timeout_ = std::chrono::seconds(60);
    duration drain_timeout_ = std::chrono::seconds(1);
};

}  // namespace kcontrol::http
