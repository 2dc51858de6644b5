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
#include <tuple>
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
    enum after { keep, close, reset };
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
            if (now.then == step::reset) socket.set_option(boost::asio::socket_base::linger(true, 0));
            if (now.then != step::keep) co_return;
        }
    }

    std::shared_ptr<state> state_;
};

/// Answers each request with `head` and then `piece` again and again, `times` times, made as they are sent.
class flooding_server {
public:
    flooding_server(boost::asio::io_context& context, std::string head, std::string piece, std::uint64_t times)
        : state_(std::make_shared<state>(context, std::move(head), std::move(piece), times)) {
        boost::asio::co_spawn(context, serve(state_), boost::asio::detached);
    }
    ~flooding_server() { state_->acceptor.close(); }
    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    std::uint64_t sent() const { return state_->sent; }  ///< pieces, all connections together

private:
    struct state {
        state(boost::asio::io_context& context, std::string h, std::string p, std::uint64_t n)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
              head(std::move(h)),
              piece(std::move(p)),
              times(n) {}
        tcp::acceptor acceptor;
        std::string head, piece;
        std::uint64_t times, sent = 0;
    };

    static awaitable<void> serve(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            std::string request;
            const bool got = co_await read_until(socket, request, "\r\n\r\n");
            if (got) co_await flood(*s, socket);
        }
    }

    static awaitable<void> flood(state& s, tcp::socket& socket) {
        co_await write_text(socket, s.head);
        for (std::uint64_t i = 0; i < s.times; ++i, ++s.sent) {
            const auto outcome = co_await boost::asio::async_write(socket, boost::asio::buffer(s.piece), no_throw);
            if (std::get<0>(outcome)) co_return;
        }
    }

    std::shared_ptr<state> state_;
};

/// A port that swallows connections: its queue is full, so the system drops every SYN.
class black_hole {
public:
    explicit black_hole(boost::asio::io_context& context) : acceptor_(context) {
        acceptor_.open(tcp::v4());
        acceptor_.bind(tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0));
        acceptor_.listen(0);
        for (int i = 0; i < 4; ++i) {
            fillers_.emplace_back(context);
            fillers_.back().async_connect(acceptor_.local_endpoint(), boost::asio::detached);
        }
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    tcp::acceptor acceptor_;
    std::deque<tcp::socket> fillers_;
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
