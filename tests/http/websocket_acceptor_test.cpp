#include <kcontrol/http/websocket_acceptor.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace kcontrol;

namespace {

http::request asking() {
    http::request out("GET", "/exec");
    out.headers.set("Connection", "keep-alive, Upgrade");
    out.headers.set("Upgrade", "websocket");
    out.headers.set("Sec-WebSocket-Version", "13");
    out.headers.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    return out;
}

}  // namespace

TEST_CASE("a request asks for a WebSocket with all that it needs, or does not") {
    CHECK(http::is_websocket_upgrade(asking()));
    const auto without = [](const char* name, const char* value) {
        http::request out = asking();
        out.headers.set(name, value);
        return http::is_websocket_upgrade(out);
    };
    CHECK_FALSE(without("Connection", "keep-alive"));
    CHECK_FALSE(without("Connection", "upgraded"));
    CHECK_FALSE(without("Upgrade", "SPDY/3.1"));
    CHECK_FALSE(without("Sec-WebSocket-Version", "8"));
    CHECK_FALSE(without("Sec-WebSocket-Key", "short"));
    http::request post = asking();
    post.method = "POST";
    CHECK_FALSE(http::is_websocket_upgrade(post));
}

TEST_CASE("of the subprotocols that a client offers the first known one is taken") {
    constexpr std::array<std::string_view, 2> known{"v5.channel.k8s.io", "v4.channel.k8s.io"};
    const auto chosen = [&known](const char* offered) {
        http::request out = asking();
        out.headers.set("Sec-WebSocket-Protocol", offered);
        return http::offered_subprotocol(out, known);
    };
    CHECK(chosen("v4.channel.k8s.io, v5.channel.k8s.io") == "v4.channel.k8s.io");
    CHECK(chosen("channel.k8s.io,v5.channel.k8s.io") == "v5.channel.k8s.io");
    CHECK(chosen("V5.channel.k8s.io, , ") == "");
    CHECK(chosen("") == "");
}
