// Sockets without HTTP manners: a server that answers with given bytes, and a client that sends them.
#pragma once

#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::test {

using tcp = boost::asio::ip::tcp;
inline constexpr boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>> no_throw{};

/// Reads until `text` contains `end`, or the peer closes (false).
inline awaitable<bool> read_until(tcp::socket& socket, std::string& text, std::string end) {
    char buffer[4096];
    while (text.find(end) == std::string::npos) {
        const auto outcome = co_await socket.async_read_some(boost::asio::buffer(buffer), no_throw);
        const auto& [failure, n] = outcome;
        if (failure) co_return false;
        text.append(buffer, n);
    }
    co_return true;
}

/// Reads until the peer closes.
inline awaitable<std::string> read_to_end(tcp::socket& socket) {
    std::string text;
    co_await read_until(socket, text, std::string(1, '\x01'));
    co_return text;
}

inline awaitable<void> write_text(tcp::socket& socket, std::string text) {
    co_await boost::asio::async_write(socket, boost::asio::buffer(text), no_throw);
}

/// What a raw server does with one request.
class step {
public:
    enum after { keep, close };
    step(std::string text, after what_then = keep, std::size_t bytes = 0)
        : send(std::move(text)), then(what_then), slice(bytes) {}
    std::string send;
    after then;
    std::size_t slice;  ///< bytes a write; 0: all at once
};

/// Answers the n-th request it sees, whatever its connection, with the n-th step; closes when there are none left.
class raw_server {
public:
    raw_server(boost::asio::io_context& context, std::deque<step> steps)
        : state_(std::make_shared<state>(context, std::move(steps))) {
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~raw_server() { state_->acceptor.close(); }
    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    int connections() const { return state_->connections; }
    int requests() const { return state_->requests; }
    const std::string& last_request() const { return state_->last; }

private:
    struct state {
        state(boost::asio::io_context& context, std::deque<step> s)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)), steps(std::move(s)) {}
        tcp::acceptor acceptor;
        std::deque<step> steps;
        int connections = 0;
        int requests = 0;
        std::string last;
    };

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            ++s->connections;
            boost::asio::co_spawn(s->acceptor.get_executor(), serve(s, std::move(socket)), boost::asio::detached);
        }
    }

    static awaitable<void> serve(std::shared_ptr<state> s, tcp::socket socket) {
        socket.set_option(tcp::no_delay(true));
        for (;;) {
            std::string request;
            const bool got = co_await read_until(socket, request, "\r\n\r\n");
            if (!got || s->steps.empty()) co_return;
            ++s->requests;
            s->last = request;
            const step now = s->steps.front();
            s->steps.pop_front();
            const std::size_t slice = now.slice ? now.slice : now.send.size() + 1;
            for (std::size_t at = 0; at < now.send.size(); at += slice) {
                co_await write_text(socket, now.send.substr(at, slice));
            }
            if (now.then == step::close) co_return;
        }
    }

    std::shared_ptr<state> state_;
};

/// Connects, sends `text`, and returns all that comes back until the server closes.
inline awaitable<std::string> exchange_raw(std::uint16_t port, std::string text) {
    tcp::socket socket(co_await boost::asio::this_coro::executor);
    const tcp::endpoint to(boost::asio::ip::make_address("127.0.0.1"), port);
    co_await socket.async_connect(to, no_throw);
    co_await write_text(socket, std::move(text));
    co_return co_await read_to_end(socket);
}

}  // namespace kcontrol::test
