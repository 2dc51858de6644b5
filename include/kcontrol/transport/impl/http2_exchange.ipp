#pragma once

#include <kcontrol/http/url.hpp>
#include <kcontrol/transport/impl/client_request.hpp>
#include <kcontrol/transport/impl/http2_exchange.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

inline awaitable<void> make_http2(std::shared_ptr<client_transport> self, std::shared_ptr<http2_attempt> attempt,
                                  std::function<void(duration)> on_lookup) {
    try {
        const auto dog = std::make_shared<watchdog>(self->env, self->ex);
        const auto token = attempt->stop.get_token();
        dog->follow(token);
        auto what = self->connecting(dog, std::move(on_lookup));
        what.offers_http2 = true;
        auto made = co_await connect(std::move(what), attempt->deadline, token);
        dog->release();
        if (!made) {
            attempt->failure = made.error();
        } else if ((*made)->speaks_http2) {
            self->keep_http2(std::move((*made)->stream));
        } else {
            self->prefer_http1();
            attempt->http1 = std::move(*made);
        }
    } catch (...) {
        attempt->thrown = std::current_exception();
    }
    attempt->finished = true;
    if (self->attempt == attempt) self->attempt.reset();
    attempt->done.notify_all();
}

// The one in progress, or a new one, which may have failed already.
inline std::shared_ptr<http2_attempt> current_attempt(const std::shared_ptr<client_transport>& self,
                                                      time_point deadline, const exchange_options& options) {
    if (self->attempt) return self->attempt;
    const auto made = std::make_shared<http2_attempt>(deadline);
    self->attempt = made;
    boost::asio::co_spawn(self->ex, make_http2(self, made, options.on_lookup()), boost::asio::detached);
    return made;
}

// Waits for a connection that is being made. Nothing: it is there, or somebody has still time to make one.
inline awaitable<std::optional<error>> await_attempt(http2_exchange& exchange, const exchange_options& options,
                                                     time_point deadline) {
    client_transport& self = *exchange.transport;
    const http2_place place(self, current_attempt(exchange.transport, deadline, options));
    // Who has as much time as the attempt hears from it why there was too little.
    const bool outlasts = place->deadline <= deadline;
    const time_point until = outlasts ? place->deadline + std::chrono::seconds(1) : deadline;
    while (!place->finished) {
        const wake why = co_await place->done.wait(self.env, options.stop(), until);
        if (why == wake::stopped) co_return error(errc::stopped);
        if (why == wake::timeout) co_return error(errc::timeout, "no connection came about in time");
    }
    if (place->thrown) std::rethrow_exception(place->thrown);
    exchange.instead = std::move(place->http1);
    if (!place->failure) co_return std::nullopt;
    const bool too_early = *place->failure == errc::timeout && place->deadline < deadline;
    if (too_early && self.env.now() < deadline) co_return std::nullopt;
    co_return *place->failure;
}

// True: a connection was there that takes it.
inline bool open_at_once(http2_exchange& exchange) {
    auto link = exchange.transport->take_http2();
    if (!link || !link->is_awake().value_or(false)) return false;
    exchange.reused = link->answered();
    if (!link->open(exchange)) return false;
    exchange.link = std::move(link);
    return true;
}

// Opens it on some connection; its link stays null where the server is asked over HTTP/1.1.
inline awaitable<std::optional<error>> reach_http2(http2_exchange& exchange, const exchange_options& options,
                                                   time_point deadline) {
    client_transport& self = *exchange.transport;
    for (;;) {
        if (self.closed) co_return error(errc::unavailable, "the transport is closed");
        if (auto link = self.take_http2()) {
            const bool awake = co_await http2_connection::wake_up(link, options.stop());
            if (options.stop().stop_requested()) co_return error(errc::stopped);
            exchange.reused = link->answered();
            if (awake && link->open(exchange)) {
                exchange.link = std::move(link);
                co_return std::nullopt;
            }
            if (!awake || link->has_room()) link->leave();
            continue;
        }
        if (exchange.instead || !self.may_speak_http2()) co_return std::nullopt;
        auto failure = co_await await_attempt(exchange, options, deadline);
        if (failure) co_return failure;
    }
}

inline awaitable<result<std::unique_ptr<http2_exchange>>> open_http2(const std::shared_ptr<client_transport>& self,
                                                                     request& req, const exchange_options& options,
                                                                     time_point deadline, bool whole) {
    const auto checked = check_call(*self, req, options);
    if (!checked) co_return checked.error();
    const std::size_t most = whole ? options.max_body() : http2_stream::unlimited;
    auto exchange = std::make_unique<http2_exchange>(self, std::move(req), whole, most);
    constexpr int most_refusals = 3;
    int refusals = 0;
    for (bool first = true;; first = false) {
        if (!open_at_once(*exchange)) {
            auto unreached = co_await reach_http2(*exchange, options, deadline);
            if (unreached) co_return said_of(*self, *unreached);
            if (!exchange->link) break;
        }
        // Until the answer is there, as far as it is wanted here, or never will be.
        while (!exchange->failure && !(whole ? exchange->ended : exchange->head_done)) {
            const wake why = co_await exchange->event.wait(self->env, options.stop(), deadline);
            if (exchange->failure || why == wake::notified) continue;
            exchange->give_up(why == wake::stopped ? error(errc::stopped)
                                                   : error(errc::timeout, "no answer came in time"));
        }
        if (!exchange->failure) break;
        const error why = *exchange->failure;
        const bool refused = exchange->link->refused();
        const bool unprocessed = exchange->unprocessed && !refused;
        const bool stale = first && exchange->safe && exchange->reused && !exchange->head_done;
        if (exchange->wants_http1) self->prefer_http1();
        if (unprocessed ? ++refusals > most_refusals : !stale || !(why == errc::connection_lost)) {
            co_return judge(*self, why, exchange->safe || unprocessed || refused);
        }
        exchange->again();
    }
    co_return std::move(exchange);
}

// The body of an answer that is still coming.
class http2_body final : public body_stream {
public:
    explicit http2_body(std::unique_ptr<http2_exchange> exchange) : exchange_(std::move(exchange)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
        http2_exchange& exchange = *exchange_;
        if (const auto kept = exchange.take_body(into)) {
            exchange.link->took(exchange, kept);
            co_return kept;
        }
        const environment& env = exchange.transport->env;
        const time_point deadline = env.now() + idle;
        const http2_room room(exchange, into);
        while (exchange.direct_used() == 0 && !exchange.ended && !exchange.failure) {
            if (stop.stop_requested()) co_return error(errc::stopped);
            const wake why = co_await exchange.event.wait(exchange.transport->env, stop, deadline);
            if (why == wake::notified || exchange.direct_used() != 0) continue;
            exchange.give_up(why == wake::stopped ? error(errc::stopped)
                                                  : error(errc::timeout, "no answer came in time"));
        }
        if (exchange.direct_used() == 0 && exchange.failure) co_return said_of(*exchange.transport, *exchange.failure);
        co_return exchange.direct_used();
    }

private:
    std::unique_ptr<http2_exchange> exchange_;
};

inline opened_exchange http2_answer_of(std::unique_ptr<http2_exchange> exchange) {
    opened_exchange answer(std::move(exchange->head));
    if (exchange->whole) {
        answer.body = std::move(exchange->body);
    } else {
        answer.stream = std::make_unique<http2_body>(std::move(exchange));
    }
    return answer;
}

}  // namespace kcontrol::http::detail
