#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/transport/impl/client_transport.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::http::detail {

inline client_exchange::client_exchange(std::shared_ptr<client_transport> owner, const request& req,
                                        std::size_t max_body)
    : transport(std::move(owner)),
      dog(std::make_shared<watchdog>(transport->env, transport->ex)),
      safe(req.method == "GET" || req.method == "HEAD"),
      is_head(req.method == "HEAD"),
      max_body_(max_body) {}

inline void client_exchange::use(std::unique_ptr<connection> c) {
    link = std::move(c);
    dog->watch(&link->stream->socket());
}

inline awaitable<void> client_exchange::send(std::string_view head, std::string_view content) {
    write_buffers out{boost::asio::buffer(head), boost::asio::buffer(content), boost::asio::const_buffer()};
    const io_outcome sent = co_await write(*link->stream, out);
    unsent = static_cast<bool>(sent.failure);
}

// What a failed read means. The cause of a cut goes before what the cut socket says.
inline error client_exchange::describe(const error_code& failure) const {
    if (dog->cause() == cut_cause::stopped) return error(errc::stopped);
    if (dog->cause() == cut_cause::timeout) return error(errc::timeout, "no answer came in time");
    if (is_tls_error(failure)) return handshake_error(link->stream->tls(), failure, transport->peer_name);
    if (!answered) return error(errc::connection_lost, "the server closed the connection without an answer");
    if (failure == boost::asio::error::eof || is_unclean_end(failure)) {
        return error(errc::truncated, "the server closed the connection inside its answer");
    }
    return error(errc::connection_lost, "the connection broke: " + failure.message());
}

inline awaitable<result<void>> client_exchange::read_more() {
    auto& input = link->input;
    const io_outcome got = co_await read(*link->stream, input.prepare(link->read_size));
    input.commit(got.bytes);
    if (got.bytes != 0) answered = true;
    // Large answers come in large reads; a quiet watch keeps a small buffer.
    if (got.bytes == link->read_size) link->read_size = std::min(link->read_size * 2, std::size_t{64} << 10);
    if (got.failure) {
        // TLS that was not ended properly may have lost its tail to an attacker, so it is no end of a body.
        if (got.failure == boost::asio::error::eof && dog->cause() == cut_cause::none && parser->end_of_input()) {
            link->stream->close();
            co_return result<void>();
        }
        co_return describe(got.failure);
    }
    co_return parser->parse(input);
}

inline awaitable<result<void>> client_exchange::read_head() {
    constexpr int max_interim = 8;
    for (int interim = 0; interim <= max_interim; ++interim) {
        parser.emplace(max_body_);
        parser->skip(is_head);
        auto parsed = parser->parse(link->input);  // what came with an interim response
        while (parsed && !parser->head_done()) parsed = co_await read_more();
        if (!parsed) co_return parsed.error();
        if (parser->status == 101) co_return error(errc::protocol_error, "the server switched protocols unasked");
        if (parser->status < 200 && parser->status >= 100) continue;
        if (parser->status < 100 || parser->status > 599) {
            co_return error(errc::protocol_error, "the status " + std::to_string(parser->status) + " does not exist");
        }
        co_return result<void>();
    }
    co_return error(errc::protocol_error, "the server sends interim responses without end");
}

inline void client_exchange::finish() {
    const bool fit = parser->keep_alive() && !unsent && dog->cause() == cut_cause::none;
    dog->release();
    if (fit) transport->give_back(std::move(link));
    link.reset();
}

inline std::unique_ptr<connection> client_transport::take_idle() {
    while (!idle_.empty()) {
        auto newest = std::move(idle_.back());
        idle_.pop_back();
        if (env.now() - newest->idle_since < options.idle_timeout() && newest->quiet()) return newest;
    }
    return nullptr;
}

inline void client_transport::give_back(std::unique_ptr<connection> c) {
    if (closed || options.max_idle() == 0 || !c->quiet()) return;
    c->idle_since = env.now();
    c->input = {};
    c->read_size = std::size_t{16} << 10;
    idle_.push_back(std::move(c));
    if (idle_.size() > options.max_idle()) idle_.pop_front();
    sweep_later();
}

inline void client_transport::sweep_later() {
    if (sweeping_ || idle_.empty()) return;
    if (!sweeper_) sweeper_ = env.make_timer(ex);
    sweeping_ = true;
    sweeper_->async_wait(idle_.front()->idle_since + options.idle_timeout(), [weak = weak_from_this()](bool expired) {
        if (const auto self = weak.lock()) {
            self->sweeping_ = false;
            if (expired) self->sweep();
        }
    });
}

inline void client_transport::sweep() {
    const auto now = env.now();
    while (!idle_.empty() && now - idle_.front()->idle_since >= options.idle_timeout()) idle_.pop_front();
    sweep_later();
}

inline void client_transport::close() {
    closed = true;
    lookup.reset();
    idle_.clear();
    if (sweeper_) sweeper_->cancel();
}

inline std::string serialize_head(const request& req, const http::endpoint& server) {
    std::string text;
    text.reserve(512);
    text.append(req.method).append(" ").append(req.target).append(" HTTP/1.1\r\nHost: ").append(authority_of(server));
    for (const auto& field : req.headers) text.append("\r\n").append(field.name).append(": ").append(field.value);
    const bool usual = req.method == "GET" || req.method == "HEAD" || req.method == "DELETE";
    if (!req.body.empty() || !usual) text.append("\r\nContent-Length: ").append(std::to_string(req.body.size()));
    return text.append("\r\n\r\n");
}

// Nothing malformed reaches the wire: Beast would send CR and LF as they are.
inline result<void> check_request(const request& req, const client_transport& transport) {
    const auto bad = [](const std::string& what) { return error(errc::invalid_argument, what); };
    if (req.method.empty() || !std::all_of(req.method.begin(), req.method.end(), is_token_char)) {
        return bad("the request's method is not a token");
    }
    if (!is_valid_target(req.target)) {
        return bad("the request's target must begin with '/' and hold visible ASCII only; percent-encode the rest");
    }
    for (const auto& field : req.headers) {
        if (!is_valid_field(field.name, field.value)) {
            return bad("the header field \"" + escape_control(field.name) + "\" holds characters HTTP does not allow");
        }
        for (const std::string_view own :
             {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Expect"}) {
            if (iequals(field.name, own))
                return bad("the header field " + std::string(own) + " is the transport's own");
        }
    }
    if (!transport.tls && !transport.options.allow_plaintext_credentials() && req.headers.contains("Authorization") &&
        !is_loopback(transport.server.host)) {
        return error(errc::invalid_config,
                     "credentials are not sent to " + url_of(transport.server) + " without TLS; use an https server");
    }
    return {};
}

// An answer to a write that did not arrive: nobody knows whether it happened, whatever it was that failed.
inline error judge(const client_exchange& exchange, const error& failure) {
    const std::string where = url_of(exchange.transport->server);
    const bool clear =
        exchange.safe || failure == errc::stopped || failure == errc::too_large || failure == errc::tls_failed;
    if (clear) return failure.with_context(where);
    return error(errc::unknown_outcome,
                 where + ": the request was sent, but its outcome is unknown: " + failure.what());
}

// Sends the request and reads the head of its answer.
inline awaitable<result<std::unique_ptr<client_exchange>>> open_exchange(std::shared_ptr<client_transport> self,
                                                                         request req, exchange_options options,
                                                                         std::size_t max_body) {
    if (options.stop().stop_requested()) co_return error(errc::stopped);
    if (self->closed) co_return error(errc::unavailable, "the transport to " + url_of(self->server) + " is closed");
    const auto checked = check_request(req, *self);
    if (!checked) co_return checked.error();
    const auto deadline = self->env.now() + options.deadline();
    const std::string head = serialize_head(req, self->server);

    for (bool first = true;; first = false) {
        auto exchange = std::make_unique<client_exchange>(self, req, max_body);
        exchange->dog->follow(options.stop());
        auto link = first ? self->take_idle() : nullptr;
        exchange->reused = link != nullptr;
        if (!link) {
            connect_request what(self->env, self->ex, self->server, self->peer_name, self->tls, self->options,
                                 self->lookup, exchange->dog);
            auto made = co_await connect(std::move(what), deadline, options.stop());
            if (!made)
                co_return made.error() == errc::stopped ? made.error()
                                                        : made.error().with_context(url_of(self->server));
            link = std::move(*made);
        }
        exchange->use(std::move(link));
        exchange->dog->deadline(deadline);
        co_await exchange->send(head, req.body);
        // Even where sending failed: the server may have answered early, or its TLS alert says why it closed.
        const auto got = co_await exchange->read_head();
        if (got) co_return result<std::unique_ptr<client_exchange>>(std::move(exchange));
        const bool stale = exchange->reused && !exchange->answered && got.error() == errc::connection_lost;
        if (!stale || !exchange->safe) co_return judge(*exchange, got.error());
    }
}

inline response_head take_head(message_parser<false>& parser) {
    response_head head(parser.status);
    head.headers = std::move(parser.headers);
    return head;
}

inline awaitable<result<response>> run_round_trip(std::shared_ptr<client_transport> self, request req,
                                                  exchange_options options) {
    auto opened = co_await open_exchange(std::move(self), std::move(req), options, options.max_body());
    if (!opened) co_return opened.error();
    client_exchange& exchange = **opened;
    while (!exchange.parser->done()) {
        const auto more = co_await exchange.read_more();
        if (!more) co_return judge(exchange, more.error());
    }
    response answer;
    static_cast<response_head&>(answer) = take_head(*exchange.parser);
    answer.body = std::move(exchange.parser->body);
    exchange.finish();
    co_return answer;
}

// The body of an exchange that is still going on.
class client_body final : public body_stream {
public:
    explicit client_body(std::unique_ptr<client_exchange> exchange) : exchange_(std::move(exchange)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
        if (const auto kept = exchange_->parser->take_body(into)) co_return kept;
        if (failure_) co_return *failure_;
        if (stop.stop_requested()) co_return error(errc::stopped);
        auto& parser = *exchange_->parser;
        parser.direct(into);
        if (!parser.done()) {
            exchange_->dog->follow(stop);
            exchange_->dog->deadline(exchange_->transport->env.now() + idle);
        }
        while (!parser.done() && parser.direct_used() == 0) {
            const auto more = co_await exchange_->read_more();
            if (!more)
                failure_ = more.error() == errc::stopped
                               ? more.error()
                               : more.error().with_context(url_of(exchange_->transport->server));
            if (failure_) break;
        }
        const std::size_t got = parser.direct_used();
        parser.direct({});
        exchange_->dog->deadline(std::nullopt);
        if (parser.done() && exchange_->link) exchange_->finish();
        if (got == 0 && failure_) co_return *failure_;
        co_return got;
    }

private:
    std::unique_ptr<client_exchange> exchange_;
    std::optional<error> failure_;  // once broken, always broken
};

inline awaitable<result<streamed_response>> run_open_stream(std::shared_ptr<client_transport> self, request req,
                                                            exchange_options options) {
    auto opened =
        co_await open_exchange(std::move(self), std::move(req), std::move(options), message_parser<false>::unlimited);
    if (!opened) co_return opened.error();
    client_exchange& exchange = **opened;
    exchange.dog->deadline(std::nullopt);
    exchange.dog->follow({});
    streamed_response answer;
    answer.head = take_head(*exchange.parser);
    if (exchange.parser->done()) exchange.dog->release();
    answer.body = std::make_unique<client_body>(std::move(*opened));
    co_return result<streamed_response>(std::move(answer));
}

inline awaitable<result<response>> client_transport::round_trip(request req, exchange_options o) {
    return run_round_trip(shared_from_this(), std::move(req), std::move(o));
}

inline awaitable<result<streamed_response>> client_transport::open_stream(request req, exchange_options o) {
    return run_open_stream(shared_from_this(), std::move(req), std::move(o));
}

}  // namespace kcontrol::http::detail
