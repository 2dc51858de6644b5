#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/transport/impl/client_request.hpp>
#include <kcontrol/transport/impl/life_signs.hpp>
#include <kcontrol/transport/impl/socket_layer.hpp>
#include <kcontrol/transport/impl/tls_context.hpp>
#include <kcontrol/transport/impl/websocket.hpp>

#include <boost/beast/websocket/stream.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

namespace ws = boost::beast::websocket;
using websocket_token = boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>>;

// A connection, shared by its owner and by what is in progress on it.
//
// A server that says nothing is asked for a sign of life while somebody reads: only then its answer would be seen.
class websocket_state : public std::enable_shared_from_this<websocket_state> {
public:
    websocket_state(client_transport& by, std::unique_ptr<byte_stream> below, std::shared_ptr<watchdog> for_reads)
        : env(by.env),
          where(to_string(by.server)),
          stream(socket_layer(std::move(below))),
          life(by.options.http2_ping_idle(), by.options.http2_ping_timeout()),
          ping_timer(by.env.make_timer(by.ex)),
          read_dog(std::move(for_reads)),
          write_dog(std::make_shared<watchdog>(by.env, by.ex)) {
        read_dog->watch(&bytes().socket());
        write_dog->watch(&bytes().socket());
        stream.read_message_max(0);  // messages are read piece by piece
        stream.auto_fragment(false);
        stream.write_buffer_bytes(std::size_t{16} << 10);
        stream.binary(true);
        stream.control_callback([this](ws::frame_type, boost::beast::string_view) { life.heard(env.now()); });
    }
    ~websocket_state() {
        read_dog->release();
        write_dog->release();
    }

    byte_stream& bytes() noexcept { return stream.next_layer().below(); }

    void begin_read() {
        reading = true;
        life.begin(env.now());
        watch_life();
    }
    void end_read() noexcept { reading = false; }

    /// Nobody is interested any more.
    void abandon() {
        abandoned = true;
        ping_timer->cancel();
        bytes().close();
    }

    // What a failed operation means. The cause of a cut goes before what the cut socket says.
    error explain(const error_code& failure) const {
        for (const auto& dog : {read_dog, write_dog}) {
            if (dog->cause() == cut_cause::stopped) return error(errc::stopped);
            if (dog->cause() == cut_cause::timeout) return error(errc::timeout, where + ": nothing came in time");
        }
        if (silent) return life.verdict().with_context(where);
        if (abandoned) return error(errc::unavailable, where + ": the connection was closed here");
        if (failure == boost::asio::error::eof || failure == ws::error::closed || is_unclean_end(failure)) {
            return error(errc::truncated, where + ": the server ended the connection without saying goodbye");
        }
        if (failure.category() == make_error_code(ws::error::closed).category()) {
            return error(errc::protocol_error, where + ": malformed WebSocket frame: " + failure.message());
        }
        return error(errc::connection_lost, where + ": the connection broke: " + tls_failure_text(failure));
    }

    environment& env;
    std::string where;
    ws::stream<socket_layer, false> stream;  // without compression: what bounds a bomb is the network
    life_signs life;
    std::unique_ptr<timer> ping_timer;
    std::shared_ptr<watchdog> read_dog, write_dog;
    std::optional<error> broken;  // once broken, always broken
    bool closed = false;          // by the server, properly
    bool abandoned = false;
    bool reading = false, timing = false, asking = false;
    bool silent = false;  // the server is dead

private:
    void watch_life() {
        if (timing || !life.watches()) return;
        timing = true;
        ping_timer->async_wait(life.next(), [weak = weak_from_this()](bool expired) {
            const auto self = weak.lock();
            if (!self) return;
            self->timing = false;
            if (expired && self->reading) self->on_timer();
        });
    }

    void on_timer() {
        switch (life.at(env.now())) {
        case life_signs::step::wait: break;
        case life_signs::step::ask: ask(); break;
        case life_signs::step::dead:
            silent = true;
            bytes().close();
            return;
        }
        watch_life();
    }

    void ask() {
        if (std::exchange(asking, true)) return;
        stream.async_ping({}, [self = shared_from_this()](const error_code&) { self->asking = false; });
    }
};

// Nothing of it means forever.
inline std::optional<time_point> point_in(const environment& env, duration time) {
    if (time == duration::zero()) return std::nullopt;
    return env.now() + time;
}

inline awaitable<result<websocket_piece>> read_websocket(std::shared_ptr<websocket_state> on, std::span<char> into,
                                                         duration idle, std::stop_token stop) {
    if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
    websocket_piece piece;
    piece.closed = on->closed;
    if (on->closed) co_return piece;
    if (on->broken) co_return *on->broken;
    if (stop.stop_requested()) co_return error(errc::stopped);
    on->read_dog->follow(stop);
    on->read_dog->deadline(point_in(on->env, idle));
    websocket_token token;
    const boost::asio::mutable_buffer room(into.data(), into.size());
    error_code failure;
    on->begin_read();
    do {
        const auto outcome = co_await on->stream.async_read_some(room, token);
        on->life.heard(on->env.now());
        failure = std::get<0>(outcome);
        piece.bytes = std::get<1>(outcome);
        piece.last = !failure && on->stream.is_message_done();
    } while (!failure && piece.bytes == 0 && !piece.last);
    on->end_read();
    on->read_dog->deadline(std::nullopt);
    on->read_dog->follow({});
    if (!failure) co_return piece;
    if (failure == ws::error::closed && !on->abandoned) {
        on->closed = piece.closed = true;
        piece.bytes = 0;
        co_return piece;
    }
    on->broken = on->explain(failure);
    on->bytes().close();
    co_return *on->broken;
}

inline awaitable<result<void>> write_websocket(std::shared_ptr<websocket_state> on, std::string_view head,
                                               std::string_view content, duration time, std::stop_token stop) {
    if (on->broken) co_return *on->broken;
    if (on->closed) co_return error(errc::connection_lost, on->where + ": the server has closed the connection");
    if (stop.stop_requested()) co_return error(errc::stopped);
    on->write_dog->follow(stop);
    on->write_dog->deadline(point_in(on->env, time));
    const std::array<boost::asio::const_buffer, 2> out{boost::asio::buffer(head), boost::asio::buffer(content)};
    websocket_token token;
    const auto outcome = co_await on->stream.async_write(out, token);
    const error_code failure = std::get<0>(outcome);
    on->write_dog->deadline(std::nullopt);
    on->write_dog->follow({});
    if (!failure) co_return result<void>();
    if (!on->broken) on->broken = on->explain(failure);
    on->bytes().close();
    co_return *on->broken;
}

inline awaitable<void> close_websocket(std::shared_ptr<websocket_state> on, duration time) {
    if (!on->closed && !on->broken) {
        on->write_dog->deadline(point_in(on->env, time));
        websocket_token token;
        const ws::close_reason why(ws::close_code::normal);
        co_await on->stream.async_close(why, token);
        on->write_dog->deadline(std::nullopt);
    }
    on->abandon();
}

class beast_websocket final : public websocket {
public:
    explicit beast_websocket(std::shared_ptr<websocket_state> on) : on_(std::move(on)) {}
    ~beast_websocket() override { on_->abandon(); }

    awaitable<result<websocket_piece>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        return read_websocket(on_, into, idle, std::move(stop));
    }
    awaitable<result<void>> write(std::string_view head, std::string_view content, duration time,
                                  std::stop_token stop) override {
        return write_websocket(on_, head, content, time, std::move(stop));
    }
    awaitable<void> close(duration time) override { return close_websocket(on_, time); }

private:
    std::shared_ptr<websocket_state> on_;
};

inline boost::beast::string_view beast_view(std::string_view text) { return {text.data(), text.size()}; }

inline http::response own_response(const ws::response_type& from) {
    http::response out(static_cast<int>(from.result_int()));
    for (const auto& field : from) {
        const auto name = field.name_string(), value = field.value();
        out.headers.add({name.data(), name.size()}, std::string(value.data(), value.size()));
    }
    out.body = from.body();
    return out;
}

// A server may take none of what was offered, or one of it (RFC 6455 §4.1), and no extension, for none was.
inline std::optional<error> refuse_switch(const request& asked, const http::response& answer) {
    if (answer.headers.contains("Sec-WebSocket-Extensions")) {
        return error(errc::protocol_error, "the server switched on a WebSocket extension that nobody asked for");
    }
    const std::string_view chosen = answer.headers.get("Sec-WebSocket-Protocol");
    if (chosen.empty()) return std::nullopt;
    for (std::string_view rest = asked.headers.get("Sec-WebSocket-Protocol"); !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        std::string_view one = rest.substr(0, end);
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        if (one == chosen) return std::nullopt;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return error(errc::protocol_error,
                 "the server chose the WebSocket protocol \"" + escape_control(chosen) + "\", which nobody offered");
}

inline error handshake_failure(const websocket_state& on, const error_code& failure) {
    const error why =
        failure == boost::beast::http::error::end_of_stream
            ? error(errc::connection_lost, on.where + ": the server closed the connection without an answer")
            : on.explain(failure);
    if (why == errc::stopped || why == errc::protocol_error) return why;
    return error(errc::unknown_outcome, "the request was sent, but its outcome is unknown: " + why.what());
}

inline std::string target_on_wire(const request& req, const http::endpoint& server) {
    const bool by_proxy = !server.via.empty() && !needs_tunnel(server);
    return by_proxy ? server.scheme + "://" + authority(server) + req.target : req.target;
}

KCONTROL_DECL awaitable<result<opened_exchange>> run_open_websocket(std::shared_ptr<client_transport> self, request req,
                                                                    exchange_options options) {
    if (options.stop().stop_requested()) co_return error(errc::stopped);
    if (self->closed) co_return error(errc::unavailable, "the transport to " + to_string(self->server) + " is closed");
    const auto checked = check_request(req, *self);
    if (!checked) co_return checked.error();
    const auto deadline = self->env.now() + options.deadline();
    auto dog = std::make_shared<watchdog>(self->env, self->ex);
    dog->follow(options.stop());
    auto what = self->connecting(dog, options.on_lookup());
    auto made = co_await connect(std::move(what), deadline, options.stop());
    if (!made) {
        const bool stopped = made.error() == errc::stopped;
        co_return stopped ? made.error() : made.error().with_context(to_string(self->server));
    }
    const auto on = std::make_shared<websocket_state>(*self, std::move((*made)->stream), dog);
    dog->deadline(deadline);
    on->stream.set_option(ws::stream_base::decorator([&req, &self](ws::request_type& out) {
        for (const auto& field : req.headers) out.set(beast_view(field.name), beast_view(field.value));
        const bool by_proxy = !self->server.via.empty() && !needs_tunnel(self->server);
        if (by_proxy && self->server.via.has_login()) {
            constexpr std::string_view begin = "\r\nProxy-Authorization: ";
            out.set("Proxy-Authorization", beast_view(proxy_authorization(self->server.via).substr(begin.size())));
        }
    }));
    ws::response_type answer;
    const std::string host = authority(self->server), target = target_on_wire(req, self->server);
    websocket_token token;
    const auto outcome = co_await on->stream.async_handshake(answer, beast_view(host), beast_view(target), token);
    const error_code failure = std::get<0>(outcome);
    dog->deadline(std::nullopt);
    dog->follow({});
    if (failure && failure != ws::error::upgrade_declined) co_return handshake_failure(*on, failure);
    opened_exchange opened(own_response(answer));
    if (failure) co_return opened;
    if (auto refused = refuse_switch(req, opened)) co_return refused->with_context(on->where);
    opened.socket = std::make_unique<beast_websocket>(on);
    co_return opened;
}

}  // namespace kcontrol::http::detail
