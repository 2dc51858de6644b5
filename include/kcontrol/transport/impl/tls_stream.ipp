#pragma once

#include <kcontrol/transport/impl/tls_stream.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>

#include <cerrno>
#include <new>
#include <sys/socket.h>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

// OpenSSL's own BIO for sockets writes without MSG_NOSIGNAL: a peer that has gone would kill the process. MSG_DONTWAIT,
// for Asio makes an accepted socket non-blocking when it is first waited for.
struct socket_bio {
    static socket_state& state(BIO* bio) { return *static_cast<socket_state*>(BIO_get_data(bio)); }

    template <class Call>
    static int attempt(BIO* bio, Call call, int retry) {
        auto& own = state(bio);
        own.failure = 0;
        BIO_clear_retry_flags(bio);
        ssize_t n = 0;
        do {
            n = call(own.socket->native_handle());
        } while (n < 0 && errno == EINTR);
        if (n >= 0) return static_cast<int>(n);
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
        } else {
            own.failure = errno;
        }
        return -1;
    }

    static int read(BIO* bio, char* into, int size) {
        const auto room = static_cast<std::size_t>(size);
        const int n = attempt(
            bio, [&](int fd) { return ::recv(fd, into, room, MSG_DONTWAIT); }, BIO_FLAGS_READ);
        state(bio).full = n == size;
        if (n == 0) state(bio).ended = true;
        return n;
    }

    static int write(BIO* bio, const char* from, int size) {
        const auto length = static_cast<std::size_t>(size);
        const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
        return attempt(
            bio, [&](int fd) { return ::send(fd, from, length, flags); }, BIO_FLAGS_WRITE);
    }

    static long control(BIO* bio, int what, long, void*) {
        if (what == BIO_CTRL_EOF) return state(bio).ended ? 1 : 0;
        return what == BIO_CTRL_FLUSH ? 1 : 0;
    }

    // A table of functions, as constant as they are. It is never freed: who knows what is destroyed after it.
    static const BIO_METHOD* method() {
        static const BIO_METHOD* const made = [] {
            BIO_METHOD* const own = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "kcontrol socket");
            if (!own) throw std::bad_alloc();
            BIO_meth_set_read(own, &read);
            BIO_meth_set_write(own, &write);
            BIO_meth_set_ctrl(own, &control);
            return own;
        }();
        return made;
    }

    static BIO* make(socket_state& of) {
        BIO* const made = BIO_new(method());
        if (!made) throw std::bad_alloc();
        BIO_set_data(made, &of);
        BIO_set_init(made, 1);
        return made;
    }

    static BIO* make_over(SSL* outer) {
        BIO* const made = BIO_new(BIO_f_ssl());
        if (!made) throw std::bad_alloc();
        BIO_set_ssl(made, outer, BIO_NOCLOSE);
        return made;
    }
};

inline tls_stream::tls_stream(std::unique_ptr<byte_stream> below, std::shared_ptr<tls_context> context, bool client)
    : context_(std::move(context)),
      below_(std::move(below)),
      state_(below_->socket()),
      ssl_(SSL_new(context_->native().native_handle())) {
    if (!ssl_) throw std::bad_alloc();
    BIO* const bio = below_->tls() ? socket_bio::make_over(below_->tls()) : socket_bio::make(state_);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_read_ahead(ssl_.get(), 1);  // a record and its header in one call
    if (client) {
        SSL_set_connect_state(ssl_.get());
    } else {
        SSL_set_accept_state(ssl_.get());
    }
}

// The socket's: with TLS in TLS, only the lower one sees it.
inline socket_state& tls_stream::state() noexcept {
    return below_->tls() ? static_cast<tls_stream&>(*below_).state() : state_;
}

inline error_code tls_stream::failure_of(int kind) {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (kind == SSL_ERROR_ZERO_RETURN) return boost::asio::error::eof;
    if (kind == SSL_ERROR_SYSCALL && state().failure != 0) {
        return {state().failure, boost::asio::error::get_system_category()};
    }
    const bool cut =
        code == 0 || (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
    if (cut) return boost::asio::ssl::error::stream_truncated;
    return {static_cast<int>(code), boost::asio::error::get_ssl_category()};
}

inline tls_stream::need tls_stream::judge(int outcome, error_code& failure) {
    if (outcome > 0) return need::nothing;
    switch (const int kind = SSL_get_error(ssl_.get(), outcome)) {
    case SSL_ERROR_WANT_READ: return need::input;
    case SSL_ERROR_WANT_WRITE: return need::output;
    default: failure = failure_of(kind); return need::nothing;
    }
}

class tls_stream::handshake_step {
public:
    need go(tls_stream& on) { return on.judge(SSL_do_handshake(on.ssl_.get()), failure); }
    error_code failure;
};

class tls_stream::read_step {
public:
    explicit read_step(boost::asio::mutable_buffer into) : into_(into) {}
    need go(tls_stream& on) {
        const int done = SSL_read_ex(on.ssl_.get(), into_.data(), into_.size(), &bytes);
        const need next = on.judge(done, failure);
        if (next != need::nothing && on.reading_stopped_) {
            failure = boost::asio::error::operation_aborted;
            return need::nothing;
        }
        return next;
    }
    error_code failure;
    std::size_t bytes = 0;

private:
    boost::asio::mutable_buffer into_;
};

class tls_stream::write_step {
public:
    explicit write_step(write_buffers from) : from_(from) {}
    need go(tls_stream& on) {
        for (auto& piece : from_) {
            while (piece.size() != 0) {
                std::size_t n = 0;
                const int done = SSL_write_ex(on.ssl_.get(), piece.data(), piece.size(), &n);
                const need next = on.judge(done, failure);
                if (next != need::nothing || failure) return next;
                bytes += n;
                piece += n;
            }
        }
        on.joined_ = {};
        return need::nothing;
    }
    error_code failure;
    std::size_t bytes = 0;

private:
    write_buffers from_;
};

class tls_stream::shutdown_step {
public:
    need go(tls_stream& on) {
        int done = SSL_shutdown(on.ssl_.get());
        if (done == 0) done = SSL_shutdown(on.ssl_.get());  // now for the peer's
        return on.judge(done, failure);
    }
    error_code failure;
};

// A step of TLS, again after each wait for the socket, until it is done.
template <class Step, class Handler>
class tls_stream::operation {
public:
    operation(tls_stream& on, Step step, Handler handler)
        : on_(&on), step_(std::move(step)), handler_(std::move(handler)) {}

    void begin(bool at_once) {
        if (!at_once) return wait(need::input);
        ERR_clear_error();
        const need next = step_.go(*on_);
        if (next != need::nothing) return wait(next);
        // Never from inside of the call that began it.
        const auto ex = on_->socket().get_executor();
        if constexpr (transfers) {
            if (handler_.at_home()) {
                boost::asio::post(ex, [h = std::move(handler_), failed = step_.failure, n = step_.bytes]() mutable {
                    std::move(h)(failed, n);
                });
                return;
            }
        }
        boost::asio::post(ex, outcome());
    }

    void operator()(const error_code& failed) {
        if (failed) {
            step_.failure = failed;
        } else {
            ERR_clear_error();
            const need next = step_.go(*on_);
            if (next != need::nothing) return wait(next);
        }
        if constexpr (transfers) {
            if (handler_.at_home()) return std::move(handler_)(step_.failure, step_.bytes);
        }
        const auto ex = on_->socket().get_executor();
        boost::asio::dispatch(ex, outcome());
    }

private:
    static constexpr bool transfers = std::is_same_v<Handler, io_handler>;

    auto outcome() {
        if constexpr (transfers) {
            return boost::asio::append(std::move(handler_).release(), step_.failure, step_.bytes);
        } else {
            return boost::asio::append(std::move(handler_), step_.failure);
        }
    }

    void wait(need next) {
        auto& socket = on_->socket();
        socket.async_wait(next == need::input ? tcp::socket::wait_read : tcp::socket::wait_write, std::move(*this));
    }

    tls_stream* on_;
    Step step_;
    Handler handler_;
};

template <class Step, class Handler>
void tls_stream::start(Step step, Handler handler, bool at_once) {
    operation<Step, Handler>(*this, std::move(step), std::move(handler)).begin(at_once);
}

inline void tls_stream::async_handshake(done_handler handler) { start(handshake_step(), std::move(handler)); }

// Where the last answer was read whole, the next one is waited for: the socket is not asked for what it hardly has.
inline void tls_stream::async_read(boost::asio::mutable_buffer into, io_handler handler) {
    reading_stopped_ = false;
    start(read_step(into), std::move(handler), has_input() || state().full);
}

// What fits into one record is one.
inline void tls_stream::async_write(write_buffers from, io_handler handler) {
    const std::size_t whole = boost::asio::buffer_size(from);
    if (whole != from[0].size() && whole <= SSL3_RT_MAX_PLAIN_LENGTH) {
        joined_.reserve(whole);
        for (const auto& piece : from) joined_.append(static_cast<const char*>(piece.data()), piece.size());
        from = {boost::asio::buffer(joined_), boost::asio::const_buffer(), boost::asio::const_buffer()};
    }
    start(write_step(from), std::move(handler));
}

inline std::size_t tls_stream::write_now(boost::asio::const_buffer from, error_code& failure) {
    ERR_clear_error();
    write_step step({from, boost::asio::const_buffer(), boost::asio::const_buffer()});
    static_cast<void>(step.go(*this));
    failure = step.failure;
    return step.bytes;
}

inline void tls_stream::async_shutdown(done_handler handler) { start(shutdown_step(), std::move(handler)); }

inline void tls_stream::stop_reading() noexcept {
    reading_stopped_ = true;
    byte_stream::stop_reading();
}

KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_inside(std::unique_ptr<byte_stream> outer,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name) {
    const bool client = !peer_name.empty();
    std::unique_ptr<byte_stream> stream = std::make_unique<tls_stream>(std::move(outer), std::move(context), client);
    if (client) {
        if (const auto expected = expect_peer(stream->tls(), peer_name); !expected) return expected.error();
    }
    return stream;
}

KCONTROL_DECL result<std::unique_ptr<byte_stream>> make_tls_stream(tcp::socket socket,
                                                                   std::shared_ptr<tls_context> context,
                                                                   const std::string& peer_name) {
    return make_tls_inside(make_plain_stream(std::move(socket)), std::move(context), peer_name);
}

}  // namespace kcontrol::http::detail
