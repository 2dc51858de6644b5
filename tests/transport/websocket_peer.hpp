// A server that speaks WebSocket frame by frame, as well or as badly as a test wants.
#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include "transport/raw_peer.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <openssl/sha.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::test {

/// Opcodes of RFC 6455 §5.2.
enum : unsigned char { op_continuation = 0, op_text = 1, op_binary = 2, op_close = 8, op_ping = 9, op_pong = 10 };

/// A frame as a server writes it, or as none may.
inline std::string frame(unsigned char opcode, std::string_view payload, bool fin = true, bool masked = false) {
    std::string out(1, static_cast<char>((fin ? 0x80 : 0) | opcode));
    const auto mask_bit = static_cast<unsigned char>(masked ? 0x80 : 0);
    const std::size_t n = payload.size();
    if (n < 126) {
        out += static_cast<char>(mask_bit | n);
    } else if (n < 65536) {
        out += static_cast<char>(mask_bit | 126);
        out += static_cast<char>(n >> 8);
        out += static_cast<char>(n & 0xff);
    } else {
        out += static_cast<char>(mask_bit | 127);
        for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((n >> shift) & 0xff);
    }
    if (masked) out.append(4, '\0');
    return out.append(payload);
}

inline std::string close_frame(unsigned code = 1000) {
    return frame(op_close, std::string{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)});
}

/// What a client sent.
struct client_frame {
    client_frame() = default;
    unsigned char opcode = 0xff;  ///< 0xff: the connection ended
    bool fin = false;
    bool masked = false;
    std::string payload;
};

/// One connection of the peer.
class peer_connection {
public:
    virtual ~peer_connection() = default;
    virtual awaitable<bool> read(void* into, std::size_t bytes) = 0;
    virtual awaitable<bool> write(std::string text) = 0;
    virtual tcp::socket& socket() = 0;

    awaitable<client_frame> next() {
        client_frame out;
        unsigned char first[2], more[8], mask[4] = {};
        bool good = co_await read(first, 2);
        if (!good) co_return out;
        std::uint64_t size = first[1] & 0x7f;
        const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (extra != 0) {
            good = co_await read(more, extra);
            size = 0;
            for (std::size_t i = 0; i < extra; ++i) size = size << 8 | more[i];
        }
        out.masked = (first[1] & 0x80) != 0;
        if (good && out.masked) good = co_await read(mask, 4);
        if (!good) co_return out;
        out.payload.resize(size);
        if (size != 0) good = co_await read(out.payload.data(), size);
        if (!good) co_return out;
        for (std::size_t i = 0; i < size; ++i) out.payload[i] = static_cast<char>(out.payload[i] ^ mask[i % 4]);
        out.opcode = first[0] & 0x0f;
        out.fin = (first[0] & 0x80) != 0;
        co_return out;
    }

    std::string head;  ///< of the request
};

inline std::string value_in(const std::string& head, const std::string& name) {
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

/// The answer that RFC 6455 §4.2.2 wants.
inline std::string switching(const std::string& head, std::string more = {}) {
    const std::string text = value_in(head, "Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char digest[SHA_DIGEST_LENGTH];
    ::SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
    const std::string accept = encode_base64({reinterpret_cast<const char*>(digest), sizeof digest});
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept + "\r\n" + more + "\r\n";
}

class websocket_peer {
public:
    using script = std::function<awaitable<void>(peer_connection&)>;

    /// Plays the script with each connection once its request is there; the connection ends with the script.
    websocket_peer(boost::asio::io_context& context, script play, const std::optional<http::server_tls>& tls = {})
        : state_(std::make_shared<state>(context, std::move(play))) {
        if (tls) {
            state_->tls.emplace(boost::asio::ssl::context::tls_server);
            state_->tls->use_certificate_chain(boost::asio::buffer(tls->cert_pem()));
            state_->tls->use_private_key(boost::asio::buffer(tls->key_pem().reveal()), boost::asio::ssl::context::pem);
        }
        boost::asio::co_spawn(context, accept(state_), boost::asio::detached);
    }
    ~websocket_peer() { state_->acceptor.close(); }
    std::uint16_t port() const { return state_->acceptor.local_endpoint().port(); }
    const std::string& last_head() const { return state_->head; }

    /// A script that switches and then plays another.
    static script switched(script then, std::string more = {}) {
        return [then = std::move(then), more = std::move(more)](peer_connection& c) { return play(c, then, more); };
    }

private:
    struct state {
        state(boost::asio::io_context& context, script s)
            : acceptor(context, tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)), play(std::move(s)) {}
        tcp::acceptor acceptor;
        script play;
        std::optional<boost::asio::ssl::context> tls;
        std::string head;
    };

    template <class Stream>
    class connection_over final : public peer_connection {
    public:
        template <class... Args>
        explicit connection_over(Args&&... args) : stream(std::forward<Args>(args)...) {}
        awaitable<bool> read(void* into, std::size_t bytes) override {
            const auto outcome = co_await boost::asio::async_read(stream, boost::asio::buffer(into, bytes), no_throw);
            co_return !std::get<0>(outcome);
        }
        awaitable<bool> write(std::string text) override {
            const auto outcome = co_await boost::asio::async_write(stream, boost::asio::buffer(text), no_throw);
            co_return !std::get<0>(outcome);
        }
        tcp::socket& socket() override {
            if constexpr (std::is_same_v<Stream, tcp::socket>) {
                return stream;
            } else {
                return stream.next_layer();
            }
        }
        Stream stream;
    };

    static awaitable<void> play(peer_connection& c, script then, std::string more) {
        co_await c.write(switching(c.head, more));
        co_await then(c);
    }

    static awaitable<void> accept(std::shared_ptr<state> s) {
        for (;;) {
            auto outcome = co_await s->acceptor.async_accept(no_throw);
            auto& [failure, socket] = outcome;
            if (failure) co_return;
            boost::asio::co_spawn(s->acceptor.get_executor(), serve(s, std::move(socket)), boost::asio::detached);
        }
    }

    static awaitable<void> serve(std::shared_ptr<state> s, tcp::socket socket) {
        std::unique_ptr<peer_connection> c;
        if (s->tls) {
            using stream = boost::asio::ssl::stream<tcp::socket>;
            auto secure = std::make_unique<connection_over<stream>>(std::move(socket), *s->tls);
            const auto shaken =
                co_await secure->stream.async_handshake(boost::asio::ssl::stream_base::server, no_throw);
            if (std::get<0>(shaken)) co_return;
            c = std::move(secure);
        } else {
            c = std::make_unique<connection_over<tcp::socket>>(std::move(socket));
        }
        while (c->head.find("\r\n\r\n") == std::string::npos) {
            char letter = 0;
            const bool good = co_await c->read(&letter, 1);
            if (!good) co_return;
            c->head += letter;
        }
        s->head = c->head;
        co_await s->play(*c);
    }

    std::shared_ptr<state> state_;
};

}  // namespace kcontrol::test
