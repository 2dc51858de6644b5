#pragma once

#include <kcontrol/transport/impl/client_request.hpp>
#include <kcontrol/transport/impl/client_transport_exchange.ipp>
#include <kcontrol/transport/impl/http2_exchange.ipp>
#include <kcontrol/transport/impl/websocket.hpp>

#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline connect_request client_transport::connecting(std::shared_ptr<watchdog> dog,
                                                    std::function<void(duration)> on_lookup) {
    connect_request what(env, ex, server, peer_name, tls, proxy_tls, options, lookup, std::move(dog));
    what.on_lookup = std::move(on_lookup);
    what.handshakes = handshakes;
    return what;
}

inline std::unique_ptr<connection> client_transport::take_idle() {
    std::unique_ptr<connection> newest;
    while (!newest && !idle_.empty()) {
        newest = std::move(idle_.back());
        idle_.pop_back();
        if (env.now() - newest->idle_since >= options.idle_timeout() || !newest->quiet()) newest.reset();
    }
    sweep();
    return newest;
}

inline void client_transport::give_back(std::unique_ptr<connection> c) {
    if (closed || options.max_idle() == 0 || !c->quiet()) return;
    c->idle_since = env.now();
    c->input = {};
    c->read_size = least_read_size;
    idle_.push_back(std::move(c));
    if (idle_.size() > options.max_idle()) idle_.pop_front();
    if (exchanges_ > 1) sweep_later();  // another one than that which gives it back
}

// Those that are over or have been idle for long.
inline void client_transport::drop_idle_http2() {
    const auto now = env.now();
    std::erase_if(http2_, [&](const auto& one) {
        const bool done = one->over() || (one->is_idle() && now - one->idle_since() >= options.idle_timeout());
        if (done) one->leave();
        return done;
    });
}

inline std::shared_ptr<http2_connection> client_transport::take_http2() {
    drop_idle_http2();
    // The oldest one, so that those that were needed for a while only become idle.
    const auto at = std::find_if(http2_.begin(), http2_.end(), [](const auto& one) { return one->has_room(); });
    return at == http2_.end() ? nullptr : *at;
}

inline void client_transport::keep_http2(std::unique_ptr<byte_stream> secured) {
    auto made = std::make_shared<http2_connection>(env, ex, std::move(secured), authority(server), peer_name,
                                                   options.http2_ping_idle(), options.http2_ping_timeout());
    if (closed) return;
    http2_.push_back(std::move(made));
}

inline void client_transport::keep_few_idle(http2_connection& one) {
    if (closed || !one.is_idle()) return;
    const auto idle = std::count_if(http2_.begin(), http2_.end(), [](const auto& c) { return c->is_idle(); });
    if (static_cast<std::size_t>(idle) > options.max_idle()) one.leave();
    if (exchanges_ > 1) sweep_later();
}

inline void client_transport::end_exchange() {
    if (--exchanges_ == 0 && sweeper_) sweeper_->cancel();
}

inline std::optional<time_point> client_transport::oldest_idle() const {
    std::optional<time_point> oldest;
    if (!idle_.empty()) oldest = idle_.front()->idle_since;
    for (const auto& one : http2_) {
        if (one->is_idle() && (!oldest || one->idle_since() < *oldest)) oldest = one->idle_since();
    }
    return oldest;
}

inline void client_transport::sweep_later() {
    if (sweeping_ || exchanges_ == 0) return;
    const auto oldest = oldest_idle();
    if (!oldest) return;
    if (!sweeper_) sweeper_ = env.make_timer(ex);
    sweeping_ = true;
    sweeper_->async_wait(*oldest + options.idle_timeout(), [weak = weak_from_this()](bool) {
        if (const auto self = weak.lock()) {
            self->sweeping_ = false;
            self->sweep();
        }
    });
}

inline void client_transport::sweep() {
    const auto now = env.now();
    while (!idle_.empty() && now - idle_.front()->idle_since >= options.idle_timeout()) idle_.pop_front();
    drop_idle_http2();
    sweep_later();
}

inline void client_transport::close() {
    closed = true;
    lookup.reset();
    idle_.clear();
    for (const auto& one : http2_) one->leave();
    http2_.clear();
    if (sweeper_) sweeper_->cancel();
}

// Sends the request and reads the head of its answer. `made` is a new connection for it, if there is one.
inline awaitable<result<std::unique_ptr<client_exchange>>> open_exchange(std::shared_ptr<client_transport> self,
                                                                         request req, exchange_options options,
                                                                         std::size_t max_body, time_point deadline,
                                                                         std::unique_ptr<connection> made) {
    const auto checked = check_call(*self, req, options);
    if (!checked) co_return checked.error();
    const std::string head = serialize_head(req, self->server);

    for (bool first = true;; first = false) {
        auto exchange = std::make_unique<client_exchange>(self, req, max_body);
        exchange->dog->follow(options.stop());
        auto link = std::move(made);
        if (!link && first) link = self->take_idle();
        if (!link) {
            auto what = self->connecting(exchange->dog, options.on_lookup());
            auto connected = co_await connect(std::move(what), deadline, options.stop());
            if (!connected) co_return said_of(*self, connected.error());
            link = std::move(*connected);
        }
        exchange->use(std::move(link));
        exchange->dog->deadline(deadline);
        co_await exchange->send(head, req.body);
        // Even where sending failed: the server may have answered early, or its TLS alert says why it closed.
        const auto got = co_await exchange->read_head();
        if (got) co_return result<std::unique_ptr<client_exchange>>(std::move(exchange));
        const bool stale = exchange->reused && !exchange->answered && got.error() == errc::connection_lost;
        if (!stale || !exchange->safe) co_return judge(*self, got.error(), is_clear(*exchange));
    }
}

inline opened_exchange take_head(message_parser<false>& parser) {
    opened_exchange answer{response_head(parser.status)};
    answer.headers = std::move(parser.headers);
    return answer;
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
                               : more.error().with_context(to_string(exchange_->transport->server));
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

// Hands the rest of the exchange over: the deadline and the stop of its opening do not bound it.
inline opened_exchange take_stream(std::unique_ptr<client_exchange> exchange) {
    exchange->dog->deadline(std::nullopt);
    exchange->dog->follow({});
    opened_exchange answer = take_head(*exchange->parser);
    if (exchange->parser->done()) exchange->dog->release();
    answer.stream = std::make_unique<client_body>(std::move(exchange));
    return answer;
}

inline awaitable<result<opened_exchange>> run_open(std::shared_ptr<client_transport> self, request req,
                                                   exchange_options options) {
    const auto deadline = self->env.now() + options.deadline();
    const bool whole = options.form() == exchange_form::whole;
    std::unique_ptr<connection> made;
    if (self->may_speak_http2()) {
        auto opened = co_await open_http2(self, req, options, deadline, whole);
        if (!opened) co_return opened.error();
        if ((*opened)->link) {
            co_return http2_answer_of(std::move(*opened));
        }
        req = std::move((*opened)->asked);
        made = std::move((*opened)->instead);
    }
    const std::size_t most = whole ? options.max_body() : message_parser<false>::unlimited;
    auto opened =
        co_await open_exchange(std::move(self), std::move(req), std::move(options), most, deadline, std::move(made));
    if (!opened) co_return opened.error();
    if (!whole) co_return take_stream(std::move(*opened));
    client_exchange& exchange = **opened;
    while (!exchange.parser->done()) {
        const auto more = co_await exchange.read_more();
        if (!more) co_return judge(*exchange.transport, more.error(), is_clear(exchange));
    }
    opened_exchange answer = take_head(*exchange.parser);
    answer.body = std::move(exchange.parser->body);
    exchange.finish();
    co_return answer;
}

inline awaitable<result<opened_exchange>> client_transport::open(request req, exchange_options o) {
    if (o.form() == exchange_form::websocket) {
        return run_open_websocket(shared_from_this(), std::move(req), std::move(o));
    }
    return run_open(shared_from_this(), std::move(req), std::move(o));
}

}  // namespace kcontrol::http::detail
