#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/channels.hpp>
#include <kcontrol/client/detail/pod_path.hpp>
#include <kcontrol/client/detail/taking_turns.hpp>
#include <kcontrol/client/port_forward.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

// k8s.io/kubelet/pkg/cri/streaming/portforward/websocket.go: of the n-th port that was asked for, channel 2n carries
// bytes and 2n+1 what went wrong; each begins with the port in two bytes, the lower one first.
inline constexpr std::string_view port_protocol = "v4.channel.k8s.io";
inline constexpr unsigned char channel_bytes = 0, channel_trouble = 1;

// Shared by a stream and the calls in progress on it.
class port_state {
public:
    port_state(environment& e, std::unique_ptr<http::websocket> s, std::uint16_t p)
        : env(&e), socket(std::move(s)), port(p) {}

    /// Cuts off what comes first on each channel. False if that is another port.
    bool pass_port(channel_part& part) {
        std::size_t& passed = passed_[part.channel];
        while (passed < 2 && !part.bytes.empty()) {
            const auto expected = static_cast<unsigned char>(port >> (8 * passed));
            if (static_cast<unsigned char>(part.bytes.front()) != expected) return false;
            part.bytes.remove_prefix(1);
            ++passed;
        }
        return true;
    }

    environment* env;
    std::unique_ptr<http::websocket> socket;  // null: the stream was destroyed
    std::uint16_t port;
    channel_reader channels;
    std::string trouble;
    bool ended = false;
    std::optional<error> failure;
    std::shared_ptr<taking_turns> writers = std::make_shared<taking_turns>();

private:
    std::array<std::size_t, 2> passed_{};
};

inline error port_refused(const port_state& s) {
    return error(errc::connection_refused, "port " + std::to_string(s.port) + " of the pod: " + server_text(s.trouble));
}

inline awaitable<result<std::size_t>> read_port(std::shared_ptr<port_state> s, std::span<char> into,
                                                std::stop_token stop) {
    constexpr std::size_t most_trouble = std::size_t{16} << 10;
    if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
    for (;;) {
        if (s->failure) co_return *s->failure;
        if (s->ended) co_return std::size_t{0};
        if (!s->socket) co_return error(errc::unavailable, "the stream was destroyed");
        const auto piece = co_await s->socket->read_some(into, duration::zero(), stop);
        // What went wrong at the node says more than that the connection ended with it.
        const bool told = !s->trouble.empty() && (!piece || piece->closed);
        if (told) s->failure = port_refused(*s);
        if (told) continue;
        if (!piece) co_return piece.error();
        s->ended = piece->closed;
        if (piece->closed) continue;
        auto part = s->channels.take(std::string_view(into.data(), piece->bytes), piece->last);
        if (!part || part->channel > channel_trouble) continue;
        if (!s->pass_port(*part)) {
            s->failure = error(errc::protocol_error, "the node connected another port than " + std::to_string(s->port));
            continue;
        }
        if (part->channel == channel_trouble) {
            s->trouble += part->bytes.substr(0, most_trouble - std::min(most_trouble, s->trouble.size()));
            if (piece->last && !s->trouble.empty()) s->failure = port_refused(*s);
            continue;
        }
        if (part->bytes.empty()) continue;
        const std::size_t bytes = part->bytes.size();
        std::memmove(into.data(), part->bytes.data(), bytes);
        co_return bytes;
    }
}

inline awaitable<result<void>> write_port(std::shared_ptr<port_state> s, std::string_view bytes, std::stop_token stop) {
    constexpr std::size_t most_at_once = std::size_t{32} << 10;
    static constexpr char head = static_cast<char>(channel_bytes);
    const auto turn = co_await taking_turns::next(s->writers, *s->env, stop);
    if (!turn) co_return turn.error();
    while (!bytes.empty()) {
        if (s->failure) co_return *s->failure;
        if (!s->socket) co_return error(errc::unavailable, "the stream was destroyed");
        const std::string_view now = bytes.substr(0, most_at_once);
        bytes.remove_prefix(now.size());
        const auto sent = co_await s->socket->write(std::string_view(&head, 1), now, duration::zero(), stop);
        if (!sent) co_return sent.error();
    }
    co_return result<void>();
}

inline awaitable<result<port_stream>> port_call(client c, http::request req, std::uint16_t port,
                                                port_forward_options options) {
    http::exchange_options bounds;
    bounds.deadline(options.deadline()).stop(options.stop());
    req.headers.set("Sec-WebSocket-Protocol", std::string(port_protocol));
    auto opened = co_await c.raw_websocket(std::move(req), std::move(bounds));
    if (!opened) co_return opened.error();
    if (opened->answer.headers.get("Sec-WebSocket-Protocol") != port_protocol) {
        co_return error(errc::protocol_error, "the node does not speak " + std::string(port_protocol));
    }
    co_return port_stream(c.env(), std::move(opened->socket), port);
}

}  // namespace detail

KCONTROL_DECL port_stream::port_stream(environment& env, std::unique_ptr<http::websocket> socket, std::uint16_t port)
    : state_(std::make_shared<detail::port_state>(env, std::move(socket), port)) {}

KCONTROL_DECL port_stream::port_stream(port_stream&&) noexcept = default;

KCONTROL_DECL port_stream& port_stream::operator=(port_stream&& other) noexcept {
    if (state_ && state_ != other.state_) state_->socket.reset();
    state_ = std::move(other.state_);
    return *this;
}

KCONTROL_DECL port_stream::~port_stream() {
    if (state_) state_->socket.reset();
}

KCONTROL_DECL awaitable<result<std::size_t>> port_stream::read_some(std::span<char> into, std::stop_token stop) {
    return detail::read_port(state_, into, std::move(stop));
}

KCONTROL_DECL awaitable<result<void>> port_stream::write(std::string_view bytes, std::stop_token stop) {
    return detail::write_port(state_, bytes, std::move(stop));
}

KCONTROL_DECL awaitable<result<port_stream>> open_port(client c, namespaced_name pod, std::uint16_t port,
                                                       port_forward_options options) {
    const auto path = detail::pod_path(c, std::move(pod), "portforward");
    if (!path) return make_ready<result<port_stream>>(path.error());
    if (port == 0) return make_ready<result<port_stream>>(error(errc::invalid_argument, "port 0 is none"));
    http::query_builder query;
    query.append("ports", std::to_string(port));
    return detail::port_call(std::move(c), http::request("GET", query.after(*path)), port, std::move(options));
}

}  // namespace kcontrol
