#include <kcontrol/transport/listen_address.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using http::listen_address;
using http::parse_listen_address;

TEST_CASE("addresses to listen at") {
    CHECK(parse_listen_address("127.0.0.1:8080").value() == listen_address("127.0.0.1", 8080));
    CHECK(parse_listen_address(":8080").value() == listen_address("", 8080));
    CHECK(parse_listen_address("localhost:1").value() == listen_address("127.0.0.1", 1));
    CHECK(parse_listen_address("[::1]:443").value() == listen_address("::1", 443));
    CHECK(parse_listen_address("0.0.0.0:0").value() == listen_address("0.0.0.0", 0));
    CHECK(!parse_listen_address("0").value().enabled);
    for (const auto* text : {"127.0.0.1:8080", ":8080", "[::1]:443", "0"}) {
        CHECK(parse_listen_address(text).value().text() == text);
    }
    for (const auto* text : {"", "8080", "1.2.3.4", "host:80", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:65536", "1.2.3.4:-1",
                             "::1:80", "[1.2.3.4]:80", "[::1]", "[]:1", ":80 "}) {
        const auto parsed = parse_listen_address(text);
        REQUIRE(!parsed.has_value());
        CHECK(parsed.error() == errc::invalid_argument);
        CHECK(parsed.error().what().find("IP:PORT") != std::string::npos);
    }
}
