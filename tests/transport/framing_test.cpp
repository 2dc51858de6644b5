// Answers that two readers could understand in two ways, redirects, and answers that do not begin: S03, S09 and S10 of
// reliability's security plan, and F23 of its table of failures. wire_test.cpp has the first rows of S09.
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

#include <boost/version.hpp>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string small = ok + "Content-Length: 2\r\n\r\nhi";
const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";

class row {
public:
    row(const char* w, std::string a, std::optional<std::string> b)
        : what(w), answer(std::move(a)), body(std::move(b)) {}
    const char* what;
    std::string answer;
    std::optional<std::string> body;  ///< of an answer that is accepted
};

}  // namespace

TEST_CASE("S09 answers that could be read in two ways are refused, and their connection is not used again") {
    const auto no = std::nullopt;
    const row rows[] = {
        {"equal lengths twice", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", no},
        {"equal lengths in one field", ok + "Content-Length: 2, 2\r\n\r\nhi", no},
        {"a length with a sign", ok + "Content-Length: +2\r\n\r\nhi", no},
        {"a hexadecimal length", ok + "Content-Length: 0x2\r\n\r\nhi", no},
        {"an empty length", ok + "Content-Length: \r\n\r\nhi", no},
        {"a length with blanks inside", ok + "Content-Length: 1 2\r\n\r\nhi", no},
        {"a length with a fraction", ok + "Content-Length: 2.0\r\n\r\nhi", no},
        {"a coding that only begins so", ok + "Transfer-Encoding: chunkedx\r\n\r\n0\r\n\r\n", no},
        {"a coding that only ends so", ok + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", no},
        {"chunked, and then identity", ok + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", no},
        {"identity", ok + "Transfer-Encoding: identity\r\n\r\nhi", no},
        {"an empty coding", ok + "Transfer-Encoding: \r\n\r\nhi", no},
        {"a coding in quotes", ok + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n", no},
        {"a vertical tab in the coding",
         ok + "Transfer-Encoding: \x0b"
              "chunked\r\n\r\n0\r\n\r\n",
         no},
        {"a blank before the coding's colon", ok + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", no},
        {"a blank before the first field", ok + " Content-Length: 2\r\n\r\nhi", no},
        {"a field folded with a tab", ok + "A: b\r\n\tContent-Length: 2\r\n\r\nhi", no},
        {"a field without a colon", ok + "Content-Length 2\r\n\r\nhi", no},
        {"a field without a name", ok + ": 2\r\n\r\nhi", no},
        {"CR alone in a field", ok + "A: b\rContent-Length: 2\r\n\r\nhi", no},
        {"NUL in a field's name", ok + std::string("A\0B: c\r\n\r\nhi", 12), no},
        {"chunk size with a sign", chunked + "+2\r\nhi\r\n0\r\n\r\n", no},
        {"chunk size with 0x", chunked + "0x2\r\nhi\r\n0\r\n\r\n", no},
        {"chunk size with a blank before", chunked + " 2\r\nhi\r\n0\r\n\r\n", no},
        {"chunk size of 16 digits", chunked + "fffffffffffffffe\r\nhi", no},
        {"no chunk size", chunked + "\r\nhi\r\n0\r\n\r\n", no},
        {"a chunk's line ends with LF", chunked + "2\nhi\r\n0\r\n\r\n", no},
        {"a chunk ends with LF", chunked + "2\r\nhi\n0\r\n\r\n", no},
        {"a chunk ends with CR", chunked + "2\r\nhi\r0\r\n\r\n", no},
        {"a chunk that is longer than it says", chunked + "2\r\nhi!\r\n0\r\n\r\n", no},
        {"no version", "200 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"HTTP/0.9", "hi", no},
        {"two blanks before the status", "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"a negative status", "HTTP/1.1 -20 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"status 000", "HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nhi", no},
        {"101 with an upgrade", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", no},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        loopback net;
        raw_server server(net.context, {step(row.answer, step::close), step(small)});
        const auto client = net.connect(server.port());
        const auto got = net.get(*client, "/", http::exchange_options().deadline(1min));
        CHECK(!got.has_value());
        const auto next = net.get(*client, "/");
        CHECK(next.has_value());
        CHECK(server.connections() == 2);
    }
}

TEST_CASE("S09 answers that are odd and right, so that the rows above can fail") {
    const row rows[] = {
        {"a length", small, "hi"},
        {"a length with blanks around", ok + "Content-Length: \t 2 \r\n\r\nhi", "hi"},
        {"a coding in capitals", ok + "Transfer-Encoding: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "hi"},
        {"zeros before a chunk's size", chunked + "0002\r\nhi\r\n0\r\n\r\n", "hi"},
        {"capitals in a chunk's size", chunked + "A\r\n0123456789\r\n0\r\n\r\n", "0123456789"},
        {"a chunk's extension", chunked + "2;a=b\r\nhi\r\n0;last\r\n\r\n", "hi"},
        {"no reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi", "hi"},
        {"ten thousand small fields",
         ok +
             [] {
                 std::string fields;
                 for (int i = 0; i < 10'000; ++i) fields += "A:b\r\n";
                 return fields;
             }() +
             "Content-Length: 2\r\n\r\nhi",
         "hi"},
        {"zeros beyond 16 digits", chunked + "00000000000000002\r\nhi\r\n0\r\n\r\n", "hi"},
        {"trailers are dropped", chunked + "2\r\nhi\r\n0\r\nX-Trailer: a\r\nAuthorization: b\r\n\r\n", "hi"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        loopback net;
        raw_server server(net.context, {step(row.answer), step(small)});
        const auto client = net.connect(server.port());
        const auto got = net.get(*client, "/");
        REQUIRE_MESSAGE(got.has_value(), got.error().what());
        CHECK(got->body == *row.body);
        CHECK(!got->headers.contains("X-Trailer"));
        CHECK(!got->headers.contains("Authorization"));
        CHECK(net.get(*client, "/").has_value());
        CHECK(server.connections() == 1);
    }
}

// Refused, or, since Beast 1.92, dropped like other trailers: RFC 9110, section 6.5.1 allows both.
TEST_CASE("S09 a length in the trailers is nobody's length") {
    loopback net;
    raw_server server(net.context,
                      {step(chunked + "2\r\nhi\r\n0\r\nContent-Length: 99\r\n\r\n", step::close), step(small)});
    const auto client = net.connect(server.port());
    const auto got = net.get(*client, "/", http::exchange_options().deadline(1min));
    CHECK(got.has_value() == (BOOST_VERSION >= 109200));
    if (got) CHECK(got->body == "hi");
    if (got) CHECK(!got->headers.contains("Content-Length"));
    CHECK(net.get(*client, "/").value().body == "hi");
    CHECK(server.connections() == 2);
}

TEST_CASE("S09 what comes after an answer is never taken for the next one") {
    const std::string evil = ok + "Content-Length: 4\r\n\r\nevil";
    const std::string answers[] = {small + evil,
                                   small + "\r\n",
                                   small + "x",
                                   small + std::string(100'000, 'x'),
                                   chunked + "2\r\nhi\r\n0\r\n\r\n" + evil,
                                   "HTTP/1.1 204 No Content\r\n\r\nhi" + evil,
                                   "HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nhi"};
    for (const auto& answer : answers) {
        CAPTURE(answer.substr(0, 100));
        loopback net;
        raw_server server(net.context, {step(answer), step(small)});
        const auto client = net.connect(server.port());
        REQUIRE(net.get(*client, "/").has_value());
        CHECK(net.get(*client, "/").value().body == "hi");
        CHECK(server.connections() == 2);
    }
}

TEST_CASE("S03 no redirect is followed, whatever it says and whatever was asked") {
    for (const int code : {300, 301, 302, 303, 305, 307, 308}) {
        for (const auto* method : {"GET", "POST", "DELETE"}) {
            CAPTURE(code);
            CAPTURE(std::string(method));
            loopback net;
            raw_server elsewhere(net.context, {step(small)});
            raw_server server(net.context,
                              {step("HTTP/1.1 " + std::to_string(code) + " Elsewhere\r\nLocation: http://127.0.0.1:" +
                                    std::to_string(elsewhere.port()) + "/\r\nContent-Length: 0\r\n\r\n")});
            const auto client = net.connect(server.port());
            http::request req(method, "/");
            req.headers.set("Authorization", "Bearer canary");
            CHECK(net.call(*client, req).value().status == code);
            CHECK(server.requests() == 1);
            net.context.poll();
            CHECK(elsewhere.connections() == 0);
        }
    }
}

TEST_CASE("S10 an answer that never begins") {
    struct flood {
        const char* what;
        std::string piece;
        errc expected;
    };
    const flood floods[] = {
        {"interim responses", "HTTP/1.1 100 Continue\r\n\r\n", errc::protocol_error},
        {"interim responses with fields", "HTTP/1.1 103 Early Hints\r\nLink: " + std::string(1000, 'x') + "\r\n\r\n",
         errc::protocol_error},
        {"header fields", "A: b\r\n", errc::too_large},
        {"one header field", "xxxxxxxxxxxxxxxx", errc::too_large},
        {"line ends", "\r\n", errc::protocol_error},
    };
    for (const auto& f : floods) {
        CAPTURE(std::string(f.what));
        loopback net;
        const bool fields = f.expected == errc::too_large;
        flooding_server server(net.context, fields ? ok + "B: " : "", f.piece, 10'000'000);
        const auto client = net.connect(server.port());
        // Only what never ends takes so long; sanitizers make the rest slow.
        const auto got = net.get(*client, "/", http::exchange_options().deadline(2min));
        REQUIRE(!got.has_value());
        CHECK_MESSAGE(got.error() == f.expected, got.error().what());
        CHECK(server.sent() * f.piece.size() < (std::uint64_t{8} << 20));
    }
}

TEST_CASE("S10 an answer whose head drips costs the deadline") {
    for (const auto& part : {std::string("H"), ok, ok + "A: b\r\n", std::string("HTTP/1.1 100 Continue\r\n\r\n")}) {
        CAPTURE(part);
        loopback net;
        raw_server server(net.context, {step(part)});
        const auto client = net.connect(server.port());
        const auto got = net.get(*client, "/", http::exchange_options().deadline(50ms));  // measures: it never ends
        REQUIRE(!got.has_value());
        CHECK(got.error() == errc::timeout);
    }
}
