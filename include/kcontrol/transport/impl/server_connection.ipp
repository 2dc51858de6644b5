#pragma once

#include <kcontrol/transport/impl/responder.ipp>
#include <kcontrol/transport/impl/server_connection.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::http::detail {

inline constexpr std::size_t read_ahead_limit = std::size_t{64} << 10;

inline server_connection::server_connection(std::shared_ptr<const connection_context> shared,
                                            std::unique_ptr<byte_stream> stream, std::string peer)
    : shared_(std::move(shared)),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      dog_(std::make_shared<watchdog>(shared_->env, shared_->ex)),
      chunk_(std::size_t{16} << 10) {
    dog_->watch(&stream_->socket());
}

inline void server_connection::stop() {
    gone_.request_stop();
    if (handshaking_) stream_->close();
}

inline void server_connection::close() {
    ended_ = true;
    stop();
    stream_->close();
    arrived_.notify_all();
}

inline void server_connection::reset() {
    stream_->reset();
    close();
}

inline void server_connection::pump() {
    if (reading_ || ended_ || input_.size() >= read_ahead_limit) return;
    reading_ = true;
    // The read keeps the connection alive: its stream must not be destroyed during the read.
    stream_->async_read(boost::asio::buffer(chunk_), [self = shared_from_this()](error_code failure, std::size_t n) {
        self->reading_ = false;
        if (n != 0)
            self->input_.commit(
                boost::asio::buffer_copy(self->input_.prepare(n), boost::asio::buffer(self->chunk_.data(), n)));
        if (failure) {
            self->ended_ = true;
            self->stop();
        }
        self->arrived_.notify_all();
        self->pump();
    });
}

inline awaitable<wake> server_connection::more_input(time_point deadline) {
    pump();
    if (ended_) co_return wake::stopped;
    co_return co_await arrived_.wait(shared_->env, gone_.get_token(), deadline);
}

inline awaitable<result<void>> server_connection::write_out(write_buffers out) {
    dog_->deadline(shared_->env.now() + shared_->options.write_timeout());
    const io_outcome written = co_await detail::write(*stream_, out);
    dog_->deadline(std::nullopt);
    if (!written.failure) co_return result<void>();
    stop();
    co_return error(errc::connection_lost, "the peer is gone: " + written.failure.message());
}

inline awaitable<bool> server_connection::open_tls() {
    if (!stream_->tls()) co_return true;
    dog_->deadline(shared_->env.now() + shared_->options.header_timeout());
    handshaking_ = true;
    const error_code failure = co_await handshake(*stream_);
    handshaking_ = false;
    dog_->deadline(std::nullopt);
    if (failure) {
        shared_->log.debug("TLS handshake failed", {{"peer", peer_}, {"error", failure.message()}});
        co_return false;
    }
    client_subject_ = peer_common_name(stream_->tls());
    co_return true;
}

inline awaitable<void> server_connection::serve() {
    const auto self = shared_from_this();
    const bool open = co_await open_tls();
    while (open && !gone_.stop_requested()) {
        const bool again = co_await serve_one();
        if (!again) break;
    }
    if (open && !ended_ && !gone_.stop_requested() && stream_->socket().is_open()) co_await farewell();
    close();
    dog_->release();
}

// Ends the connection so that the peer gets all that was sent: TLS is ended properly, and a peer that is still
// sending what was refused is read for a while, because closing a socket with unread input resets it.
inline awaitable<void> server_connection::farewell() {
    const time_point deadline = shared_->env.now() + std::chrono::seconds(1);
    dog_->deadline(deadline);
    if (!refused_) {
        if (stream_->tls()) co_await shut_down(*stream_);
        co_return;
    }
    if (!stream_->tls()) co_await shut_down(*stream_);
    for (int rounds = 0; rounds < 1024; ++rounds) {
        input_.clear();
        const wake reason = co_await more_input(deadline);
        if (reason != wake::notified) break;
    }
}

inline awaitable<void> server_connection::refuse(int status) {
    refused_ = true;
    server_responder answer(*this, false, true, false);
    (void)co_await answer.send(
        response(status, "text/plain; charset=utf-8", std::string(reason_phrase(status)) + "\n"));
}

inline awaitable<bool> server_connection::serve_one() {
    message_parser<true> parser(shared_->options.max_body());
    parser.stop_after_head();
    int refusal = co_await read_head(parser);
    if (refusal == 0) refusal = co_await read_body(parser);
    if (refusal > 0) co_await refuse(refusal);
    if (refusal != 0) co_return false;
    co_return co_await run_handler(parser);
}

inline int refusal_for(const error& broken, bool body_too_large) {
    if (body_too_large) return 413;
    return broken == errc::too_large ? 431 : 400;
}

inline awaitable<int> server_connection::read_head(message_parser<true>& parser) {
    // A kept-alive connection may idle; once a request begins, its header has to come in time.
    bool begun = input_.size() != 0;
    const auto& options = shared_->options;
    time_point deadline = shared_->env.now() + (begun ? options.header_timeout() : options.idle_timeout());
    for (;;) {
        if (!begun && input_.size() != 0) {
            begun = true;
            deadline = shared_->env.now() + options.header_timeout();
        }
        const auto parsed = parser.parse(input_);
        if (!parsed) co_return refusal_for(parsed.error(), parser.body_too_large);
        if (parser.head_done()) break;
        const wake reason = co_await more_input(deadline);
        if (reason == wake::timeout) co_return begun ? 408 : -1;
        if (reason == wake::stopped) co_return -1;
    }
    if (!is_valid_target(parser.target)) co_return 400;
    const auto hosts = std::count_if(parser.headers.begin(), parser.headers.end(),
                                     [](const fields::field& f) { return iequals(f.name, "Host"); });
    if (hosts > 1 || (hosts == 0 && parser.version >= 11)) co_return 400;  // RFC 9112 §3.2
    co_return 0;
}

inline awaitable<int> server_connection::read_body(message_parser<true>& parser) {
    const auto expected = parser.headers.get("Expect");
    if (!expected.empty() && !iequals(expected, "100-continue")) co_return 417;
    if (!expected.empty() && !parser.done() && input_.size() == 0) {
        write_buffers out{boost::asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), boost::asio::const_buffer(),
                          boost::asio::const_buffer()};
        const auto written = co_await write_out(out);
        if (!written) co_return -1;
    }
    const time_point deadline = shared_->env.now() + shared_->options.body_timeout();
    for (;;) {
        const auto parsed = parser.parse(input_);
        if (!parsed) co_return refusal_for(parsed.error(), parser.body_too_large);
        if (parser.done()) co_return 0;
        const wake reason = co_await more_input(deadline);
        if (reason == wake::timeout) co_return 408;
        if (reason == wake::stopped) co_return -1;
    }
}

inline awaitable<bool> server_connection::run_handler(message_parser<true>& parser) {
    const bool keep_alive = parser.version >= 11 && parser.keep_alive();
    server_responder answer(*this, parser.method == "HEAD", parser.version >= 11, keep_alive);
    server_request request;
    request.method = std::move(parser.method);
    request.target = std::move(parser.target);
    request.headers = std::move(parser.headers);
    request.body = std::move(parser.body);
    request.peer = peer_;
    request.client_subject = client_subject_;
    pump();  // while the handler works, notices that the peer has closed
    std::string problem;
    try {
        co_await shared_->answer(std::move(request), answer);
    } catch (const std::exception& e) {
        problem = e.what();
        if (problem.empty()) problem = "exception";
    } catch (...) {
        problem = "an exception that is no std::exception";
    }
    if (!problem.empty()) shared_->log.error("an HTTP handler failed", {{"peer", peer_}, {"error", problem}});
    co_return co_await answer.finish(!problem.empty());
}

}  // namespace kcontrol::http::detail
