// A connection as bytes: plain TCP and TLS behind one interface, so that what is above is compiled once.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/system_executor.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

struct ssl_st;

namespace kcontrol::inline v0_1::http::detail {

using tcp = boost::asio::ip::tcp;
using done_handler = boost::asio::any_completion_handler<void(error_code)>;
using write_buffers = std::array<boost::asio::const_buffer, 3>;

/// What is called when a read or a write has ended. It knows whether it runs where the stream's socket does: an
/// executor that is handed on with the types erased takes two allocations each time that it is asked for.
class io_handler {
public:
    using any_handler = boost::asio::any_completion_handler<void(error_code, std::size_t)>;

    io_handler() = default;
    /// One without an executor of its own, as a lambda, runs where the socket does.
    template <class Handler>
    requires(!std::is_same_v<std::remove_cvref_t<Handler>, io_handler>)
        io_handler(Handler&& handler)  // NOLINT(google-explicit-constructor): as any_completion_handler
        : at_home_(std::is_same_v<boost::asio::associated_executor_t<std::remove_cvref_t<Handler>>,
                                  boost::asio::system_executor>),
          call_(std::forward<Handler>(handler)) {}
    /// `home` is the socket's executor.
    template <class Handler>
    io_handler(Handler&& handler, const executor& home)
        : at_home_(boost::asio::get_associated_executor(handler, home) == home),
          call_(std::forward<Handler>(handler)) {}
    io_handler(io_handler&&) = default;
    io_handler& operator=(io_handler&&) = delete;  // Boost 1.81: any_completion_handler's calls itself for ever
    ~io_handler() = default;

    bool at_home() const noexcept { return at_home_; }
    any_handler release() && noexcept { return std::move(call_); }
    explicit operator bool() const noexcept { return static_cast<bool>(call_); }
    void operator()(const error_code& failure, std::size_t n) && { std::move(call_)(failure, n); }
    void swap(io_handler& other) noexcept {
        std::swap(at_home_, other.at_home_);
        call_.swap(other.call_);
    }

private:
    bool at_home_ = false;
    any_handler call_;
};

class tls_context;

/// One connection. At most one read and one write at a time; both must have ended before it is destroyed, or be
/// destroyed with their context.
class byte_stream {
public:
    virtual ~byte_stream() = default;
    virtual tcp::socket& socket() noexcept = 0;
    virtual void async_handshake(done_handler handler) = 0;
    virtual void async_read(boost::asio::mutable_buffer into, io_handler handler) = 0;
    virtual void async_write(write_buffers from, io_handler handler) = 0;  // all of it
    /// Writes what can be written at once, and says how much that is; the rest is for async_write(). No write is in
    /// progress.
    virtual std::size_t write_now(boost::asio::const_buffer /*from*/, error_code& /*failure*/) { return 0; }
    virtual void async_shutdown(done_handler handler) = 0;
    virtual ssl_st* tls() noexcept { return nullptr; }
    /// Something of what came is kept here and not yet read; it need not be whole.
    virtual bool has_input() const noexcept { return false; }
    /// Ends the read in progress with operation_aborted, unless it has ended already. Nothing may be written meanwhile.
    KCONTROL_DECL virtual void stop_reading() noexcept;

    KCONTROL_DECL void close() noexcept;
    KCONTROL_DECL void reset() noexcept;  // close with RST
};

KCONTROL_DECL std::unique_ptr<byte_stream> make_plain_stream(tcp::socket socket);

/// The client's end of TLS that verifies `peer_name`, or the server's if it is empty.
KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_stream(tcp::socket socket,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name);

/// The same over `outer`, which is plain or TLS itself (with a proxy) and has nothing left to read.
KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_inside(std::unique_ptr<byte_stream> outer,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name);

/// Nothing of this process' sockets is inherited by its children, and small messages go out at once.
KCONTROL_DECL void prepare_socket(tcp::socket& socket, bool client) noexcept;

class io_outcome {
public:
    io_outcome(error_code f, std::size_t n) noexcept : failure(f), bytes(n) {}
    error_code failure;
    std::size_t bytes;
};

// Named function objects, not lambdas: g++ 12 destroys capturing lambda temporaries of a co_await twice.
struct start_read {
    byte_stream* stream = nullptr;
    boost::asio::mutable_buffer into;
    template <class Handler>
    void operator()(Handler&& handler) {
        stream->async_read(into, io_handler(std::forward<Handler>(handler), stream->socket().get_executor()));
    }
};
struct start_write {
    byte_stream* stream = nullptr;
    write_buffers from;
    template <class Handler>
    void operator()(Handler&& handler) {
        stream->async_write(from, io_handler(std::forward<Handler>(handler), stream->socket().get_executor()));
    }
};
struct start_handshake {
    byte_stream* stream = nullptr;
    template <class Handler>
    void operator()(Handler&& handler) {
        stream->async_handshake(done_handler(std::forward<Handler>(handler)));
    }
};
struct start_shutdown {
    byte_stream* stream = nullptr;
    template <class Handler>
    void operator()(Handler&& handler) {
        stream->async_shutdown(done_handler(std::forward<Handler>(handler)));
    }
};

KCONTROL_DECL awaitable<io_outcome> read(byte_stream& stream, boost::asio::mutable_buffer into);
KCONTROL_DECL awaitable<io_outcome> write(byte_stream& stream, write_buffers from);
KCONTROL_DECL awaitable<error_code> handshake(byte_stream& stream);
KCONTROL_DECL awaitable<error_code> shut_down(byte_stream& stream);

}  // namespace kcontrol::http::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/transport/impl/byte_stream.ipp>
#include <kcontrol/transport/impl/byte_stream_linux.ipp>
#include <kcontrol/transport/impl/tls_stream.ipp>
#endif
