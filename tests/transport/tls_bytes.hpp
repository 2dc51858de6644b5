// TLS as bytes: records and handshake messages that no TLS library would send, and servers and clients that send them.
#pragma once

#include "transport/raw_peer.hpp"

#include <boost/asio/socket_base.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::test::bytes {

inline std::string number(std::size_t value, int size) {
    std::string out;
    for (int i = size - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
}

inline constexpr int change_cipher = 20, alert_record = 21, handshake = 22, application = 23;

inline std::string record(int type, const std::string& body, int version = 0x0303) {
    return number(static_cast<std::size_t>(type), 1) + number(static_cast<std::size_t>(version), 2) +
           number(body.size(), 2) + body;
}

inline std::string alert(int code, int level = 2) {
    return record(alert_record, number(static_cast<std::size_t>(level), 1) + number(static_cast<std::size_t>(code), 1));
}

inline std::string message(int type, const std::string& body) {
    return number(static_cast<std::size_t>(type), 1) + number(body.size(), 3) + body;
}

/// What a ServerHello of TLS 1.2 says.
struct hello {
    int cipher = 0xc02b;  // ECDHE, ECDSA, AES128-GCM
    int version = 0x0303;
    int compression = 0;
    bool renegotiation_info = true;
    std::string end_of_random = "ordinary";
};

inline std::string server_hello(const hello& h = {}) {
    const std::string extensions = h.renegotiation_info ? std::string("\xff\x01\x00\x01\x00", 5) : std::string();
    const std::string random = std::string(32 - h.end_of_random.size(), 'r') + h.end_of_random;
    const std::string body = number(static_cast<std::size_t>(h.version), 2) + random + number(0, 1) +
                             number(static_cast<std::size_t>(h.cipher), 2) +
                             number(static_cast<std::size_t>(h.compression), 1) +
                             (extensions.empty() ? "" : number(extensions.size(), 2) + extensions);
    return record(handshake, message(2, body));
}

/// Sends what it is told to, once a peer has said something (or at once), and keeps what comes.
class server {
public:
    enum after { finish, reset, stay };

    server(boost::asio::io_context& context, std::string text, after then = finish, bool at_once = false)
        : state_(std::make_shared<state>(context, std::move(text), then, at_once)) {
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~server() { state_->acceptor.close(); }
    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    const std::string& seen() const { return state_->seen; }
    int connections() const { return state_->connections; }

private:
    struct state {
        state(boost::asio::io_context& context, std::string t, after how, bool first)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)),
              text(std::move(t)),
              then(how),
              at_once(first) {}
        tcp::acceptor acceptor;
        std::string text, seen;
        after then;
        bool at_once;
        int connections = 0;
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
        char buffer[4096];
        if (!s->at_once) {
            const auto outcome = co_await socket.async_read_some(boost::asio::buffer(buffer), no_throw);
            s->seen.append(buffer, std::get<1>(outcome));
        }
        co_await write_text(socket, s->text);
        boost::system::error_code ignored;
        if (s->then == reset) {
            socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
            co_return;
        }
        if (s->then == finish) socket.shutdown(tcp::socket::shutdown_send, ignored);
        for (;;) {
            const auto outcome = co_await socket.async_read_some(boost::asio::buffer(buffer), no_throw);
            const auto& [failure, n] = outcome;
            if (failure) co_return;
            s->seen.append(buffer, n);
        }
    }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol::test::bytes
