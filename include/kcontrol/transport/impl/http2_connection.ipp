#pragma once

#include <kcontrol/transport/impl/http2_connection.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

// TLS hands out no more than a record at a time.
inline constexpr std::size_t http2_most_read = std::size_t{16} << 10;
// A connection whose watches are quiet waits with it, and a process may have thousands of them.
inline constexpr std::size_t http2_least_read = std::size_t{2} << 10;
inline constexpr std::size_t http2_write_size = std::size_t{64} << 10;

KCONTROL_DECL http2_connection::http2_connection(environment& env, executor ex, std::unique_ptr<byte_stream> stream,
                                                 std::string authority, std::string peer_name, duration ping_idle,
                                                 duration ping_timeout)
    : env_(env),
      ex_(std::move(ex)),
      stream_(std::move(stream)),
      peer_name_(std::move(peer_name)),
      life_(ping_idle, ping_timeout),
      session_(std::move(authority)),
      idle_since_(env.now()) {
    life_.begin(idle_since_);
}

KCONTROL_DECL http2_connection::~http2_connection() = default;

KCONTROL_DECL bool http2_connection::open(http2_stream& stream) {
    if (!has_room() || !session_.open(stream)) return false;
    if (!reading_) life_.begin(env_.now());
    pump_later();
    read();
    return true;
}

KCONTROL_DECL void http2_connection::abandon(http2_stream& stream) {
    session_.abandon(stream);
    pump_later();
}

KCONTROL_DECL void http2_connection::took(const http2_stream& stream, std::size_t n) {
    session_.took(stream, n);
    if (session_.has_output()) pump_later();
}

KCONTROL_DECL void http2_connection::leave() {
    leaving_ = true;
    pump_later();
}

// Not at once: requests that begin together go out together, and a reader that goes on has asked for its next one by
// then.
inline void http2_connection::pump_later() {
    if (dead_ || std::exchange(pump_posted_, true)) return;
    boost::asio::post(ex_, [self = shared_from_this()] {
        self->pump_posted_ = false;
        self->pump();
    });
}

inline void http2_connection::pump() {
    if (dead_ || writing_) return;
    if (!write_broken_) {
        output_.clear();
        const auto taken = session_.take_output(output_, http2_write_size);
        if (!taken) return die(taken.error(), taken.error());
    }
    if (!is_idle()) watch_life();
    if (write_broken_ || output_.empty()) return become_idle();
    error_code failed;
    boost::asio::const_buffer rest = boost::asio::buffer(output_);
    rest += stream_->write_now(rest, failed);
    if (failed) write_broken_ = true;
    if (failed || rest.size() == 0) {
        // What is more to say has its turn, and so has whoever goes on with another stream.
        if (failed || is_idle() || session_.has_output()) pump_later();
        return;
    }
    writing_ = true;
    const write_buffers out{rest, boost::asio::const_buffer(), boost::asio::const_buffer()};
    stream_->async_write(out, [self = shared_from_this()](const error_code& failure, std::size_t) {
        self->writing_ = false;
        // Reading says why: the server may have answered early, or its TLS alert explains it.
        if (failure) self->write_broken_ = true;
        self->pump();
    });
}

inline void http2_connection::read() {
    if (dead_ || std::exchange(reading_, true)) return;
    if (input_.empty()) input_.resize(http2_least_read);
    stream_->async_read(boost::asio::buffer(input_),
                        [self = shared_from_this()](const error_code& failure, std::size_t n) {
                            self->reading_ = false;
                            self->on_read(failure, n);
                        });
}

inline void http2_connection::on_read(const error_code& failure, std::size_t n) {
    if (dead_) return;
    if (n != 0) {
        answered_ = true;
        life_.heard(env_.now());
        const auto taken = session_.receive({input_.data(), n});
        if (!taken) return die(taken.error(), taken.error());
        if (!reading_) fit_input(n);
    }
    // Or become_idle() has ended it, and it goes on if somebody came meanwhile.
    if (failure && failure != boost::asio::error::operation_aborted) return die_of(failure);
    has_read_.notify_all();
    if (session_.has_output()) pump();
    if (dead_) return;
    // An idle one reads on only where something was left behind that answer: a goodbye, for one.
    if (!is_idle() || (n != 0 && stream_->has_input())) read();
    if (is_idle()) pump_later();
}

// More room while much comes. Answers of a few kilobytes, one after another, keep theirs.
inline void http2_connection::fit_input(std::size_t came) {
    if (came == input_.size()) {
        input_.resize(std::min(came * 4, http2_most_read));
        small_reads_ = 0;
        return;
    }
    if (input_.size() == http2_least_read) return;
    small_reads_ = came <= input_.size() / 4 ? small_reads_ + 1 : 0;
    if (small_reads_ < 2) return;
    std::vector<char>(http2_least_read).swap(input_);
    small_reads_ = 0;
}

// Nothing is left to write. Without streams nothing is waited for, either.
inline void http2_connection::become_idle() {
    if (!is_idle()) return;
    if (leaving_ || over()) {
        const error closed(errc::unavailable, "the connection was closed here");
        return die(closed, closed);
    }
    idle_since_ = env_.now();
    life_.begin(idle_since_);
    output_ = {};
    if (timing_) timer_->cancel();
    if (reading_) {
        stream_->stop_reading();
    } else {
        std::vector<char>().swap(input_);
    }
}

inline void http2_connection::watch_life() {
    if (timing_ || !life_.watches()) return;
    if (!timer_) timer_ = env_.make_timer(ex_);
    timing_ = true;
    timer_->async_wait(life_.next(), [weak = weak_from_this()](bool expired) {
        const auto self = weak.lock();
        if (!self) return;
        self->timing_ = false;
        if (expired) return self->on_timer();
        if (!self->dead_ && !self->is_idle()) self->watch_life();  // somebody came meanwhile
    });
}

inline void http2_connection::on_timer() {
    if (dead_ || is_idle()) return;
    session_.new_period();
    switch (life_.at(env_.now())) {
    case life_signs::step::wait: break;
    case life_signs::step::dead: return die(life_.verdict(), life_.verdict());
    case life_signs::step::ask:
        session_.ping();
        pump();
        break;
    }
    if (!dead_) watch_life();
}

inline void http2_connection::die_of(const error_code& failure) {
    // In TLS 1.3 a server may look at the client's certificate when the client has begun to send.
    refused_ = !answered_ && is_refusal(failure);
    if (refused_) {
        const error why = handshake_error(stream_->tls(), failure, peer_name_);
        return die(why, why);
    }
    if (is_tls_error(failure)) {
        const error why(errc::connection_lost, "TLS broke off: " + tls_failure_text(failure) + session_.farewell());
        return die(why, why);
    }
    const bool ended = failure == boost::asio::error::eof || is_unclean_end(failure);
    const std::string what = ended ? "the server closed the connection" : "the connection broke";
    const std::string how = ended ? "" : ": " + failure.message();
    die(error(errc::connection_lost, what + " without an answer" + how + session_.farewell()),
        error(ended ? errc::truncated : errc::connection_lost,
              what + " inside its answer" + how + session_.farewell()));
}

inline void http2_connection::die(const error& unanswered, const error& answered) {
    if (std::exchange(dead_, true)) return;
    stream_->close();
    if (timing_) timer_->cancel();
    session_.fail(unanswered, answered);
    has_read_.notify_all();
}

KCONTROL_DECL std::optional<bool> http2_connection::is_awake() {
    // One that is in use is read all the time, and what comes on a new one is TLS' own.
    if (!is_idle() || !answered_) return !over();
    char byte = 0;
    auto& socket = stream_->socket();
    const auto n = socket.is_open() ? ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) : 0;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return !over();
    if (n > 0) return std::nullopt;
    die_of(boost::asio::error::eof);
    return false;
}

KCONTROL_DECL awaitable<bool> http2_connection::wake_up(std::shared_ptr<http2_connection> self, std::stop_token stop) {
    if (const auto known = self->is_awake()) co_return *known;
    // A goodbye, TLS' end, or only something that was left to say. It may be a part of what TLS can read.
    self->read();
    const auto until = self->env_.now() + std::chrono::milliseconds(100);
    const wake why = co_await self->has_read_.wait(self->env_, std::move(stop), until);
    static_cast<void>(why);
    co_return !self->over();
}

}  // namespace kcontrol::http::detail
