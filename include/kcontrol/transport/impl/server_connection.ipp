#pragma once

#include <kcontrol/transport/impl/responder.ipp>
#include <kcontrol/transport/impl/server_connection.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline constexpr std::size_t read_ahead_limit = std::size_t{64} << 10;

// What one read asks for: little of a peer that says nothing, more of one that says much.
inline constexpr std::size_t least_server_read = std::size_t{2} << 10;
inline constexpr std::size_t most_server_read = std::size_t{16} << 10;

// An answer goes out in slices of this size: a peer that takes one is not stalled.
inline constexpr std::size_t write_slice = std::size_t{64} << 10;

// An answer, or its first part, that is not behind large ones.
inline constexpr std::size_t small_answer = std::size_t{256} << 10;

// However many want a turn at large answers, each gets on after so long.
inline constexpr duration most_for_a_turn = std::chrono::seconds(1);

inline void connection_context::close(std::vector<id>& made_room, shed_reason why) {
    for (const id one : std::exchange(made_room, {})) {
        const auto found = connections.find(one);
        if (found != connections.end()) found->second->close();
        const auto times = shed_pace_.count(env.now());
        if (!times) continue;
        log.warning("connections that waited for their peers the longest are closed to make room",
                    {{"limit", std::string(to_string(why))}, {"closed", std::to_string(*times)}});
    }
}

inline void connection_context::tell_refused(shed_reason why) {
    const auto times = refused_pace_.count(env.now());
    if (!times) return;
    log.warning("connections are refused: there is no room for them, and none that waits for its peer",
                {{"limit", std::string(to_string(why))}, {"refused", std::to_string(*times)}});
}

inline void connection_context::tell_postponed(const error_code& why) {
    const auto times = postponed_pace_.count(env.now());
    if (!times) return;
    log.warning("can't accept a connection; trying again",
                {{"error", why.message()}, {"tried", std::to_string(*times)}});
}

inline server_connection::server_connection(std::shared_ptr<connection_context> shared, connection_ledger::id name,
                                            std::unique_ptr<byte_stream> stream, std::string peer)
    : shared_(std::move(shared)),
      name_(name),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      dog_(std::make_shared<watchdog>(shared_->env, shared_->ex)),
      chunk_(least_server_read),
      begun_(shared_->env.now()) {
    dog_->watch(&stream_->socket());
}

inline void server_connection::stop() {
    gone_.request_stop();
    if (handshaking_) stream_->close();
}

inline void server_connection::drain() {
    drained_ = true;
    if (idle_ && input_.size() == 0) stop();
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
    if (filled_ && chunk_.size() < most_server_read) chunk_ = std::vector<char>(most_server_read);
    // The read keeps the connection alive: its stream must not be destroyed during the read.
    stream_->async_read(boost::asio::buffer(chunk_), [self = shared_from_this()](error_code failure, std::size_t n) {
        self->reading_ = false;
        self->filled_ = n == self->chunk_.size();
        if (n != 0) {
            self->input_.commit(
                boost::asio::buffer_copy(self->input_.prepare(n), boost::asio::buffer(self->chunk_.data(), n)));
            if (self->working_) self->account();  // else who asked for it does
        }
        if (failure) {
            self->ended_ = true;
            self->stop();
        }
        self->arrived_.notify_all();
        self->pump();
    });
}

inline server_connection::due server_connection::by_login(due other) const {
    const duration login = shared_->options.login_timeout();
    if (login == duration::zero() || known_ || begun_ + login >= other.when) return other;
    return due(begun_ + login, timeout_cause::login);
}

// Of one that does not even pause between its requests.
inline bool server_connection::is_late_with_login() {
    const time_point now = shared_->env.now();
    const due by = by_login(due(now, timeout_cause::idle));
    if (by.for_what != timeout_cause::login) return false;
    shared_->ledger.was_late(timeout_cause::login);
    return true;
}

inline bool server_connection::has_room() {
    std::vector<connection_ledger::id> made_room;
    const bool fits = shared_->ledger.hold(name_, held(), shared_->env.now(), made_room);
    shared_->close(made_room, shed_reason::bytes);
    return fits;
}

inline void server_connection::settle() {
    if (working_) {
        shared_->ledger.works(name_);
    } else {
        shared_->ledger.waits(name_, shared_->env.now());
    }
}

inline void server_connection::account() { static_cast<void>(has_room()); }

// What goes out can't be refused any more. A little answer (who is refused gets one) costs nobody his place.
inline void server_connection::account_for_answer() {
    if (unsent_ <= connection_ledger::always_granted) return account();
    std::vector<connection_ledger::id> made_room;
    shared_->ledger.must_hold(name_, held(), shared_->env.now(), made_room);
    shared_->close(made_room, shed_reason::bytes);
}

inline void server_connection::admit() {
    if (known_) return;
    known_ = true;
    shared_->ledger.admit(name_);
}

inline awaitable<wake> server_connection::any_input(time_point deadline) {
    pump();
    if (ended_) co_return wake::stopped;
    co_return co_await arrived_.wait(shared_->env, gone_.get_token(), deadline);
}

inline awaitable<wake> server_connection::more_input(due by) {
    const wake why = co_await any_input(by.when);
    if (why == wake::timeout) shared_->ledger.was_late(by.for_what);
    co_return why;
}

// The first `most` bytes of `from`, which are taken off it.
inline write_buffers take_slice(write_buffers& from, std::size_t most) {
    write_buffers out{};
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t n = std::min(most, from[i].size());
        out[i] = boost::asio::const_buffer(from[i].data(), n);
        from[i] += n;
        most -= n;
    }
    return out;
}

inline awaitable<result<void>> server_connection::write_out(write_buffers out) {
    for (unsent_ = boost::asio::buffer_size(out); unsent_ != 0;) {
        account_for_answer();
        if (granted_ == 0) co_await take_turn();
        const time_point now = shared_->env.now();
        const due by = by_login(due(now + shared_->options.write_timeout(), timeout_cause::answer));
        shared_->ledger.waits(name_, now);
        const write_buffers slice = take_slice(out, write_slice);
        // Who is late with the login may still be told so.
        dog_->deadline(std::max(by.when, now + std::chrono::seconds(1)));
        const io_outcome written = co_await detail::write(*stream_, slice);
        dog_->deadline(std::nullopt);
        settle();
        if (written.failure) {
            unsent_ = 0;
            if (dog_->cause() == cut_cause::timeout) shared_->ledger.was_late(by.for_what);
            stop();
            co_return error(errc::connection_lost, "the peer is gone: " + tls_failure_text(written.failure));
        }
        unsent_ -= boost::asio::buffer_size(slice);
        granted_ -= std::min(granted_, boost::asio::buffer_size(slice));
    }
    account();
    co_return result<void>();
}

// Before more of a large answer. Meanwhile it makes room for nobody: it waits for us, not for its peer, and who is next
// has waited for the longest.
inline awaitable<void> server_connection::take_turn() {
    granted_ = write_slice;
    shared_->ledger.works(name_);
    co_await shared_->large_answers->take(gone_.get_token(), most_for_a_turn);
    settle();
}

// Somebody forgot the s of https, and would else see a connection that closes. One try: it fits into the socket's
// buffer, or the peer is not worth waiting for.
inline void tell_that_tls_is_spoken(byte_stream& stream, const error_code& failure) {
    const bool plain =
        is_tls_error(failure) && ERR_GET_REASON(static_cast<unsigned long>(failure.value())) == SSL_R_HTTP_REQUEST;
    if (!plain) return;
    static constexpr std::string_view answer =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 63\r\n"
        "Connection: close\r\n\r\nThis port speaks TLS: ask with https:// in place of http:// .\r\n";
    error_code ignored;
    stream.socket().write_some(boost::asio::buffer(answer), ignored);
    stream.socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

inline awaitable<bool> server_connection::open_tls() {
    if (!stream_->tls()) co_return true;
    dog_->deadline(shared_->env.now() + shared_->options.handshake_timeout());
    handshaking_ = true;
    const error_code failure = co_await handshake(*stream_);
    handshaking_ = false;
    dog_->deadline(std::nullopt);
    if (failure) {
        if (dog_->cause() == cut_cause::timeout) shared_->ledger.was_late(timeout_cause::handshake);
        tell_that_tls_is_spoken(*stream_, failure);
        shared_->log.debug("TLS handshake failed", {{"peer", peer_}, {"error", tls_failure_text(failure)}});
        co_return false;
    }
    client_subject_ = peer_common_name(stream_->tls());
    co_return true;
}

inline awaitable<void> server_connection::serve() {
    const auto self = shared_from_this();
    const bool open = co_await open_tls();
    first_due_ = shared_->env.now() + shared_->options.first_request_timeout();
    while (open && !gone_.stop_requested()) {
        const bool again = co_await serve_one();
        if (!again || is_late_with_login()) break;
    }
    if (open && !ended_ && !gone_.stop_requested() && stream_->socket().is_open()) co_await farewell();
    close();
    dog_->release();
}

// Ends the connection so that the peer gets all that was sent: TLS is ended properly, and a peer that is still
// sending what was refused is read for a while, because closing a socket with unread input resets it.
inline awaitable<void> server_connection::farewell() {
    const time_point deadline = shared_->env.now() + std::chrono::seconds(1);
    settle();
    dog_->deadline(deadline);
    if (!refused_) {
        if (stream_->tls()) co_await shut_down(*stream_);
        co_return;
    }
    if (!stream_->tls()) co_await shut_down(*stream_);
    for (int rounds = 0; rounds < 1024; ++rounds) {
        input_.clear();
        const wake reason = co_await any_input(deadline);
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
    request_ = 0;
    granted_ = small_answer;
    if (input_.size() == 0) input_.shrink_to_fit();
    account();
    settle();
    int refusal = co_await read_head(parser);
    if (refusal == 0) refusal = co_await read_body(parser);
    if (refusal > 0) co_await refuse(refusal);
    if (refusal != 0) co_return false;
    first_ = false;
    working_ = true;
    settle();
    const bool again = co_await run_handler(parser);
    working_ = false;
    kept_ = 0;
    if (shared_->options.login_timeout() == duration::zero()) admit();
    co_return again;
}

inline int refusal_for(const error& broken, bool body_too_large) {
    if (body_too_large) return 413;
    return broken == errc::too_large ? 431 : 400;
}

// Parses what is there. 0: more of it, or all; else the status to refuse with.
inline int server_connection::take_input(message_parser<true>& parser) {
    const std::size_t before = input_.size();
    const auto parsed = parser.parse(input_);
    request_ += before - input_.size();
    if (!parsed) return refusal_for(parsed.error(), parser.body_too_large);
    if (has_room()) return 0;
    shared_->ledger.was_refused(shed_reason::bytes);
    shared_->tell_refused(shed_reason::bytes);
    return 503;
}

inline awaitable<int> server_connection::read_head(message_parser<true>& parser) {
    // A kept-alive connection may idle; once a request begins, its header has to come in time.
    bool begun = input_.size() != 0;
    const auto& options = shared_->options;
    const auto until = [&] {
        if (first_) return by_login(due(first_due_, timeout_cause::first_request));
        const time_point now = shared_->env.now();
        return by_login(begun ? due(now + options.header_timeout(), timeout_cause::request)
                              : due(now + options.idle_timeout(), timeout_cause::idle));
    };
    due by = until();
    for (;;) {
        if (!begun && input_.size() != 0) {
            begun = true;
            by = until();
        }
        if (const int refusal = take_input(parser); refusal != 0) co_return refusal;
        if (parser.head_done()) break;
        idle_ = !first_ && !begun;
        if (idle_ && drained_) co_return -1;
        const wake reason = co_await more_input(by);
        idle_ = false;
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
    due by(shared_->env.now() + shared_->options.body_timeout(), timeout_cause::request);
    if (first_ && first_due_ < by.when) by = due(first_due_, timeout_cause::first_request);
    by = by_login(by);
    for (;;) {
        if (const int refusal = take_input(parser); refusal != 0) co_return refusal;
        if (parser.done()) co_return 0;
        const wake reason = co_await more_input(by);
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
    bool failed = false;
    try {
        co_await shared_->answer(std::move(request), answer);
    } catch (...) {
        failed = true;
        shared_->calls.caught("an HTTP handler", [this] { return peer_; });
    }
    co_return co_await answer.finish(failed);
}

}  // namespace kcontrol::http::detail
