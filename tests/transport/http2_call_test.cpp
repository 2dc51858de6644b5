// One request over HTTP/2 as bytes: the answer with its trailers, and what a server makes of it otherwise.
#include <kcontrol/transport/http2_call.hpp>

#include "transport/http2_bytes.hpp"
#include "transport/http2_side.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kcontrol;
using kcontrol::test::http2_side;
namespace h2 = kcontrol::test::http2;

namespace {

http::request asked() {
    http::request out("POST", "/service/method");
    out.body = "question";
    return out;
}

const std::string head = h2::frame(h2::headers, h2::end_headers, 1, h2::block({{":status", "200"}, {"a", "1"}}));
const std::string settings = h2::frame(h2::settings, 0, 0);

// "200 body; trailers: name=value", or the error.
std::string text_of(const http::http2_call& call) {
    const auto& got = call.outcome();
    if (!got) return "nothing";
    if (!*got) return std::string((*got).error().what());
    std::string out = std::to_string((*got)->status) + " " + (*got)->body + "; trailers:";
    for (const auto& one : (*got)->trailers) out += " " + one.name + "=" + one.value;
    return out;
}

std::string answered(std::string_view bytes, std::size_t most = 100, std::size_t step = 1 << 20) {
    http::http2_call call("server", asked(), most);
    call.send();
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        call.receive(bytes.substr(at, step));
        call.send();
    }
    return text_of(call);
}

}  // namespace

TEST_CASE("http2_call: the request as the server sees it") {
    http2_side server;
    http::http2_call call("server", asked(), 100);
    CHECK(server.feed(call.send()));
    call.receive(server.take_output());
    CHECK(text_of(call) == "200 POST /service/method\nquestion; trailers:");
    const auto& seen = server.calls.at(1);
    CHECK(seen.scheme == "http");
    CHECK(seen.authority == "server");
    CHECK(seen.headers.get("te") == "trailers");
    CHECK_FALSE(call.send().empty());  // the settings are acknowledged
    CHECK(call.send().empty());
    call.closed();  // too late to matter
    CHECK(text_of(call) == "200 POST /service/method\nquestion; trailers:");
}

TEST_CASE("http2_call: trailers, in pieces of every size") {
    const std::string all =
        settings + head + h2::frame(h2::data, 0, 1, "body") +
        h2::frame(h2::headers, h2::end_headers | h2::end_stream, 1, h2::block({{"x-status", "0"}, {"x-note", "done"}}));
    for (const std::size_t step : {1u, 2u, 7u, 1000u}) {
        CAPTURE(step);
        CHECK(answered(all, 100, step) == "200 body; trailers: x-status=0 x-note=done");
    }
}

TEST_CASE("http2_call: answers that are none") {
    const std::string end = h2::frame(h2::data, h2::end_stream, 1, "12345");
    struct row {
        const char* what;
        std::string bytes, expected;
    };
    const row rows[] = {
        {"a body of as much as may be", settings + head + end, "200 12345; trailers:"},
        {"a body of more", settings + head + h2::frame(h2::data, 0, 1, "123456"), "the body exceeds 5 bytes"},
        {"a reset", settings + head + h2::frame(h2::rst_stream, 0, 1, h2::number(2, 4)),
         "the server broke off its answer: INTERNAL_ERROR"},
        {"a reset before the answer", settings + h2::frame(h2::rst_stream, 0, 1, h2::number(2, 4)),
         "the server gave no answer: INTERNAL_ERROR"},
        {"a goodbye", settings + h2::goodbye(0, 11, "calm"), "the server gave no answer"},
        {"another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n", "malformed HTTP/2"},
        {"half an answer", settings + head, "nothing"},
        {"large trailers",
         settings + head +
             h2::frame(h2::headers, h2::end_headers | h2::end_stream, 1, h2::block({{"a", std::string(16000, 'x')}})) +
             h2::frame(h2::data, 0, 1, ""),
         "200 ; trailers: a=" + std::string(16000, 'x')},
    };
    for (const auto& one : rows) {
        const auto& what = one.what;
        CAPTURE(what);
        const std::string got = answered(one.bytes, 5);
        CHECK(got.find(one.expected) != std::string::npos);
    }
}

TEST_CASE("http2_call: a server that closes the connection") {
    http::http2_call early("server", asked(), 5);
    early.closed();
    REQUIRE(early.outcome());
    CHECK(early.outcome()->error() == errc::connection_lost);
    http::http2_call late("server", asked(), 5);
    late.send();
    late.receive(settings + head);
    late.closed();
    REQUIRE(late.outcome());
    CHECK(late.outcome()->error() == errc::truncated);
    late.receive(h2::frame(h2::data, h2::end_stream, 1, "1"));
    CHECK(late.outcome()->error() == errc::truncated);
}
