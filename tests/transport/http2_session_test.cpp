// HTTP/2 from bytes to streams: what each mistake and malice of a server becomes, and what it can make a client hold.
#include <kcontrol/transport/impl/http2_session.hpp>

#include "transport/http2_bytes.hpp"
#include "transport/http2_side.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace kcontrol;
using http::detail::http2_session;
using http::detail::http2_stream;
using kcontrol::test::http2_call;
using kcontrol::test::http2_side;
namespace h2 = kcontrol::test::http2;

namespace {

class seen_stream final : public http2_stream {
public:
    using http2_stream::http2_stream;
    int changes = 0;

private:
    void changed() override { ++changes; }
};

class two_sides {
public:
    ~two_sides() {
        for (const auto& one : streams) session.abandon(*one);
    }

    seen_stream& open(bool whole = true, http::request req = {}, std::size_t most = http2_stream::unlimited) {
        streams.push_back(std::make_unique<seen_stream>(std::move(req), whole, most));
        REQUIRE(session.open(*streams.back()));
        send();
        return *streams.back();
    }

    // What goes out, all of it.
    std::string send() {
        std::string out;
        const auto taken = session.take_output(out, 1 << 30);
        if (!taken) broken = taken.error();
        sent += out;
        return out;
    }

    // Bytes of the server, in pieces.
    void get(std::string_view bytes, std::size_t step = 1 << 20) {
        for (std::size_t at = 0; at < bytes.size() && !broken; at += step) {
            const auto piece = bytes.substr(at, step);
            const auto taken = session.receive({piece.data(), piece.size()});
            if (!taken) broken = taken.error();
            if (!broken) send();
        }
        if (broken) session.fail(*broken, *broken);
    }

    // "200 text", or the failure.
    std::string outcome(std::size_t i = 0) const {
        const auto& one = *streams.at(i);
        if (one.failure) return (one.unprocessed ? "unprocessed " : "") + std::string(one.failure->what());
        if (!one.ended) return one.head_done ? "head" : "nothing";
        return std::to_string(one.head.status) + " " + one.body;
    }

    std::vector<std::unique_ptr<seen_stream>> streams;
    http2_session session{"server:443"};
    std::string sent;
    std::optional<error> broken;
};

std::size_t count_frames(std::string_view bytes, std::uint8_t kind) {
    std::size_t found = 0;
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    if (bytes.starts_with(preface)) bytes.remove_prefix(preface.size());
    while (bytes.size() >= 9) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
        const std::size_t size = (at(0) << 16) + (at(1) << 8) + at(2);
        if (at(3) == kind) ++found;
        bytes.remove_prefix(std::min(bytes.size(), 9 + size));
    }
    return found;
}

std::string times(int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
}

}  // namespace

TEST_CASE("http2_session: what a server sends, and what becomes of the request") {
    using namespace h2;
    const std::string big(20'000, 'x');
    struct row {
        const char* what;
        std::string bytes;    // after the server's settings
        std::string expect;   // a part of the outcome
        bool breaks = false;  // the whole connection
    };
    const row rows[] = {
        {"an answer", ok(1) + body(1, "hi"), "200 hi"},
        {"in several frames", ok(1) + body(1, "h", false) + body(1, "", false) + body(1, "i"), "200 hi"},
        {"with padding", ok(1) + frame(data, end_stream | padded, 1, std::string("\x03hi\0\0\0", 6)), "200 hi"},
        {"without a body", head(1, {{":status", "204"}}, end_headers | end_stream), "204 "},
        {"its length is right", head(1, {{":status", "200"}, {"content-length", "2"}}) + body(1, "hi"), "200 hi"},
        {"its head in pieces",
         frame(headers, 0, 1, field(":status", "200")) + frame(continuation, 0, 1, field("a", "b")) +
             frame(continuation, end_headers, 1, field("c", "d")) + body(1, "hi"),
         "200 hi"},
        {"after interim answers", head(1, {{":status", "103"}}) + head(1, {{":status", "100"}}) + ok(1) + body(1, "hi"),
         "200 hi"},
        {"with trailers", ok(1) + body(1, "hi", false) + head(1, {{"x", "y"}}, end_headers | end_stream), "200 hi"},
        {"frames of unknown kinds", frame(77, 255, 1, "???") + frame(78, 0, 0, "") + ok(1) + body(1, "hi"), "200 hi"},
        {"a setting that nobody knows", frame(settings, 0, 0, setting(999, 7)) + ok(1) + body(1, "hi"), "200 hi"},
        {"pings and windows in between",
         frame(ping, 0, 0, "12345678") + ok(1) + frame(window_update, 0, 0, number(5, 4)) +
             frame(window_update, 0, 1, number(5, 4)) + body(1, "hi"),
         "200 hi"},
        {"a priority, which is no more", frame(priority, 0, 1, number(0, 5)) + ok(1) + body(1, "hi"), "200 hi"},
        {"an error status is an answer", head(1, {{":status", "503"}}, end_headers | end_stream), "503 "},

        {"nothing", "", "nothing"},
        {"half a head", frame(headers, 0, 1, field(":status", "200")), "nothing"},
        {"no end", ok(1) + body(1, "hi", false), "head"},

        {"reset before an answer", reset(1, 2), "the server gave no answer: INTERNAL_ERROR"},
        {"reset inside the answer", ok(1) + body(1, "h", false) + reset(1, 8), "broke off its answer: CANCEL"},
        {"reset as if all were well", ok(1) + reset(1, 0), "broke off its answer: NO_ERROR"},
        {"reset with a number nobody knows", reset(1, 0xdead), "error 57005"},
        {"refused", reset(1, 7), "unprocessed the server gave no answer: REFUSED_STREAM"},
        {"HTTP/1.1 wanted", reset(1, 13), "unprocessed the server gave no answer: HTTP_1_1_REQUIRED"},
        {"a goodbye before it was looked at", goodbye(0, 0), "unprocessed the server gave no answer: REFUSED_STREAM"},
        {"a goodbye that lets it end", goodbye(1, 0) + ok(1) + body(1, "hi"), "200 hi"},
        {"two goodbyes, as a server that shuts down sends",
         goodbye(0x7fffffff, 0) + goodbye(1, 0) + ok(1) + body(1, "hi"), "200 hi"},

        {"no status", head(1, {{"x", "y"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"a status that is no number", head(1, {{":status", "2x0"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"two of them", head(1, {{":status", "200"}, {":status", "200"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"a status of four digits", head(1, {{":status", "2000"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"a status that does not exist", head(1, {{":status", "600"}}) + body(1, "hi"),
         "the status 600 does not exist"},
        {"switching protocols", head(1, {{":status", "101"}}), ""},
        {"a pseudo-header that requests have", head(1, {{":status", "200"}, {":path", "/"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"a pseudo-header behind others", head(1, {{"x", "y"}, {":status", "200"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"a name in upper case", head(1, {{":status", "200"}, {"X-Y", "z"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"an empty name", head(1, {{":status", "200"}, {"", "z"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"a line break in a value", head(1, {{":status", "200"}, {"x", "y\r\nz: w"}}) + body(1, "hi"),
         "characters that HTTP does not allow"},
        {"Transfer-Encoding", head(1, {{":status", "200"}, {"transfer-encoding", "chunked"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"Connection", head(1, {{":status", "200"}, {"connection", "close"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"more than it said", head(1, {{":status", "200"}, {"content-length", "1"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"less than it said", head(1, {{":status", "200"}, {"content-length", "3"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"two lengths", head(1, {{":status", "200"}, {"content-length", "2"}, {"content-length", "2"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"a length that is no number", head(1, {{":status", "200"}, {"content-length", "-2"}}) + body(1, "hi"),
         "malformed HTTP/2"},
        {"a body without a head", body(1, "hi"), "malformed HTTP/2", true},
        {"trailers with a status", ok(1) + head(1, {{":status", "200"}}, end_headers | end_stream), "malformed HTTP/2"},
        {"trailers that are no end", ok(1) + head(1, {{"x", "y"}}) + body(1, "hi"), "malformed HTTP/2"},
        {"interim answers without end", times(20, head(1, {{":status", "100"}})), "interim responses without end"},
        {"an interim answer that ends it", head(1, {{":status", "100"}}, end_headers | end_stream), "malformed HTTP/2"},
        {"a head beyond the limit",
         frame(headers, 0, 1, block({{":status", "200"}, {"a", big.substr(0, 16'000)}})) +
             frame(continuation, 0, 1, field("b", big.substr(0, 16'000))) +
             frame(continuation, 0, 1, field("c", big.substr(0, 16'000))) +
             frame(continuation, 0, 1, field("d", big.substr(0, 16'000))) +
             frame(continuation, end_headers, 1, field("e", big.substr(0, 16'000))) + body(1, "hi"),
         "header exceeds 64 KiB"},
        {"very many small fields",
         frame(headers, end_headers, 1, field(":status", "200") + times(3000, field("a", ""))),
         "header exceeds 64 KiB"},
        {"trailers beyond the limit",
         ok(1) + body(1, "hi", false) + frame(headers, end_headers | end_stream, 1, times(3000, field("a", ""))),
         "header exceeds 64 KiB"},
        {"a window that is widened by nothing", frame(window_update, 0, 1, number(0, 4)), "malformed HTTP/2", true},
        // It ends the stream, and since nghttp2 1.70 the connection.
        {"a window beyond 2^31", frame(window_update, 0, 1, number(0x7fffffff, 4)), "malformed HTTP/2",
         NGHTTP2_VERSION_NUM >= 0x014600},

        {"not HTTP/2", "HTTP/1.1 400 Bad Request\r\n\r\n", "malformed HTTP/2", true},
        {"a frame beyond the limit", frame(data, 0, 1, big), "malformed HTTP/2", true},
        {"a body on no stream", body(0, "hi"), "malformed HTTP/2", true},
        {"a head on no stream", ok(0), "malformed HTTP/2", true},
        {"a stream of the server's", ok(2), "malformed HTTP/2", true},
        {"a stream that nobody opened", ok(9), "malformed HTTP/2", true},
        {"a body on a stream that nobody opened", body(9, "hi"), "malformed HTTP/2", true},
        {"a push", frame(push_promise, end_headers, 1, number(2, 4) + block({{":method", "GET"}})), "pushes", true},
        {"something between the pieces of a head",
         frame(headers, 0, 1, field(":status", "200")) + frame(ping, 0, 0, "12345678"), "malformed HTTP/2", true},
        {"the rest of another stream's head",
         frame(headers, 0, 1, field(":status", "200")) + frame(continuation, end_headers, 3, field("a", "b")),
         "malformed HTTP/2", true},
        {"the rest of no head", frame(continuation, end_headers, 1, field("a", "b")), "malformed HTTP/2", true},
        {"HPACK: an index that nobody knows", frame(headers, end_headers, 1, "\xff\xff\xff\x7f"), "malformed HTTP/2",
         true},
        {"HPACK: a number without end",
         frame(headers, end_headers, 1, std::string(1, '\x7f') + std::string(20, '\xff')), "malformed HTTP/2", true},
        {"HPACK: a name of 100 bytes in a block of 3",
         frame(headers, end_headers, 1,
               std::string("\0\x64"
                           "a",
                           3)),
         "malformed HTTP/2", true},
        {"HPACK: a table beyond the limit", frame(headers, end_headers, 1, "\x3f\xff\xff\x7f"), "malformed HTTP/2",
         true},
        {"settings with half an entry", frame(settings, 0, 0, "abc"), "malformed HTTP/2", true},
        {"settings of a stream", frame(settings, 0, 1), "malformed HTTP/2", true},
        {"settings: frames of 1 byte", frame(settings, 0, 0, setting(5, 1)), "malformed HTTP/2", true},
        {"settings: a window beyond 2^31", frame(settings, 0, 0, setting(4, 0x80000000)), "malformed HTTP/2", true},
        {"an agreement with content", frame(settings, ack, 0, setting(4, 1)), "malformed HTTP/2", true},
        {"agreement to what nobody said", times(2, frame(settings, ack, 0)), "malformed HTTP/2", true},
        {"very many settings", frame(settings, 0, 0, times(1000, setting(4, 70'000))), "malformed HTTP/2", true},
        {"a ping of 7 bytes", frame(ping, 0, 0, "1234567"), "malformed HTTP/2", true},
        {"a ping of a stream", frame(ping, 0, 1, "12345678"), "malformed HTTP/2", true},
        {"a reset of 3 bytes", frame(rst_stream, 0, 1, "abc"), "malformed HTTP/2", true},
        {"a reset of no stream", reset(0, 8), "malformed HTTP/2", true},
        {"a reset of what nobody opened", reset(9, 8), "malformed HTTP/2", true},
        {"a goodbye of a stream", frame(goaway, 0, 1, number(0, 8)), "malformed HTTP/2", true},
        {"a goodbye that takes more than the one before", goodbye(1, 0) + goodbye(3, 0), "", true},
        {"padding beyond the frame", ok(1) + frame(data, padded, 1, "\x09hi"), "malformed HTTP/2", true},
        {"the connection's window beyond 2^31", frame(window_update, 0, 0, number(0x7fffffff, 4)), "malformed HTTP/2",
         true},
        {"pings without end", times(5000, frame(ping, 0, 0, "12345678")), "floods", true},
        {"settings without end", times(5000, greeting), "floods", true},
        {"windows without end", times(5000, frame(window_update, 0, 0, number(1, 4))), "floods", true},
        {"empty bodies without end", ok(1) + times(5000, body(1, "", false)), "floods", true},
        {"priorities without end", times(5000, frame(priority, 0, 1, number(0, 5))), "floods", true},
        {"unknown frames without end", times(5000, frame(77, 0, 0, "?")), "nothing"},
        {"pieces of a head without end",
         frame(headers, 0, 1, field(":status", "200")) + times(5000, frame(continuation, 0, 1, "")), "", true},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        std::string first;
        // nghttp2 counts each piece of a CONTINUATION frame's first bytes as one more of them.
        for (const std::size_t step : {std::size_t{1} << 20, std::size_t{row.bytes.size() > 1000 ? 1000u : 5u}}) {
            two_sides net;
            net.open();
            net.get(greeting);
            net.get(row.bytes, step);
            CHECK_MESSAGE(net.outcome().find(row.expect) != std::string::npos, net.outcome());
            CHECK(net.broken.has_value() == row.breaks);
            if (first.empty()) first = net.outcome();
            CHECK(net.outcome() == first);
        }
    }
    MESSAGE(std::size(rows) << " servers");
}

TEST_CASE("http2_session: cut at every byte, it is an answer or none, and says which") {
    using namespace h2;
    const std::string all = greeting + frame(settings, ack, 0) + ok(1) + body(1, "h", false) + body(1, "i");
    const auto head_ends = (greeting + frame(settings, ack, 0) + ok(1)).size();
    for (std::size_t n = 0; n <= all.size(); ++n) {
        two_sides net;
        net.open();
        net.get(all.substr(0, n));
        REQUIRE(!net.broken);
        net.session.fail(error(errc::connection_lost, "unanswered"), error(errc::truncated, "answered"));
        CAPTURE(n);
        const std::string expect = n == all.size() ? "200 hi" : n < head_ends ? "unanswered" : "answered";
        CHECK_MESSAGE(net.outcome().starts_with(expect), net.outcome());
        CHECK(net.outcome().find("unprocessed") == std::string::npos);
    }
}

TEST_CASE("http2_session: a request as it goes out") {
    two_sides net;
    http2_side server;
    http::request req("POST", "/api?x=%20");
    req.headers.set("X-Mixed-Case", "Value");
    req.headers.set("Authorization", "Bearer canary-in-a-header");
    req.headers.set("TE", "trailers");
    req.headers.set("Keep-Alive", "5");
    req.body = std::string(300'000, 'b');
    auto& stream = net.open(true, req);
    net.open(true, http::request("GET", "/second"));
    net.open(true, http::request("PUT", "/empty"));
    for (int turn = 0; turn < 100; ++turn) {
        REQUIRE(server.feed(net.sent));
        net.sent.clear();
        net.get(server.take_output());
    }
    REQUIRE(!net.broken);
    const auto& call = server.calls.at(1);
    CHECK(call.method == "POST");
    CHECK(call.scheme == "https");
    CHECK(call.authority == "server:443");
    CHECK(call.path == "/api?x=%20");
    CHECK(call.headers.get("x-mixed-case") == "Value");
    CHECK(call.headers.get("authorization") == "Bearer canary-in-a-header");
    CHECK(call.headers.get("content-length") == "300000");
    CHECK(!call.headers.contains("te"));
    CHECK(!call.headers.contains("keep-alive"));
    CHECK(call.body == req.body);
    CHECK(stream.ended);
    CHECK(stream.body == "POST /api?x=%20\n" + req.body);
    CHECK(!server.calls.at(3).headers.contains("content-length"));
    CHECK(server.calls.at(5).headers.get("content-length") == "0");
    CHECK(net.session.open_streams() == 0);
}

TEST_CASE("http2_session: credentials are no part of what is compressed together") {
    two_sides net;
    http::request req;
    req.headers.set("Authorization", "Basic Y2FuYXJ5OmNhbmFyeQ==");
    const auto size = [&] {
        const auto before = net.sent.size();
        net.open(true, req);
        return net.sent.size() - before;
    };
    size();
    const auto second = size();
    CHECK(size() == second);
    CHECK(second > 9 + std::string("Basic Y2FuYXJ5OmNhbmFyeQ==").size() * 5 / 8);  // all of it, each time
}

TEST_CASE("http2_session: a stream that nobody reads holds up no other, and no more than its window") {
    two_sides net;
    http2_side server;
    server.on_call = [](http2_side& to, const http2_call& call) {
        to.start(call.id, std::string(call.path == "/unread" ? 40 << 20 : 1000, 'x'));
        if (call.path != "/unread") to.finish(call.id);
    };
    auto& unread = net.open(false, http::request("GET", "/unread"));
    auto& read = net.open(false, http::request("GET", "/read"));
    const auto turns = [&] {
        for (int turn = 0; turn < 50; ++turn) {
            REQUIRE(server.feed(net.sent));
            net.sent.clear();
            net.get(server.take_output());
        }
    };
    turns();
    CHECK(unread.body.size() == std::size_t{256} << 10);
    CHECK(read.ended);
    for (int i = 0; i < 200; ++i) net.open(true, http::request("GET", "/more"));
    turns();
    CHECK(std::all_of(net.streams.begin() + 2, net.streams.end(), [](const auto& s) { return s->ended; }));
    CHECK(unread.body.size() == std::size_t{256} << 10);

    std::string into(100'000, '\0');
    const auto n = unread.take_body(into);
    net.session.took(unread, n);
    net.session.took(unread, unread.take_body(into));
    net.send();
    turns();
    CHECK(unread.body.size() >= 200'000);
    CHECK(unread.body.size() <= http2_session::stream_window + 200'000);  // what was taken is cleared when all is
    CHECK(!net.broken);
}

TEST_CASE("http2_session: bytes go straight to who waits for them") {
    two_sides net;
    using namespace h2;
    auto& stream = net.open(false);
    std::string into(4, '\0');
    stream.direct(into);
    net.get(greeting + ok(1) + body(1, "abcdefg", false));
    CHECK(stream.direct_used() == 4);
    CHECK(into == "abcd");
    stream.direct({});
    CHECK(stream.take_body(into) == 3);
    CHECK(into == "efgd");
}

TEST_CASE("http2_session: a peer that sends more than it may") {
    using namespace h2;
    const std::string piece(16'384, 'x');
    SUBCASE("on a stream") {
        two_sides net;
        net.open(false);
        net.get(greeting + frame(settings, ack, 0) + ok(1) + times(17, body(1, piece, false)));
        CHECK(net.outcome().find("malformed HTTP/2") != std::string::npos);
        CHECK(net.streams[0]->body.size() <= http2_session::stream_window);
    }
    SUBCASE("on a stream, and it never agreed to the larger window") {
        two_sides net;
        net.open(false);
        net.get(greeting + ok(1) + times(5, body(1, piece, false)));
        CHECK(net.outcome().find("malformed HTTP/2") != std::string::npos);
    }
    SUBCASE("after the end") {
        two_sides net;
        net.open();
        net.open();
        net.get(greeting + ok(1) + body(1, "hi") + body(1, "more"));
        CHECK(net.outcome(0) == "200 hi");
        CHECK(net.streams[0]->body == "hi");
    }
    SUBCASE("of a whole body than is wanted") {
        two_sides net;
        net.open(true, {}, 10);
        net.open(true, {}, 10);
        net.get(greeting + ok(1) + body(1, "01234567890") + head(3, {{":status", "200"}, {"content-length", "11"}}));
        for (const std::size_t i : {0u, 1u})
            CHECK(net.outcome(i).find("the body exceeds 10 bytes") != std::string::npos);
        CHECK(count_frames(net.sent, rst_stream) == 2);
        CHECK(!net.broken);
    }
    SUBCASE("answers to an abandoned request") {
        two_sides net;
        auto& gone = net.open(false);
        net.get(greeting);
        net.session.abandon(gone);
        net.send();
        CHECK(count_frames(net.sent, rst_stream) == 1);
        CHECK(net.session.open_streams() == 0);
        net.get(frame(settings, ack, 0) + ok(1) + times(2000, body(1, piece, false)));
        CHECK(gone.body.empty());
        auto& next = net.open();
        net.get(ok(3) + body(3, "hi"));
        CHECK(next.body == "hi");
    }
}

TEST_CASE("http2_session: as many streams as the server allows, and no more") {
    using namespace h2;
    two_sides net;
    for (std::size_t i = 0; i < http2_session::assumed_streams; ++i) net.open();
    CHECK(!net.session.has_room());
    net.get(frame(settings, 0, 0, setting(3, 103)));
    for (int i = 0; i < 3; ++i) net.open();
    CHECK(!net.session.has_room());
    seen_stream late({}, true);
    CHECK(!net.session.open(late));
    net.get(ok(1) + body(1, "hi"));
    CHECK(net.session.has_room());
    net.get(frame(settings, 0, 0, setting(3, 0xffffffff)));
    while (net.session.has_room()) net.open();
    CHECK(net.session.open_streams() == http2_session::most_streams);
    net.get(goodbye(0x7fffffff, 0));
    CHECK(net.session.draining());
    CHECK(!net.session.has_room());
    CHECK(net.session.open_streams() == http2_session::most_streams);
    net.get(goodbye(3, 0xb, "too many\x1b[2J"));
    CHECK(net.session.open_streams() == 1);
    CHECK(net.session.farewell() == "; it had said: ENHANCE_YOUR_CALM (too many\\x1b[2J)");
    CHECK(net.outcome(1) == "nothing");
    CHECK(net.outcome(2).starts_with("unprocessed"));
}

TEST_CASE("http2_session: what did not go out was not processed, whatever happens") {
    two_sides net;
    seen_stream sent({}, true), waiting({}, true);
    REQUIRE(net.session.open(sent));
    net.send();
    REQUIRE(net.session.open(waiting));
    net.session.fail(error(errc::connection_lost, "gone"), error(errc::truncated, "gone"));
    CHECK(!sent.unprocessed);
    CHECK(waiting.unprocessed);
    waiting.reset();
    two_sides again;
    REQUIRE(again.session.open(waiting));
    again.send();
    again.get(h2::greeting + h2::ok(1) + h2::body(1, "hi"));
    CHECK(waiting.body == "hi");
}

TEST_CASE("http2_session: a stream that is abandoned before it went out is never told to the server") {
    two_sides net;
    net.send();
    seen_stream one({}, true);
    REQUIRE(net.session.open(one));
    net.session.abandon(one);
    CHECK(net.send().empty());
    CHECK(net.session.open_streams() == 0);
}

TEST_CASE("http2_session: a window of nothing holds a body back, and only that") {
    using namespace h2;
    two_sides net;
    net.get(frame(settings, 0, 0, setting(4, 0)));
    http::request req("POST", "/");
    req.body = "hello";
    net.open(true, req);
    net.open();
    CHECK(count_frames(net.sent, data) == 0);
    net.get(ok(3) + body(3, "hi"));
    CHECK(net.outcome(1) == "200 hi");
    net.get(frame(window_update, 0, 1, number(3, 4)));
    CHECK(count_frames(net.sent, data) == 1);
    net.get(ok(1) + body(1, "early"));  // before it had read all
    CHECK(net.outcome(0) == "200 early");
    net.session.abandon(*net.streams[0]);
    net.send();
    CHECK(count_frames(net.sent, rst_stream) == 1);
}

TEST_CASE("http2_session: a server that pings for hours, as it may") {
    two_sides net;
    net.open(false);
    net.get(h2::greeting + h2::ok(1));
    for (int minute = 0; minute < 100; ++minute) {
        net.get(times(60, h2::frame(h2::ping, 0, 0, "12345678")));
        if (minute % 30 == 0) net.session.new_period();
    }
    CHECK(!net.broken);
    CHECK(count_frames(net.sent, h2::ping) == 6000);
}
