// TLS over a connection. OpenSSL reads from and writes to the socket itself, so a connection that waits holds no
// buffer.
#pragma once

#include <kcontrol/transport/impl/byte_stream.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

namespace kcontrol::inline v0_1::http::detail {

/// What a socket said to OpenSSL last, which keeps only that something failed.
class socket_state {
public:
    explicit socket_state(tcp::socket& s) noexcept : socket(&s) {}

    tcp::socket* socket;
    int failure = 0;     ///< an errno, of what was no mere "not now"
    bool ended = false;  ///< the peer closed TCP
    bool full = false;   ///< the last read got all that it asked for: there may be more
};

/// TLS over TCP, or over TLS with a proxy.
///
/// Thread-safety: shared objects unsafe.
/// Cancellation: closing the socket, or stop_reading().
/// Object lifetime: see byte_stream.
class tls_stream final : public byte_stream {
public:
    /// `below` has nothing left to read.
    tls_stream(std::unique_ptr<byte_stream> below, std::shared_ptr<tls_context> context, bool client);

    tcp::socket& socket() noexcept override { return below_->socket(); }
    ssl_st* tls() noexcept override { return ssl_.get(); }
    void async_handshake(done_handler handler) override;
    void async_read(boost::asio::mutable_buffer into, io_handler handler) override;
    void async_write(write_buffers from, io_handler handler) override;
    std::size_t write_now(boost::asio::const_buffer from, error_code& failure) override;
    void async_shutdown(done_handler handler) override;
    bool has_input() const noexcept override { return SSL_has_pending(ssl_.get()) == 1 || below_->has_input(); }
    void stop_reading() noexcept override;

private:
    enum class need { nothing, input, output };
    template <class Step, class Handler>
    class operation;
    class handshake_step;
    class read_step;
    class write_step;
    class shutdown_step;
    class ssl_deleter {
    public:
        void operator()(SSL* p) const noexcept { SSL_free(p); }
    };

    socket_state& state() noexcept;
    need judge(int outcome, error_code& failure);
    error_code failure_of(int kind);
    template <class Step, class Handler>
    void start(Step step, Handler handler, bool at_once = true);

    std::shared_ptr<tls_context> context_;
    std::unique_ptr<byte_stream> below_;
    socket_state state_;
    std::unique_ptr<SSL, ssl_deleter> ssl_;
    std::string joined_;  // small pieces of one write, which go out as one record
    bool reading_stopped_ = false;
};

}  // namespace kcontrol::http::detail
