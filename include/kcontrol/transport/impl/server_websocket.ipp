#pragma once

#include <kcontrol/base/base64.hpp>
#include <kcontrol/transport/impl/server_connection.ipp>
#include <kcontrol/transport/impl/server_websocket.hpp>

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kcontrol::inline v0_1::http::detail {

// RFC 6455 §4.2.2: SHA-1 is what the protocol asks for; nothing is kept secret by it.
inline std::string websocket_key_answer(std::string_view key) {
    const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    ::SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    return encode_base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

inline server_websocket::~server_websocket() {
    if (!closed_ && !said_goodbye_) below_.reset();
}

// Control frames may be due while a message is written: they follow it.
inline awaitable<result<void>> server_websocket::send(std::string frames) {
    if (broken_) co_return *broken_;
    queued_ += frames;
    if (writing_) co_return result<void>();
    writing_ = true;
    result<void> done;
    while (done && !queued_.empty()) {
        const std::string now = std::exchange(queued_, {});
        write_buffers out{boost::asio::buffer(now), boost::asio::const_buffer(), boost::asio::const_buffer()};
        done = co_await below_.write_out(out);
    }
    writing_ = false;
    if (!done) broken_ = done.error();
    co_return done;
}

inline error server_websocket::fail(error why) {
    broken_ = why;
    below_.reset();
    return why;
}

inline awaitable<result<websocket_piece>> server_websocket::read_some(std::span<char> into, duration idle,
                                                                      std::stop_token stop) {
    if (into.empty()) co_return error(errc::invalid_argument, "a read needs room for at least one byte");
    const std::optional<time_point> deadline = below_.time_after(idle);
    for (;;) {
        websocket_piece out;
        out.closed = closed_;
        if (closed_) co_return out;
        if (broken_) co_return *broken_;
        auto piece = reader_.next(into.size());
        if (!piece) co_return fail(piece.error());
        if (!*piece) {
            auto bytes = co_await below_.read_upgraded(deadline, stop);
            const bool ends = !bytes && bytes.error() != errc::stopped;
            if (ends) co_return fail(bytes.error());
            if (!bytes) co_return bytes.error();
            reader_.add(*bytes);
            continue;
        }
        std::string& content = (*piece)->bytes;
        switch ((*piece)->code) {
        case frame_code::ping: {
            std::string pong = frame_head(frame_code::pong, content.size()) + content;
            const auto sent = co_await send(std::move(pong));
            static_cast<void>(sent);  // the next read tells
            break;
        }
        case frame_code::pong: break;
        case frame_code::close: {
            closed_ = true;
            if (said_goodbye_) break;
            said_goodbye_ = true;
            std::string echo = frame_head(frame_code::close, content.size()) + content;
            const auto sent = co_await send(std::move(echo));
            static_cast<void>(sent);  // it is over in any case
            break;
        }
        default:
            std::memcpy(into.data(), content.data(), content.size());
            out.bytes = content.size();
            out.last = (*piece)->last;
            co_return out;
        }
    }
}

inline awaitable<result<void>> server_websocket::write(std::string_view head, std::string_view content, duration,
                                                       std::stop_token stop) {
    if (stop.stop_requested()) co_return error(errc::stopped);
    const bool over = closed_ || said_goodbye_;
    if (over) co_return error(errc::connection_lost, "the connection was closed");
    std::string frame = frame_head(frame_code::binary, head.size() + content.size());
    frame.append(head).append(content);
    co_return co_await send(std::move(frame));
}

inline awaitable<void> server_websocket::close(duration time) {
    if (closed_ || said_goodbye_ || broken_) co_return;
    said_goodbye_ = true;
    std::string goodbye = frame_head(frame_code::close, 2) + "\x03\xe8";  // 1000: the purpose was fulfilled
    const auto sent = co_await send(std::move(goodbye));
    std::array<char, 4096> lost{};
    for (bool open = sent.has_value(); open;) {
        const auto piece = co_await read_some(lost, time, {});
        open = piece && !piece->closed;
    }
}

inline std::optional<time_point> server_connection::time_after(duration time) const {
    if (time == duration::zero()) return std::nullopt;
    return shared_->env.now() + time;
}

// What the peer sends after its request, as it comes. Errors: stopped, timeout, truncated (it has ended).
inline awaitable<result<std::string>> server_connection::read_upgraded(std::optional<time_point> deadline,
                                                                       std::stop_token stop) {
    while (input_.size() == 0) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        pump();
        if (ended_) co_return error(errc::truncated, "the client ended the connection without a goodbye");
        // Either may be triggered on any thread; the wait posts what follows to the connection's strand.
        std::stop_source ends;
        const auto end = [&ends] { ends.request_stop(); };
        const std::stop_callback by_reader(stop, end), by_server(gone_.get_token(), end);
        const wake why = co_await arrived_.wait(shared_->env, ends.get_token(), deadline);
        if (why == wake::timeout) co_return error(errc::timeout, "nothing came in time");
        const bool stops = why == wake::stopped && !stop.stop_requested() && input_.size() == 0 && !ended_;
        if (stops) co_return error(errc::stopped, "the server stops");
    }
    const auto data = input_.data();
    std::string out(static_cast<const char*>(data.data()), data.size());
    input_.consume(data.size());
    account();
    co_return out;
}

inline awaitable<result<std::unique_ptr<websocket>>> server_responder::accept_websocket(const request& asked,
                                                                                        std::string subprotocol) {
    if (state_ == state::broken) co_return error(errc::connection_lost, "the connection has ended");
    if (state_ != state::fresh) co_return error(errc::invalid_argument, "the request has been answered already");
    const bool can = http11_ && is_websocket_upgrade(asked);
    if (!can) co_return error(errc::invalid_argument, "the request does not ask to go on as a WebSocket");
    state_ = state::upgraded;
    std::string head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    head += "Sec-WebSocket-Accept: " + websocket_key_answer(asked.headers.get("Sec-WebSocket-Key")) + "\r\n";
    if (!subprotocol.empty()) head += "Sec-WebSocket-Protocol: " + subprotocol + "\r\n";
    head += "\r\n";
    write_buffers out{boost::asio::buffer(head), boost::asio::const_buffer(), boost::asio::const_buffer()};
    auto written = note(co_await owner_.write_out(out));
    if (!written) co_return written.error();
    co_return std::unique_ptr<websocket>(std::make_unique<server_websocket>(owner_));
}

}  // namespace kcontrol::http::detail
