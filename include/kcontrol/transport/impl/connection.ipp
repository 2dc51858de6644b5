#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/connection.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <vector>

namespace kcontrol::http::detail {

KCONTROL_DECL bool connection::quiet() const noexcept {
    if (input.size() != 0 || !stream->socket().is_open()) return false;
    // Pending bytes are an unsolicited response, TLS' close_notify, or the end of the stream. In each of these cases
    // the next request would fail.
    char byte = 0;
    const auto n = ::recv(stream->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

KCONTROL_DECL bool is_loopback(const std::string& host) noexcept {
    error_code failure;
    const auto address = boost::asio::ip::make_address(host, failure);
    return failure ? host == "localhost" : address.is_loopback();
}

inline awaitable<result<host_addresses>> resolve(const connect_request& what, time_point deadline,
                                                 std::stop_token stop) {
    error_code not_an_address;
    const auto address = boost::asio::ip::make_address(what.server.host, not_an_address);
    if (!not_an_address) co_return host_addresses(1, tcp::endpoint(address, what.server.port));
    // Requests that meet share a look-up, also one that outlasted its first caller.
    auto& lookup = *what.lookup;
    if (!lookup || lookup->done()) lookup = host_lookup::start(what.env, what.ex, what.server.host, what.server.port);
    const auto shared = lookup;
    co_return co_await shared->wait(deadline, std::move(stop));
}

inline error connect_error(const error_code& failure, const tcp::endpoint& to) {
    const std::string text = "can't connect to " + to.address().to_string() + " port " + std::to_string(to.port()) +
                             ": " + failure.message();
    if (failure == boost::asio::error::timed_out) {
        return error(errc::timeout, text + "; check that the address is right and no firewall swallows the packets");
    }
    if (failure == boost::asio::error::no_descriptors) {
        return error(errc::connection_refused,
                     text + "; this process may open no more: raise its limit (ulimit -n, LimitNOFILE of a service)");
    }
    return error(errc::connection_refused, text + "; check that the server runs and the address is right");
}

inline awaitable<error_code> connect_socket(tcp::socket& socket, tcp::endpoint to) {
    boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>> token;
    const auto outcome = co_await socket.async_connect(to, token);
    const auto& [failure] = outcome;
    co_return failure;
}

// Each address gets its share of the time, so that one that swallows packets leaves some for the next.
inline awaitable<result<tcp::socket>> connect_any(const connect_request& what, host_addresses to, time_point deadline) {
    error last(errc::name_not_found, "the host name \"" + what.server.host + "\" has no address");
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto now = what.env.now();
        const duration share =
            std::max<duration>((deadline - now) / static_cast<std::int64_t>(to.size() - i), std::chrono::seconds(2));
        auto dog = std::make_shared<watchdog>(what.env, what.ex);
        tcp::socket socket(what.ex);
        error_code failure;
        socket.open(to[i].protocol(), failure);
        if (!failure) {
            prepare_socket(socket, true);
            what.dog->watch(&socket);
            dog->watch(&socket);
            dog->deadline(std::min(deadline, now + share));
            failure = co_await connect_socket(socket, to[i]);
            dog->release();
            what.dog->watch(nullptr);
        }
        if (what.dog->cause() == cut_cause::stopped) co_return error(errc::stopped);
        if (!failure && socket.is_open()) co_return result<tcp::socket>(std::move(socket));
        if (dog->cause() == cut_cause::timeout) failure = boost::asio::error::timed_out;
        last = connect_error(failure, to[i]);
        if (what.env.now() >= deadline) break;
    }
    co_return last;
}

inline awaitable<result<void>> secure(const connect_request& what, byte_stream& stream, time_point deadline) {
    what.dog->watch(&stream.socket());
    what.dog->deadline(deadline);
    const error_code failure = co_await handshake(stream);
    what.dog->deadline(std::nullopt);
    what.dog->watch(nullptr);
    if (what.dog->cause() == cut_cause::stopped) co_return error(errc::stopped);
    if (what.dog->cause() == cut_cause::timeout) {
        co_return error(errc::timeout, "the TLS handshake was not complete in time; does the port speak TLS?");
    }
    if (failure) co_return handshake_error(stream.tls(), failure, what.peer_name);
    co_return result<void>();
}

KCONTROL_DECL awaitable<result<std::unique_ptr<connection>>> connect(connect_request what, time_point deadline,
                                                                     std::stop_token stop) {
    const auto connect_deadline = std::min(deadline, what.env.now() + what.options.connect_timeout());
    auto to = co_await resolve(what, connect_deadline, stop);
    if (!to) co_return to.error();
    auto socket = co_await connect_any(what, std::move(*to), connect_deadline);
    if (!socket) co_return socket.error();
    if (!what.tls) co_return std::make_unique<connection>(make_plain_stream(std::move(*socket)));

    auto stream = make_tls_stream(std::move(*socket), what.tls, what.peer_name);
    if (!stream) co_return stream.error();
    const auto handshake_deadline = std::min(deadline, what.env.now() + what.options.handshake_timeout());
    const auto secured = co_await secure(what, **stream, handshake_deadline);
    if (!secured) co_return secured.error();
    co_return std::make_unique<connection>(std::move(*stream));
}

}  // namespace kcontrol::http::detail
