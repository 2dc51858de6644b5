#pragma once

#include <kcontrol/transport/impl/byte_stream.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace kcontrol::inline v0_1::http::detail {

class plain_stream final : public byte_stream {
public:
    explicit plain_stream(tcp::socket socket) : socket_(std::move(socket)) {}
    tcp::socket& socket() noexcept override { return socket_; }

    void async_handshake(done_handler handler) override {
        boost::asio::post(socket_.get_executor(), boost::asio::append(std::move(handler), error_code{}));
    }
    void async_read(boost::asio::mutable_buffer into, io_handler handler) override {
        socket_.async_read_some(into, std::move(handler).release());
    }
    void async_write(write_buffers from, io_handler handler) override {
        boost::asio::async_write(socket_, from, std::move(handler).release());
    }
    void async_shutdown(done_handler handler) override {
        error_code failure;
        socket_.shutdown(tcp::socket::shutdown_send, failure);
        boost::asio::post(socket_.get_executor(), boost::asio::append(std::move(handler), failure));
    }

private:
    tcp::socket socket_;
};

KCONTROL_DECL void byte_stream::close() noexcept {
    error_code ignored;
    socket().close(ignored);
}

KCONTROL_DECL void byte_stream::stop_reading() noexcept {
    error_code ignored;
    socket().cancel(ignored);
}

KCONTROL_DECL void byte_stream::reset() noexcept {
    error_code ignored;
    socket().set_option(boost::asio::socket_base::linger(true, 0), ignored);
    socket().close(ignored);
}

KCONTROL_DECL std::unique_ptr<byte_stream> make_plain_stream(tcp::socket socket) {
    return std::make_unique<plain_stream>(std::move(socket));
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
