#pragma once

#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/impl/connection.hpp>
#include <kcontrol/transport/impl/proxy_tunnel.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <vector>

namespace kcontrol::inline v0_1::http::detail {

KCONTROL_DECL bool connection::quiet() const noexcept {
    if (input.size() != 0 || stream->has_input() || !stream->socket().is_open()) return false;
    // Pending bytes are an unsolicited response, TLS' close_notify, or the end of the stream. In each of these cases
    // the next request would fail.
    char byte = 0;
    const auto n = ::recv(stream->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

KCONTROL_DECL boost::asio::mutable_buffer connection::prepare(bool may_wait) {
    error_code ignored;
    // After a read that drained the socket it need not be asked: where it is wrong, the next read is a small one.
    const bool nothing = !stream->has_input() && (drained || stream->socket().available(ignored) == 0);
    const bool waits = may_wait && nothing;
    const std::size_t size = waits ? quiet_read_size : read_size;
    if (waits && input.size() == 0 && input.capacity() > size) input = {};
    return input.prepare(size);
}

KCONTROL_DECL bool is_loopback(const std::string& host) noexcept {
    error_code failure;
    const auto address = boost::asio::ip::make_address(host, failure);
    return failure ? host == "localhost" : address.is_loopback();
}

// Whom the first connection goes to.
inline const std::string& first_host(const connect_request& what) {
    return what.server.via.empty() ? what.server.host : what.server.via.host();
}

inline awaitable<result<host_addresses>> resolve(const connect_request& what, time_point deadline,
                                                 std::stop_token stop) {
    error_code not_an_address;
    const std::string& host = first_host(what);
    const std::uint16_t port = what.server.via.empty() ? what.server.port : what.server.via.port();
    const auto address = boost::asio::ip::make_address(host, not_an_address);
    if (!not_an_address) co_return host_addresses(1, tcp::endpoint(address, port));
    // Requests that meet share a look-up, also one that outlasted its first caller.
    auto& lookup = *what.lookup;
    if (!lookup || lookup->done()) lookup = host_lookup::start(what.env, what.ex, host, port);
    const auto shared = lookup;
    const time_point begun = what.env.now();
    auto found = co_await shared->wait(deadline, std::move(stop));
    if (what.on_lookup) what.on_lookup(what.env.now() - begun);
    co_return found;
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
    error last(errc::name_not_found, "the host name \"" + first_host(what) + "\" has no address");
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

inline awaitable<result<void>> secure(const connect_request& what, byte_stream& stream, const std::string& name,
                                      time_point deadline) {
    what.dog->watch(&stream.socket());
    what.dog->deadline(deadline);
    const error_code failure = co_await handshake(stream);
    what.dog->deadline(std::nullopt);
    what.dog->watch(nullptr);
    if (what.dog->cause() == cut_cause::stopped) co_return error(errc::stopped);
    if (what.dog->cause() == cut_cause::timeout) {
        co_return error(errc::timeout, "the TLS handshake was not complete in time; does the port speak TLS?");
    }
    if (failure) co_return handshake_error(stream.tls(), failure, name);
    co_return result<void>();
}

// A host with one address that is allowed may have others, too: a name with a public and a private one.
// Behind a proxy nobody here sees the server's.
inline result<void> keep_allowed(const connect_request& what, host_addresses& to) {
    const address_rules& rules = what.options.addresses();
    if (rules.allows_all()) return {};
    if (!what.server.via.empty()) {
        return error(errc::invalid_argument,
                     "the address of \"" + what.server.host + "\" can't be checked behind a proxy; ask it without one");
    }
    const auto is_refused = [&rules](const tcp::endpoint& e) { return !rules.allows(e.address().to_string()); };
    if (to.empty() || !std::all_of(to.begin(), to.end(), is_refused)) {
        std::erase_if(to, is_refused);
        return {};
    }
    return error(errc::invalid_argument, "the address " + to.front().address().to_string() + " of \"" +
                                             what.server.host + "\" is not allowed here: it is private, or reserved");
}

inline awaitable<result<void>> ask_proxy(const connect_request& what, byte_stream& stream, time_point deadline) {
    what.dog->watch(&stream.socket());
    what.dog->deadline(deadline);
    const auto open = co_await open_tunnel(stream, what.server);
    what.dog->deadline(std::nullopt);
    what.dog->watch(nullptr);
    if (what.dog->cause() == cut_cause::stopped) co_return error(errc::stopped);
    if (what.dog->cause() == cut_cause::timeout) {
        co_return error(errc::timeout,
                        "it did not answer in time; does the port speak " + what.server.via.scheme() + " as a proxy?");
    }
    co_return open;
}

// From a connection to the proxy to one that is as good as one to the server, but for the server's TLS.
inline awaitable<result<std::unique_ptr<byte_stream>>> pass_proxy(const connect_request& what, tcp::socket socket,
                                                                  time_point deadline) {
    const proxy& via = what.server.via;
    if (!what.proxy_tls) {
        auto plain = make_plain_stream(std::move(socket));
        if (!needs_tunnel(what.server)) co_return result<std::unique_ptr<byte_stream>>(std::move(plain));
        const auto open = co_await ask_proxy(what, *plain, deadline);
        if (!open) co_return open.error();
        co_return result<std::unique_ptr<byte_stream>>(std::move(plain));
    }
    auto stream = make_tls_stream(std::move(socket), what.proxy_tls, via.host());
    if (!stream) co_return stream.error();
    const auto secured = co_await secure(what, **stream, via.host(), deadline);
    if (!secured) co_return secured.error();
    if (needs_tunnel(what.server)) {
        const auto open = co_await ask_proxy(what, **stream, deadline);
        if (!open) co_return open.error();
    }
    co_return std::move(*stream);
}

inline awaitable<result<std::unique_ptr<byte_stream>>> first_hop(const connect_request& what, time_point deadline,
                                                                 std::stop_token stop) {
    auto to = co_await resolve(what, deadline, stop);
    if (!to) co_return to.error();
    const auto allowed = keep_allowed(what, *to);
    if (!allowed) co_return allowed.error();
    auto socket = co_await connect_any(what, std::move(*to), deadline);
    if (!socket) co_return socket.error();
    if (what.server.via.empty()) co_return make_plain_stream(std::move(*socket));
    const auto passed_by = std::min(deadline, what.env.now() + what.options.handshake_timeout());
    auto passed = co_await pass_proxy(what, std::move(*socket), passed_by);
    co_return passed;
}

KCONTROL_DECL awaitable<result<std::unique_ptr<connection>>> connect(connect_request what, time_point deadline,
                                                                     std::stop_token stop) {
    const auto connect_deadline = std::min(deadline, what.env.now() + what.options.connect_timeout());
    auto reached = co_await first_hop(what, connect_deadline, stop);
    if (!reached) {
        const bool plain = what.server.via.empty() || reached.error() == errc::stopped;
        co_return plain ? reached.error() : reached.error().with_context("proxy " + what.server.via.text());
    }
    if (!what.tls) co_return std::make_unique<connection>(std::move(*reached));

    handshake_turns::turn turn(what.handshakes);
    const wake come = co_await turn.take(stop, deadline);
    if (come == wake::stopped || stop.stop_requested()) co_return error(errc::stopped);
    if (come == wake::timeout) {
        co_return error(errc::timeout, "other TLS handshakes were in front of this one; raise KCONTROL_TLS_HANDSHAKES");
    }
    auto stream = make_tls_inside(std::move(*reached), what.tls, what.peer_name);
    if (!stream) co_return stream.error();
    if (what.offers_http2) offer_http2((*stream)->tls());
    const auto handshake_deadline = std::min(deadline, what.env.now() + what.options.handshake_timeout());
    const auto secured = co_await secure(what, **stream, what.peer_name, handshake_deadline);
    if (!secured) co_return secured.error();
    auto made = std::make_unique<connection>(std::move(*stream));
    made->speaks_http2 = what.offers_http2 && chose_http2(made->stream->tls());
    co_return std::move(made);
}

}  // namespace kcontrol::http::detail
