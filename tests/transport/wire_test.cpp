// What a client does with servers that break the rules, or just the connection.
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <boost/version.hpp>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string small = ok + "Content-Length: 2\r\n\r\nhi";

}  // namespace

TEST_CASE("answers that break the rules") {
    struct row {
        const char* what;
        std::string answer;
        errc expected;
    };
    const row rows[] = {
        {"nothing", "", errc::connection_lost},
        {"half a header", "HTTP/1.1 200 OK\r\nContent-", errc::truncated},
        {"short body", ok + "Content-Length: 10\r\n\r\nhello", errc::truncated},
        {"short chunk", ok + "Transfer-Encoding: chunked\r\n\r\na\r\nhello", errc::truncated},
        {"no last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", errc::truncated},
        {"no end of trailers", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", errc::truncated},
        {"both framings", ok + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
         errc::protocol_error},
        {"both, other order", ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         errc::protocol_error},
        {"gzip, then length", ok + "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", errc::protocol_error},
        {"gzip coding", ok + "Transfer-Encoding: gzip\r\n\r\nhi", errc::protocol_error},
        {"two codings", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", errc::protocol_error},
        {"two fields of coding", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         errc::protocol_error},
        {"chunks in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", errc::protocol_error},
        {"two lengths", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!", errc::protocol_error},
        {"two lengths in one", ok + "Content-Length: 2, 3\r\n\r\nhi!", errc::protocol_error},
        {"negative length", ok + "Content-Length: -1\r\n\r\n", errc::protocol_error},
        {"length of words", ok + "Content-Length: two\r\n\r\n", errc::protocol_error},
        {"huge length", ok + "Content-Length: 99999999999999999999\r\n\r\n", errc::protocol_error},
        {"huge chunk", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", errc::protocol_error},
        {"16 digit chunk", ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx", errc::truncated},
        {"chunk of letters", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", errc::protocol_error},
        {"chunk without end", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhiXX0\r\n\r\n", errc::protocol_error},
        {"folded header", ok + "A: b\r\n c\r\nContent-Length: 0\r\n\r\n", errc::protocol_error},
        {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n", errc::protocol_error},
        {"bare LF in a field", ok + "A: b\nContent-Length: 0\r\n\r\n", errc::protocol_error},
        {"NUL in a field", ok + std::string("A: b\0c\r\n\r\n", 10), errc::protocol_error},
        {"space before colon", ok + "A : b\r\n\r\n", errc::protocol_error},
        {"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", errc::protocol_error},
        {"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", errc::protocol_error},
        {"TLS alert", std::string("\x15\x03\x01\x00\x02\x02\x16\r\n\r\n", 11), errc::protocol_error},
        {"four digits", "HTTP/1.1 2000 OK\r\n\r\n", errc::protocol_error},
        {"status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", errc::protocol_error},
        {"switching protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", errc::protocol_error},
        {"huge header", ok + "A: " + std::string(70'000, 'x') + "\r\n\r\n", errc::too_large},
        {"endless header", ok + "A: " + std::string(200'000, 'x'), errc::too_large},
        {"huge chunk extension", ok + "Transfer-Encoding: chunked\r\n\r\n2;" + std::string(200'000, 'x'),
         BOOST_VERSION >= 109200 ? errc::protocol_error : errc::too_large},
        {"body over the limit", ok + "Content-Length: 2000\r\n\r\n", errc::too_large},
        {"chunks over the limit", ok + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x'),
         errc::too_large},
        {"endless body over the limit", ok + "\r\n" + std::string(2000, 'x'), errc::too_large},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        loopback net;
        raw_server server(net.context, {step(row.answer, step::close), step(small)});
        const auto client = net.connect(server.port());
        const auto got = net.get(*client, "/", http::exchange_options().max_body(1000));
        REQUIRE(!got.has_value());
        CHECK_MESSAGE(got.error() == row.expected, got.error().what());
        // Such a connection is never used again.
        const auto next = net.get(*client, "/");
        CHECK(next.has_value());
        CHECK(server.connections() == 2);
        CHECK(has(text_of(got.error()), "127.0.0.1"));
    }
}

TEST_CASE("interim responses are passed over, but not for ever") {
    loopback net;
    std::string flood;
    for (int i = 0; i < 100; ++i) flood += "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    raw_server server(net.context,
                      {step("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n" + small), step(flood)});
    const auto client = net.connect(server.port());
    CHECK(net.get(*client, "/").value().body == "hi");
    CHECK(net.get(*client, "/").error() == errc::protocol_error);
}

TEST_CASE("redirects are answers, not orders") {
    loopback net;
    raw_server server(net.context,
                      {step("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")});
    const auto client = net.connect(server.port());
    const auto got = net.get(*client, "/").value();
    CHECK(got.status == 302);
    CHECK(server.requests() == 1);
}

TEST_CASE("every slicing of an answer gives the same answer") {
    const std::string chunked =
        ok + "Transfer-Encoding: chunked\r\nX: y\r\n\r\n3;ext=1\r\nabc\r\n4\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n";
    for (std::size_t slice = 1; slice < 12; ++slice) {
        loopback net;
        raw_server server(net.context, {step(chunked, step::keep, slice), step(small, step::keep, slice)});
        const auto client = net.connect(server.port());
        const auto got = net.get(*client, "/").value();
        CHECK(got.body == "abcdefg");
        CHECK(got.headers.size() == 2);
        CHECK(net.get(*client, "/").value().body == "hi");
        CHECK(server.connections() == 1);
    }
}

TEST_CASE("bodies that end with the connection, and answers without a body") {
    loopback net;
    raw_server server(
        net.context,
        {step(ok + "\r\nall of it", step::close), step("HTTP/1.0 200 OK\r\n\r\nold", step::close),
         step("HTTP/1.1 204 No Content\r\n\r\n"), step("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
         step(ok + "Content-Length: 0\r\n\r\n"), step(ok + "Content-Length: 3\r\nConnection: close\r\n\r\nbye")});
    const auto client = net.connect(server.port());
    CHECK(net.get(*client, "/").value().body == "all of it");
    CHECK(net.get(*client, "/").value().body == "old");
    CHECK(net.get(*client, "/").value().status == 204);
    CHECK(net.get(*client, "/").value().status == 304);
    CHECK(net.get(*client, "/").value().body.empty());
    CHECK(net.get(*client, "/").value().body == "bye");
    CHECK(server.connections() == 3);
}

TEST_CASE("bytes beyond an answer make its connection unfit") {
    loopback net;
    raw_server server(net.context, {step(small + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), step(small)});
    const auto client = net.connect(server.port());
    CHECK(net.get(*client, "/").value().body == "hi");
    CHECK(net.get(*client, "/").value().body == "hi");
    CHECK(server.connections() == 2);
}

TEST_CASE("a kept-alive connection that closes as the request is written") {
    loopback net;
    SUBCASE("GET is sent again on a new connection") {
        raw_server server(net.context, {step(small), step("", step::close), step(small)});
        const auto client = net.connect(server.port());
        CHECK(net.get(*client, "/").has_value());
        CHECK(net.get(*client, "/").value().body == "hi");
        CHECK(server.requests() == 3);
        CHECK(server.connections() == 2);
    }
    SUBCASE("but once only") {
        raw_server server(net.context, {step(small), step("", step::close), step("", step::close), step(small)});
        const auto client = net.connect(server.port());
        CHECK(net.get(*client, "/").has_value());
        CHECK(net.get(*client, "/").error() == errc::connection_lost);
        CHECK(server.requests() == 3);
    }
    SUBCASE("and not after a byte of the answer") {
        raw_server server(net.context, {step(small), step("H", step::close), step(small)});
        const auto client = net.connect(server.port());
        CHECK(net.get(*client, "/").has_value());
        CHECK(net.get(*client, "/").error() == errc::truncated);
        CHECK(server.requests() == 2);
    }
    SUBCASE("the outcome of a write is unknown") {
        for (const auto* method : {"POST", "PUT", "PATCH", "DELETE"}) {
            raw_server server(net.context, {step(small), step("", step::close), step(small)});
            const auto client = net.connect(server.port());
            CHECK(net.get(*client, "/").has_value());
            http::request req(method, "/");
            const auto got = net.call(*client, req);
            CHECK(got.error() == errc::unknown_outcome);
            CHECK(server.requests() == 2);
        }
    }
    SUBCASE("a write whose answer is cut short is unknown, too") {
        raw_server server(net.context, {step(ok + "Content-Length: 10\r\n\r\nhello", step::close)});
        const auto client = net.connect(server.port());
        CHECK(net.call(*client, http::request("POST", "/")).error() == errc::unknown_outcome);
    }
    SUBCASE("a connection seen to be closed is not used at all") {
        raw_server server(net.context, {step(small, step::close), step(small)});
        const auto client = net.connect(server.port());
        CHECK(net.get(*client, "/").has_value());
        net.context.poll();
        CHECK(net.call(*client, http::request("POST", "/")).has_value());
        CHECK(server.connections() == 2);
    }
}

TEST_CASE("a stream that breaks off is truncated, after what arrived") {
    loopback net;
    raw_server server(net.context,
                      {step(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n9\r\nwor", step::close)});
    const auto client = net.connect(server.port());
    run(net.context, [](http::transport& to) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/"), http::exchange_options());
        REQUIRE(opened.has_value());
        std::string text;
        std::string buffer(100, '\0');
        for (;;) {
            const auto got = co_await opened->body->read_some(buffer, 1min, {});
            if (!got) {
                CHECK(got.error() == errc::truncated);
                break;
            }
            REQUIRE(*got != 0);
            text.append(buffer, 0, *got);
        }
        CHECK(text == "hellowor");
    }(*client));
}

TEST_CASE("a stream has no body limit of its own") {
    loopback net;
    std::string large = ok + "Transfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 20; ++i) large += "100000\r\n" + std::string(1 << 20, 'x') + "\r\n";
    raw_server server(net.context, {step(large + "0\r\n\r\n")});
    const auto client = net.connect(server.port());
    run(net.context, [](http::transport& to) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/"), http::exchange_options().max_body(1));
        REQUIRE(opened.has_value());
        const auto text = co_await read_all(*opened->body);
        CHECK(text->size() == 20U << 20);
    }(*client));
}

TEST_CASE("the request on the wire") {
    loopback net;
    raw_server server(net.context, {step(small), step(small)});
    const auto client = net.connect(server.port());
    http::request req("GET", "/a?b=c%20d");
    req.headers.set("Accept", "application/json");
    CHECK(net.call(*client, req).has_value());
    const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port());
    CHECK(server.last_request() == "GET /a?b=c%20d HTTP/1.1\r\n" + host + "\r\nAccept: application/json\r\n\r\n");
    CHECK(net.call(*client, http::request("POST", "/")).has_value());
    CHECK(server.last_request() == "POST / HTTP/1.1\r\n" + host + "\r\nContent-Length: 0\r\n\r\n");
}
