#pragma once

#include <kcontrol/http/transport.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::http {
namespace detail {

// A body that was there before anyone read it.
class read_body final : public body_stream {
public:
    explicit read_body(std::string body) : body_(std::move(body)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration, std::stop_token stop) override {
        if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
        if (stop.stop_requested()) co_return error(errc::stopped);
        const std::size_t count = std::min(into.size(), body_.size() - at_);
        std::memcpy(into.data(), body_.data() + at_, count);
        at_ += count;
        co_return count;
    }

private:
    std::string body_;
    std::size_t at_ = 0;
};

}  // namespace detail

KCONTROL_DECL error no_websockets() { return error(errc::unavailable, "this transport has no WebSockets"); }

KCONTROL_DECL result<void> fit_form(opened_exchange& opened, exchange_form form) {
    if (form == exchange_form::streamed) {
        if (!opened.stream) opened.stream = std::make_unique<detail::read_body>(std::exchange(opened.body, {}));
        return {};
    }
    if (opened.stream) {
        return error(errc::unavailable,
                     "the transport opened a stream instead of reading the whole response: its "
                     "open() ignores exchange_options::form()");
    }
    if (form == exchange_form::websocket && opened.status == 101 && !opened.socket) return no_websockets();
    return {};
}

KCONTROL_DECL awaitable<result<response>> whole_of(awaitable<result<opened_exchange>> opening) {
    auto opened = co_await std::move(opening);
    if (!opened) co_return opened.error();
    const auto fits = fit_form(*opened, exchange_form::whole);
    if (!fits) co_return fits.error();
    co_return static_cast<response&&>(*opened);
}

KCONTROL_DECL awaitable<result<streamed_response>> stream_of(awaitable<result<opened_exchange>> opening) {
    auto opened = co_await std::move(opening);
    if (!opened) co_return opened.error();
    const auto fits = fit_form(*opened, exchange_form::streamed);
    if (!fits) co_return fits.error();
    streamed_response out;
    out.head = static_cast<response_head&&>(*opened);
    out.body = std::move(opened->stream);
    co_return result<streamed_response>(std::move(out));
}

KCONTROL_DECL awaitable<result<opened_websocket>> websocket_of(awaitable<result<opened_exchange>> opening) {
    auto opened = co_await std::move(opening);
    if (!opened) co_return opened.error();
    const auto fits = fit_form(*opened, exchange_form::websocket);
    if (!fits) co_return fits.error();
    opened_websocket out;
    out.answer = static_cast<response&&>(*opened);
    out.socket = std::move(opened->socket);
    co_return result<opened_websocket>(std::move(out));
}

// open() is called before anything waits: a transport that keeps itself alive may be let go of meanwhile.

KCONTROL_DECL awaitable<result<response>> transport::round_trip(request req, exchange_options options) {
    options.form(exchange_form::whole);
    return whole_of(open(std::move(req), std::move(options)));
}

KCONTROL_DECL awaitable<result<streamed_response>> transport::open_stream(request req, exchange_options options) {
    options.form(exchange_form::streamed);
    return stream_of(open(std::move(req), std::move(options)));
}

KCONTROL_DECL awaitable<result<opened_websocket>> transport::open_websocket(request req, exchange_options options) {
    options.form(exchange_form::websocket);
    return websocket_of(open(std::move(req), std::move(options)));
}

}  // namespace kcontrol::http
