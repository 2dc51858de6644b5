#pragma once

#include <kcontrol/transport/impl/byte_stream.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

namespace kcontrol::http::detail {

class plain_stream final : public byte_stream {
public:
    explicit plain_stream(tcp::socket socket) : socket_(std::move(socket)) {}
    tcp::socket& socket() noexcept override { return socket_; }

    void async_handshake(done_handler handler) override {
        boost::asio::post(socket_.get_executor(), boost::asio::append(std::move(handler), error_code{}));
    }
    void async_read(boost::asio::mutable_buffer into, io_handler handler) override {
        socket_.async_read_some(boost::asio::mutable_buffers_1(into), std::move(handler));
    }
    void async_write(write_buffers from, io_handler handler) override {
        boost::asio::async_write(socket_, from, std::move(handler));
    }
    void async_shutdown(done_handler handler) override {
        error_code failure;
        socket_.shutdown(tcp::socket::shutdown_send, failure);
        boost::asio::post(socket_.get_executor(), boost::asio::append(std::move(handler), failure));
    }

private:
    tcp::socket socket_;
};

// TLS over TCP, or over TLS with a proxy.
template <class Below>
class tls_stream_over final : public byte_stream {
public:
    template <class From>
    tls_stream_over(From&& below, std::shared_ptr<tls_context> context, bool client,
                    std::shared_ptr<tls_context> below_context = nullptr)
        : below_context_(std::move(below_context)),
          context_(std::move(context)),
          stream_(std::forward<From>(below), context_->native()),
          client_(client) {}
    tcp::socket& socket() noexcept override {
        if constexpr (std::is_same_v<Below, tcp::socket>) {
            return stream_.next_layer();
        } else {
            return stream_.next_layer().next_layer();
        }
    }
    ssl_st* tls() noexcept override { return stream_.native_handle(); }
    boost::asio::ssl::stream<Below>& stream() noexcept { return stream_; }
    const std::shared_ptr<tls_context>& context() const noexcept { return context_; }

    void async_handshake(done_handler handler) override {
        using boost::asio::ssl::stream_base;
        stream_.async_handshake(client_ ? stream_base::client : stream_base::server, std::move(handler));
    }
    void async_read(boost::asio::mutable_buffer into, io_handler handler) override {
        stream_.async_read_some(boost::asio::mutable_buffers_1(into), std::move(handler));
    }
    void async_write(write_buffers from, io_handler handler) override {
        boost::asio::async_write(stream_, from, std::move(handler));
    }
    void async_shutdown(done_handler handler) override { stream_.async_shutdown(std::move(handler)); }

private:
    std::shared_ptr<tls_context> below_context_;
    std::shared_ptr<tls_context> context_;
    boost::asio::ssl::stream<Below> stream_;
    bool client_;
};

using tls_stream = tls_stream_over<tcp::socket>;
using tls_in_tls_stream = tls_stream_over<boost::asio::ssl::stream<tcp::socket>>;

KCONTROL_DECL void byte_stream::close() noexcept {
    error_code ignored;
    socket().close(ignored);
}

KCONTROL_DECL void byte_stream::reset() noexcept {
    error_code ignored;
    socket().set_option(boost::asio::socket_base::linger(true, 0), ignored);
    socket().close(ignored);
}

KCONTROL_DECL std::unique_ptr<byte_stream> make_plain_stream(tcp::socket socket) {
    return std::make_unique<plain_stream>(std::move(socket));
}

KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_stream(tcp::socket socket,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name) {
    const bool client = !peer_name.empty();
    std::unique_ptr<byte_stream> stream = std::make_unique<tls_stream>(std::move(socket), std::move(context), client);
    if (client) {
        if (const auto expected = expect_peer(stream->tls(), peer_name); !expected) return expected.error();
    }
    return stream;
}

KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_inside(std::unique_ptr<byte_stream> outer,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name) {
    if (!outer->tls()) return make_tls_stream(std::move(outer->socket()), std::move(context), peer_name);
    auto& below = static_cast<tls_stream&>(*outer);
    std::unique_ptr<byte_stream> stream =
        std::make_unique<tls_in_tls_stream>(std::move(below.stream()), std::move(context), true, below.context());
    if (const auto expected = expect_peer(stream->tls(), peer_name); !expected) return expected.error();
    return stream;
}

using io_token = boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>>;

KCONTROL_DECL awaitable<io_outcome> read(byte_stream& stream, boost::asio::mutable_buffer into) {
    start_read operation{&stream, into};
    io_token token;
    const auto outcome =
        co_await boost::asio::async_initiate<io_token, void(error_code, std::size_t)>(operation, token);
    const auto& [failure, bytes] = outcome;
    co_return io_outcome(failure, bytes);
}

KCONTROL_DECL awaitable<io_outcome> write(byte_stream& stream, write_buffers from) {
    start_write operation{&stream, from};
    io_token token;
    const auto outcome =
        co_await boost::asio::async_initiate<io_token, void(error_code, std::size_t)>(operation, token);
    const auto& [failure, bytes] = outcome;
    co_return io_outcome(failure, bytes);
}

KCONTROL_DECL awaitable<error_code> handshake(byte_stream& stream) {
    start_handshake operation{&stream};
    io_token token;
    const auto outcome = co_await boost::asio::async_initiate<io_token, void(error_code)>(operation, token);
    const auto& [failure] = outcome;
    co_return failure;
}

KCONTROL_DECL awaitable<error_code> shut_down(byte_stream& stream) {
    start_shutdown operation{&stream};
    io_token token;
    const auto outcome = co_await boost::asio::async_initiate<io_token, void(error_code)>(operation, token);
    const auto& [failure] = outcome;
    co_return failure;
}

}  // namespace kcontrol::http::detail
