// WebSocket connections of the transport, before a server that does as it should, and before others.
#include "transport/fixture.hpp"
#include "transport/websocket_peer.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

class sockets : public loopback {
public:
    result<http::opened_websocket> open(std::uint16_t port, http::exchange_options options = {},
                                        http::request req = asking()) {
        const auto by = connect(port);
        result<http::opened_websocket> out = error(errc::unavailable);
        run(context, open_into(by, std::move(req), std::move(options), out));
        return out;
    }
    static http::request asking() {
        http::request req("GET", "/exec?command=ls");
        req.headers.set("Sec-WebSocket-Protocol", "v5.channel.k8s.io, v4.channel.k8s.io");
        req.headers.set("Authorization", "Bearer t");
        return req;
    }
    static awaitable<void> open_into(std::shared_ptr<http::transport> by, http::request req,
                                     http::exchange_options options, result<http::opened_websocket>& out) {
        auto opened = co_await by->open_websocket(std::move(req), std::move(options));
        out = std::move(opened);
    }

    /// Messages as text, "|" behind each; then how it ended: "end", or the error's number.
    std::string read_all(http::websocket& from, std::size_t room = 4096) {
        std::string out;
        run(context, read_into(from, room, out));
        return out;
    }
    static awaitable<void> read_into(http::websocket& from, std::size_t room, std::string& out) {
        std::string buffer(room, '\0');
        for (;;) {
            const std::span<char> into(buffer);
            const auto piece = co_await from.read_some(into, 1min, {});
            if (!piece) {
                out += "error " + std::to_string(piece.error().code().value());
                co_return;
            }
            if (piece->closed) {
                out += "end";
                co_return;
            }
            out.append(buffer, 0, piece->bytes);
            if (piece->last) out += "|";
        }
    }

    result<void> write(http::websocket& to, std::string head, std::string content, duration time = 1min) {
        result<void> out = error(errc::unavailable);
        run(context, write_into(to, head, content, time, {}, out));
        return out;
    }
    static awaitable<void> write_into(http::websocket& to, const std::string& head, const std::string& content,
                                      duration time, std::stop_token stop, result<void>& out) {
        const auto sent = co_await to.write(head, content, time, stop);
        out = sent;
    }
    static awaitable<void> write_once(http::websocket& to, const std::string& content, std::stop_token stop,
                                      std::optional<result<void>>& out) {
        const auto sent = co_await to.write("", content, 0s, stop);
        out.emplace(sent);
    }
    static awaitable<void> read_one(http::websocket& from, std::span<char> into, duration idle, std::stop_token stop,
                                    std::optional<result<http::websocket_piece>>& out) {
        const auto piece = co_await from.read_some(into, idle, stop);
        out.emplace(piece);
    }
    static awaitable<void> open_once(std::shared_ptr<http::transport> by, http::exchange_options options,
                                     std::optional<result<http::opened_websocket>>& out) {
        auto opened = co_await by->open_websocket(asking(), std::move(options));
        out.emplace(std::move(opened));
    }
};

std::string number(errc code) { return "error " + std::to_string(static_cast<int>(code)); }

// Sends these bytes after switching, and waits for the client's end.
websocket_peer::script says(std::string bytes) {
    return websocket_peer::switched([bytes](peer_connection& c) -> awaitable<void> {
        co_await c.write(bytes);
        for (client_frame f = co_await c.next(); f.opcode != 0xff; f = co_await c.next()) {
        }
    });
}

// Answers three pings, and says something behind the last of these answers.
websocket_peer::script answers_three(int& pings) {
    return websocket_peer::switched([&pings](peer_connection& c) -> awaitable<void> {
        client_frame f = co_await c.next();
        while (f.opcode != 0xff) {
            const bool counts = f.opcode == op_ping && ++pings <= 3;
            std::string answer;
            if (counts) answer = frame(op_pong, f.payload);
            if (counts && pings == 3) answer += frame(op_binary, "here");
            co_await c.write(std::move(answer));
            f = co_await c.next();
        }
    });
}

}  // namespace

TEST_CASE("messages both ways, in pieces, with pings in between, and a proper end") {
    sockets net;
    std::vector<client_frame> got;
    websocket_peer peer(net.context, websocket_peer::switched(
                                         [&got](peer_connection& c) -> awaitable<void> {
                                             for (int i = 0; i < 3; ++i) got.push_back(co_await c.next());
                                             co_await c.write(frame(op_binary, "\x01hello"));
                                             co_await c.write(frame(op_binary,
                                                                    "\x01"
                                                                    "one ",
                                                                    false) +
                                                              frame(op_ping, "p") +
                                                              frame(op_continuation, "message", true));
                                             co_await c.write(frame(op_binary, "") + frame(op_text, "text"));
                                             got.push_back(co_await c.next());
                                             co_await c.write(close_frame());
                                             got.push_back(co_await c.next());
                                         },
                                         "Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n"));
    auto opened = net.open(peer.port());
    REQUIRE(opened.has_value());
    REQUIRE(opened->socket != nullptr);
    CHECK(opened->answer.status == 101);
    CHECK(opened->answer.headers.get("Sec-WebSocket-Protocol") == "v4.channel.k8s.io");
    CHECK(peer.last_head().starts_with("GET /exec?command=ls HTTP/1.1\r\n"));
    CHECK(value_in(peer.last_head(), "Sec-WebSocket-Protocol") == "v5.channel.k8s.io, v4.channel.k8s.io");
    CHECK(value_in(peer.last_head(), "Authorization") == "Bearer t");
    CHECK(value_in(peer.last_head(), "Host") == "127.0.0.1:" + std::to_string(peer.port()));
    CHECK_FALSE(has(peer.last_head(), "Sec-WebSocket-Extensions"));

    const std::string large(100'000, 'x');
    CHECK(net.write(*opened->socket, std::string(1, '\0'), "input").has_value());
    CHECK(net.write(*opened->socket, "h", large).has_value());
    CHECK(net.write(*opened->socket, "", "").has_value());
    CHECK(net.read_all(*opened->socket, 3) == "\x01hello|\x01one message||text|end");
    CHECK(net.read_all(*opened->socket) == "end");
    CHECK(net.write(*opened->socket, "", "late").error() == errc::connection_lost);
    REQUIRE(got.size() == 5);
    for (const auto& f : got) CHECK(f.masked);
    CHECK(got[0].opcode == op_binary);
    CHECK(got[0].fin);
    CHECK(got[0].payload == std::string("\0input", 6));
    CHECK(got[1].payload == "h" + large);
    CHECK(got[2].payload.empty());
    CHECK(got[3].opcode == op_pong);
    CHECK(got[3].payload == "p");
    CHECK(got[4].opcode == op_close);
}

TEST_CASE("over TLS as well") {
    sockets net;
    const auto ca = http::certificate_authority::create(http::certificate_options(net.env.wall_now())).value();
    auto made = ca.issue(http::certificate_options(net.env.wall_now()).ip("127.0.0.1")).value();
    const std::string large(300'000, 'y');
    websocket_peer peer(net.context, websocket_peer::switched([&](peer_connection& c) -> awaitable<void> {
                            const client_frame f = co_await c.next();
                            co_await c.write(frame(op_binary, f.payload) + close_frame());
                            co_await c.next();
                        }),
                        http::server_tls(made.cert_pem, made.key_pem));
    const auto factory = http::make_transport_factory(net.env);
    const auto by =
        factory(net.ex(), http::endpoint("https", "127.0.0.1", peer.port()), http::tls_options().ca_pem(ca.cert_pem()))
            .value();
    result<http::opened_websocket> opened = error(errc::unavailable);
    run(net.context, sockets::open_into(by, sockets::asking(), {}, opened));
    REQUIRE(opened.has_value());
    REQUIRE(opened->socket != nullptr);
    CHECK(net.write(*opened->socket, "", large).has_value());
    CHECK(net.read_all(*opened->socket, 5000) == large + "|end");
}

TEST_CASE("an answer that is no switch comes whole") {
    sockets net;
    struct row {
        std::string answer;
        int status;
        std::string body;
    };
    for (const auto& r :
         {row{"HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 403, "{}"},
          row{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200, "abc"},
          row{"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, ""},
          row{"HTTP/1.1 500 Oops\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x'), 500,
              std::string(5000, 'x')},
          row{"HTTP/1.1 502 Bad\r\n\r\nno length", 502, "no length"}}) {
        CAPTURE(r.status);
        websocket_peer peer(net.context, [&r](peer_connection& c) -> awaitable<void> { co_await c.write(r.answer); });
        const auto opened = net.open(peer.port());
        REQUIRE(opened.has_value());
        CHECK(opened->socket == nullptr);
        CHECK(opened->answer.status == r.status);
        CHECK(opened->answer.body == r.body);
    }
}

TEST_CASE("a switch that nobody asked for, or that is none") {
    sockets net;
    struct row {
        const char* what;
        std::function<std::string(const std::string&)> answer;
        errc code;
    };
    const auto with = [](std::string more) {
        return [more](const std::string& head) { return switching(head, more); };
    };
    const std::string begin = "HTTP/1.1 101 Switching Protocols\r\n";
    const auto text = [](std::string answer) { return [answer](const std::string&) { return answer; }; };
    for (const auto& r : {
             row{"another protocol", with("Sec-WebSocket-Protocol: v3\r\n"), errc::protocol_error},
             row{"an extension", with("Sec-WebSocket-Extensions: permessage-deflate\r\n"), errc::protocol_error},
             row{"no key", text(begin + "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), errc::protocol_error},
             row{"a wrong key",
                 text(begin + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"),
                 errc::protocol_error},
             row{"another upgrade", text(begin + "Upgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n"),
                 errc::protocol_error},
             row{"nothing", text(""), errc::unknown_outcome},
             row{"half a head", text(begin + "Upgr"), errc::unknown_outcome},
             row{"no HTTP", text("\x15\x03\x01\x02"), errc::unknown_outcome},
         }) {
        CAPTURE(std::string(r.what));
        websocket_peer peer(net.context,
                            [&r](peer_connection& c) -> awaitable<void> { co_await c.write(r.answer(c.head)); });
        const auto opened = net.open(peer.port());
        REQUIRE_FALSE(opened.has_value());
        CHECK_MESSAGE(opened.error() == r.code, opened.error().what());
    }
}

TEST_CASE("frames that no server may send end the connection") {
    sockets net;
    struct row {
        const char* what;
        std::string bytes;
    };
    for (const auto& r :
         {row{"masked", frame(op_binary, "x", true, true)}, row{"an opcode that is none", frame(3, "x")},
          row{"a control opcode that is none", frame(11, "x")}, row{"a reserved bit", std::string("\xc2\x01x")},
          row{"a continuation of nothing", frame(op_continuation, "x")},
          row{"a message inside another", frame(op_binary, "x", false) + frame(op_binary, "y")},
          row{"a large ping", frame(op_ping, std::string(126, 'p'))},
          row{"a ping in parts", frame(op_ping, "p", false)}, row{"a close of one byte", frame(op_close, "x")},
          row{"a close with a code that is none", close_frame(999)},
          row{"a length that is written too long", std::string("\x82\x7e\x00\x01x", 5)},
          row{"text that is none", frame(op_text, "\xff\xff")}}) {
        CAPTURE(std::string(r.what));
        websocket_peer peer(net.context, says(r.bytes));
        auto opened = net.open(peer.port());
        REQUIRE(opened.has_value());
        const std::string seen = net.read_all(*opened->socket);
        CHECK_MESSAGE(seen.ends_with(number(errc::protocol_error)), seen);
        CHECK(net.read_all(*opened->socket) == number(errc::protocol_error));
        CHECK_FALSE(net.write(*opened->socket, "", "x").has_value());
    }
}

TEST_CASE("a connection that ends without goodbye is an error, in the middle of a message or not") {
    sockets net;
    for (const auto& row : {std::pair<std::string, std::string>{"", ""},
                            {frame(op_binary, "whole"), "whole|"},
                            {frame(op_binary, "part of it").substr(0, 6), "part"},
                            {frame(op_binary, "first", false), "first"}}) {
        const auto& [bytes, seen] = row;
        CAPTURE(row.first);
        websocket_peer peer(net.context, websocket_peer::switched([b = bytes](peer_connection& c) {
                                return [](peer_connection& to, std::string text) -> awaitable<void> {
                                    co_await to.write(text);
                                }(c, b);
                            }));
        auto opened = net.open(peer.port());
        REQUIRE(opened.has_value());
        CHECK(net.read_all(*opened->socket) == seen + number(errc::truncated));
    }
}

TEST_CASE("a message of 256 MiB is read in flat memory") {
    sockets net;
    constexpr std::size_t pieces = 4096;
    websocket_peer peer(net.context, websocket_peer::switched([](peer_connection& c) -> awaitable<void> {
                            const std::string part(std::size_t{64} << 10, 'x');
                            std::string head("\x82\x7f", 2);
                            for (int shift = 56; shift >= 0; shift -= 8) {
                                head += static_cast<char>((pieces * part.size()) >> shift & 0xff);
                            }
                            co_await c.write(head);
                            for (std::size_t i = 0; i < pieces; ++i) co_await c.write(part);
                            co_await c.write(close_frame());
                            co_await c.next();
                        }));
    auto opened = net.open(peer.port());
    REQUIRE(opened.has_value());
    std::size_t all = 0, messages = 0, largest = 0;
    std::string buffer(std::size_t{128} << 10, '\0');
    bool closed = false;
    run(net.context, [&]() -> awaitable<void> {
        while (!closed) {
            const std::span<char> into(buffer);
            const auto piece = co_await opened->socket->read_some(into, 1min, {});
            REQUIRE(piece.has_value());
            all += piece->bytes;
            largest = std::max(largest, piece->bytes);
            messages += piece->last ? 1 : 0;
            closed = piece->closed;
        }
    }());
    CHECK(all == pieces << 16);
    CHECK(messages == 1);
    CHECK(largest <= buffer.size());
}

TEST_CASE("a stop and a deadline end it wherever it waits") {
    sockets net;
    const auto silent = [](peer_connection& c) -> awaitable<void> {
        char letter = 0;
        co_await c.read(&letter, 1);
    };
    for (const bool by_stop : {true, false}) {
        CAPTURE(by_stop);
        websocket_peer mute(net.context, silent);
        std::stop_source source;
        http::exchange_options options;
        // measures: no answer comes; loopback takes the request in much less than a second
        options.deadline(by_stop ? duration(1h) : duration(1s)).stop(source.get_token());
        const auto by = net.connect(mute.port());
        std::optional<result<http::opened_websocket>> opened;
        start(net.context, sockets::open_once(by, options, opened));
        net.until([&] { return !mute.last_head().empty() || opened; });
        if (by_stop) source.request_stop();
        net.until([&] { return opened.has_value(); });
        REQUIRE_FALSE(opened->has_value());
        CHECK(opened->error() == (by_stop ? errc::stopped : errc::unknown_outcome));
        // One that is stopped already sends nothing.
        source.request_stop();
        CHECK(net.open(mute.port(), options).error() == errc::stopped);
    }
    // It reads nothing, so that what is written stays with the client at last.
    websocket_peer peer(net.context, websocket_peer::switched([](peer_connection& c) -> awaitable<void> {
                            co_await c.socket().async_wait(tcp::socket::wait_error, no_throw);
                        }));
    std::string buffer(10, '\0');
    const std::string endless(std::size_t{64} << 20, 'x');
    {
        auto opened = net.open(peer.port());
        REQUIRE(opened.has_value());
        std::stop_source source;
        std::optional<result<http::websocket_piece>> read;
        std::optional<result<void>> sent;
        start(net.context, sockets::read_one(*opened->socket, buffer, 0s, source.get_token(), read));
        start(net.context, sockets::write_once(*opened->socket, endless, source.get_token(), sent));
        for (int i = 0; i < 1000; ++i) net.context.poll();
        CHECK_FALSE(read.has_value());
        CHECK_FALSE(sent.has_value());
        source.request_stop();
        net.until([&] { return read.has_value() && sent.has_value(); });
        CHECK(read->error() == errc::stopped);
        CHECK(sent->error() == errc::stopped);
    }
    auto idle = net.open(peer.port());
    REQUIRE(idle.has_value());
    std::optional<result<http::websocket_piece>> read;
    start(net.context, sockets::read_one(*idle->socket, buffer, 30ms, {}, read));  // measures: nothing comes
    net.until([&] { return read.has_value(); });
    CHECK(read->error() == errc::timeout);
    CHECK(net.write(*idle->socket, "", "x").error() == errc::timeout);
    auto full = net.open(peer.port());
    REQUIRE(full.has_value());
    CHECK(net.write(*full->socket, "", endless, 50ms).error() == errc::timeout);  // measures: nobody reads it
}

TEST_CASE("a silent server is asked for a sign of life while somebody reads, and is dead without one") {
    sockets net;
    int pings = 0;
    websocket_peer peer(net.context, answers_three(pings));
    // measures: it asks soon; a mute peer, which is this thread, too, is given up in the end
    const auto by = net.connect(peer.port(), http::transport_options().http2_ping(20ms, 1s));
    result<http::opened_websocket> opened = error(errc::unavailable);
    run(net.context, sockets::open_into(by, sockets::asking(), {}, opened));
    REQUIRE(opened.has_value());
    std::string buffer(64, '\0');
    std::optional<result<http::websocket_piece>> first, second;
    start(net.context, sockets::read_one(*opened->socket, buffer, 0s, {}, first));
    net.until([&] { return first.has_value(); });
    REQUIRE(first->has_value());
    CHECK(buffer.substr(0, (*first)->bytes) == "here");
    CHECK(pings >= 3);
    start(net.context, sockets::read_one(*opened->socket, buffer, 0s, {}, second));
    net.until([&] { return second.has_value(); });
    REQUIRE_FALSE(second->has_value());
    CHECK(second->error() == errc::connection_lost);
    CHECK_MESSAGE(has(text_of(second->error()), "sign of life"), second->error().what());
}

TEST_CASE("destroyed or closed, with a read in progress") {
    sockets net;
    std::vector<unsigned char> got;
    websocket_peer peer(net.context, websocket_peer::switched([&got](peer_connection& c) -> awaitable<void> {
                            for (;;) {
                                const client_frame f = co_await c.next();
                                got.push_back(f.opcode);
                                if (f.opcode == 0xff) co_return;
                                if (f.opcode == op_close) co_await c.write(close_frame());
                            }
                        }));
    std::string buffer(10, '\0');
    {
        auto opened = net.open(peer.port());
        REQUIRE(opened.has_value());
        std::optional<result<http::websocket_piece>> read;
        start(net.context, sockets::read_one(*opened->socket, buffer, 0s, {}, read));
        for (int i = 0; i < 100; ++i) net.context.poll();
        opened->socket.reset();
        net.until([&] { return read.has_value(); });
        REQUIRE_FALSE(read->has_value());
        CHECK(read->error() == errc::unavailable);
        net.until([&] { return !got.empty(); });
        CHECK(got == std::vector<unsigned char>{0xff});
    }
    got.clear();
    auto opened = net.open(peer.port());
    REQUIRE(opened.has_value());
    run(net.context, opened->socket->close(1min));
    net.until([&] { return got.size() == 2; });
    CHECK(got == std::vector<unsigned char>{op_close, 0xff});
    CHECK_FALSE(net.write(*opened->socket, "", "x").has_value());
    CHECK(net.read_all(*opened->socket) != "end");
    // One who does not answer the goodbye is not waited for longer than asked.
    websocket_peer rude(net.context, websocket_peer::switched([](peer_connection& c) -> awaitable<void> {
                            char letter = 0;
                            for (bool more = true; more;) more = co_await c.read(&letter, 1);
                        }));
    auto other = net.open(rude.port());
    REQUIRE(other.has_value());
    run(net.context, other->socket->close(50ms));  // measures: no answer comes
}
