// Whatever a node sends on the WebSocket of a command or a port, in whatever pieces: what the stream gives is what the
// messages said, a connection without a last word is no success, and another port's bytes are nobody's.
//
// The input is a byte that says what it is about, one for the pieces, one for how the connection ends; then messages,
// each after a 0x1e.
#include <kcontrol/client/pod_exec.hpp>
#include <kcontrol/client/pod_logs.hpp>
#include <kcontrol/client/port_forward.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/testing/run.hpp>

#include "require.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kcontrol;
using fuzz::require;

constexpr std::uint16_t port = 0x1f90;

/// Hands out its messages piece by piece; some end with a piece that holds nothing.
class told_socket final : public http::websocket {
public:
    told_socket(std::deque<std::string> messages, std::size_t slice, bool empty_ends, bool breaks)
        : messages_(std::move(messages)), slice_(slice), empty_ends_(empty_ends), breaks_(breaks) {}

    awaitable<result<http::websocket_piece>> read_some(std::span<char> into, duration, std::stop_token) override {
        http::websocket_piece piece;
        piece.closed = messages_.empty();
        if (messages_.empty() && breaks_)
            return make_ready<result<http::websocket_piece>>(error(errc::connection_lost));
        if (messages_.empty()) return make_ready<result<http::websocket_piece>>(piece);
        const std::string& now = messages_.front();
        piece.bytes = std::min({into.size(), slice_, now.size() - at_});
        std::copy_n(now.data() + at_, piece.bytes, into.data());
        at_ += piece.bytes;
        piece.last = at_ == now.size() && (!empty_ends_ || piece.bytes == 0);
        if (piece.last) messages_.pop_front(), at_ = 0;
        return make_ready<result<http::websocket_piece>>(piece);
    }
    awaitable<result<void>> write(std::string_view, std::string_view, duration, std::stop_token) override {
        return make_ready(result<void>());
    }
    awaitable<void> close(duration) override { co_return; }

private:
    std::deque<std::string> messages_;
    std::size_t slice_, at_ = 0;
    bool empty_ends_, breaks_;
};

/// How a stream ended, and what it gave before.
struct heard {
    std::array<std::string, 2> text;
    result<int> code = error(errc::unavailable);
};

awaitable<heard> hear_command(exec_stream& from) {
    heard out;
    for (;;) {
        const auto piece = co_await from.next({});
        if (!piece) out.code = piece.error();
        if (piece && !*piece) out.code = from.exit_code().value();
        if (!piece || !*piece) break;
        require(!(*piece)->bytes.empty());
        out.text[(*piece)->from == exec_source::output ? 0 : 1] += (*piece)->bytes;
    }
    const auto again = co_await from.next({});  // it stays so
    require(again.has_value() == out.code.has_value());
    co_return out;
}

heard command_should_be(const std::deque<std::string>& messages, bool breaks) {
    heard out;
    std::string status;
    for (const auto& message : messages) {
        if (message.empty()) continue;
        if (message[0] == 1 || message[0] == 2) out.text[message[0] == 1 ? 0 : 1] += message.substr(1);
        if (message[0] == 3) status += message.substr(1);
    }
    status.resize(std::min(status.size(), std::size_t{64} << 10));
    if (!status.empty()) {
        out.code = detail::read_exec_status(status);
    } else {
        out.code = breaks ? error(errc::connection_lost) : error(errc::truncated);
    }
    return out;
}

awaitable<heard> hear_port(port_stream& from, std::size_t room) {
    heard out;
    std::string chunk(room, '\0');
    for (;;) {
        const std::span<char> into(chunk);
        const auto n = co_await from.read_some(into, {});
        if (!n) out.code = n.error();
        if (n && *n == 0) out.code = 0;
        if (!n || *n == 0) co_return out;
        require(*n <= room);
        out.text[0].append(chunk, 0, *n);
    }
}

heard port_should_be(const std::deque<std::string>& messages, bool breaks) {
    heard out;
    std::array<std::size_t, 2> passed{};
    const char expected[] = {static_cast<char>(port & 0xff), static_cast<char>(port >> 8)};
    for (const auto& message : messages) {
        if (message.empty() || static_cast<unsigned char>(message[0]) > 1) continue;
        const auto channel = static_cast<std::size_t>(message[0]);
        std::string_view rest = std::string_view(message).substr(1);
        while (passed[channel] < 2 && !rest.empty()) {
            if (rest.front() != expected[passed[channel]]) {
                out.code = error(errc::protocol_error);
                return out;
            }
            rest.remove_prefix(1);
            ++passed[channel];
        }
        if (rest.empty()) continue;
        if (channel == 0) {
            out.text[0] += rest;
        } else {
            out.code = error(errc::connection_refused);
            return out;
        }
    }
    out.code = breaks ? result<int>(error(errc::connection_lost)) : result<int>(0);
    return out;
}

void same_end(const result<int>& a, const result<int>& b) {
    require(a.has_value() == b.has_value());
    if (a) require(*a == *b);
    if (!a) require(a.error().code() == b.error().code());
}

std::string lines_of(std::string_view text, std::size_t longest, std::size_t slice) {
    detail::line_splitter splitter(longest);
    std::string out;
    const auto take = [&](const pod_log_line& line) {
        require(line.text.size() <= longest && line.text.find('\n') == std::string_view::npos);
        out.append(line.text).append(line.whole ? "\n" : "\\\n");
    };
    while (!text.empty()) {
        const auto room = splitter.room();
        const std::size_t n = std::min({room.size(), slice, text.size()});
        std::copy_n(text.data(), n, room.data());
        text.remove_prefix(n);
        splitter.filled(n);
        while (const auto line = splitter.next()) take(*line);
    }
    if (const auto line = splitter.finish()) take(*line);
    require(!splitter.finish());
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
    const std::size_t slice = data[1] % 64 + 1u;
    const bool breaks = (data[2] & 1) != 0, empty_ends = (data[2] & 2) != 0;
    if (data[0] % 4 == 2) {
        const std::size_t longest = data[2] + 1u;
        require(lines_of(text, longest, slice) == lines_of(text, longest, text.size() + 1));
        return 0;
    }
    if (data[0] % 4 == 3) {
        const auto code = detail::read_exec_status(text);
        require(code.has_value() || !code.error().what().empty());
        return 0;
    }
    std::deque<std::string> messages;
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = std::min(rest.find('\x1e'), rest.size());
        messages.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    boost::asio::io_context context;
    testing::manual_environment env;
    auto socket = std::make_unique<told_socket>(messages, slice, empty_ends, breaks);
    if (data[0] % 4 == 0) {
        http::opened_websocket opened;
        opened.answer = http::response(101);
        opened.answer.headers.set("Sec-WebSocket-Protocol", "v5.channel.k8s.io");
        opened.socket = std::move(socket);
        exec_stream stream(env, std::move(opened), exec_options());
        const heard is = testing::run(context, hear_command(stream)), should = command_should_be(messages, breaks);
        require(is.text == should.text);
        same_end(is.code, should.code);
        return 0;
    }
    port_stream stream(env, std::move(socket), port);
    const heard is = testing::run(context, hear_port(stream, data[1] / 4 + 2u)),
                should = port_should_be(messages, breaks);
    // A message whose end says nothing is told of when the next one comes.
    if (!empty_ends) require(is.text[0] == should.text[0]);
    if (empty_ends) require(is.text[0].starts_with(should.text[0]));
    if (!empty_ends || should.code.has_value()) same_end(is.code, should.code);
    if (empty_ends && !should.code.has_value()) require(!is.code.has_value());
    return 0;
}
