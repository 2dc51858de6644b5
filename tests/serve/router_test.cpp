#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/serve/router.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "embedded/test_files.hpp"
#include "support/fake_responder.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using namespace kcontrol::http;
using test::fake_responder;

namespace {

server_request asked(std::string method, std::string target) {
    return server_request(request(std::move(method), std::move(target)));
}

awaitable<void> stream_twice(routed_request r, responder& out) {
    response_head head(200);
    auto started = co_await out.start(std::move(head));
    if (!started) co_return;
    std::string piece(r.parameter("name"));
    started = co_await out.write(std::move(piece));
    started = co_await out.write("!");
}

}  // namespace

TEST_CASE("answers that are whole, and such as are streamed") {
    router routes;
    routes.get("/greet/{name}", [](const routed_request& r) {
        return text_response(200, std::string(r.parameter("name")) + " " + std::string(r.query()) + "\n");
    });
    routes.add("POST", "/greet/{name}", [](const routed_request& r) { return text_response(201, r.body); });
    routes.stream("GET", "/stream/{name}", stream_twice);
    const http::handler plain = [](server_request r, responder& out) -> awaitable<void> {
        response whole = text_response(200, r.method);
        const auto sent = co_await out.send(std::move(whole));
        static_cast<void>(sent);
    };
    routes.stream("", "/plain", plain);

    CHECK(routes.answer(asked("GET", "/greet/you?a=1"))->body == "you a=1\n");
    auto posted = asked("POST", "/greet/you");
    posted.body = "hello";
    CHECK(routes.answer(std::move(posted))->body == "hello");
    CHECK_FALSE(routes.answer(asked("GET", "/stream/x")).has_value());

    testing::manual_environment env;
    boost::asio::io_context context;
    const auto handler = routes.handler();
    const auto serve = [&](std::string method, std::string target) {
        fake_responder out(env);
        testing::run(context, handler(asked(std::move(method), std::move(target)), out));
        return std::to_string(out.head.status) + " " + out.body;
    };
    CHECK(serve("GET", "/greet/you?") == "200 you \n");
    CHECK(serve("GET", "/stream/x%20y") == "200 x y!");
    CHECK(serve("PATCH", "/plain") == "200 PATCH");
    CHECK(serve("GET", "/nothing") == "404 {\"error\":\"not found\"}\n");
}

TEST_CASE("what is refused") {
    router routes;
    const auto answer = [](const routed_request&) { return text_response(200, "ok\n"); };
    routes.get("/a/{x}", answer).add("POST", "/b", answer);
    const auto refused = [&](const char* method, const char* target) { return *routes.answer(asked(method, target)); };
    const auto wrong = refused("PUT", "/a/1");
    CHECK(wrong.status == 405);
    CHECK(wrong.headers.get("Allow") == "GET, HEAD");
    CHECK(wrong.body == "{\"error\":\"only GET and HEAD are served here\"}\n");
    CHECK(refused("GET", "/b").body == "{\"error\":\"only POST is served here\"}\n");
    CHECK(refused("GET", "/a/%").status == 400);
    CHECK(refused("GET", "/c").status == 404);
    for (const auto* target : {"/a/%", "/b", "/c"}) {
        CHECK(refused("GET", target).headers.get("X-Content-Type-Options") == "nosniff");
    }
    routes.otherwise(
        [](const routed_request& r) { return text_response(404, r.method + " " + std::string(r.path())); });
    CHECK(refused("GET", "/c?x").body == "GET /c");
    CHECK(refused("PUT", "/a/1").status == 405);
}

TEST_CASE("responses are protected") {
    const auto error = error_response(418, "say \"tea\"");
    CHECK(error.status == 418);
    CHECK(error.body == "{\"error\":\"say \\\"tea\\\"\"}\n");
    CHECK(error.headers.get("Content-Type") == "application/json");
    CHECK(text_response(200, "").headers.get("Content-Type") == "text/plain; charset=utf-8");
    const std::pair<const char*, const char*> headers[] = {
        {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    for (const auto& [name, value] : headers) CHECK(error.headers.get(name) == value);
}

TEST_CASE("embedded files: a page whose policy knows its script and style, and others by their names") {
    router routes;
    add_files(routes, test_files::embedded_files());
    const auto page = *routes.answer(asked("GET", "/"));
    CHECK(page.status == 200);
    CHECK(page.headers.get("Content-Type") == "text/html; charset=utf-8");
    CHECK(page.body.find("<style>body { color: red; }\n</style>") != std::string::npos);
    CHECK(page.body.find("<script>const a = \"\\\\\"; /* @x@ ${y} ; */\nf();\n</script>") != std::string::npos);
    // As `openssl dgst -sha256 -binary | base64` tells them.
    CHECK(page.headers.get("Content-Security-Policy") ==
          "default-src 'none'; script-src 'sha256-13j7Bh23nNMgB3etrQneMQBtZgjquGM+M6r3A8cdvuE='; style-src "
          "'sha256-l2fpHp1LAzTlmh04npgBvGosXEpVAKPCx5FWh5ZbLBY='; connect-src 'self'; "
          "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    const auto style = *routes.answer(asked("HEAD", "/style.css"));
    CHECK(style.headers.get("Content-Type") == "text/css; charset=utf-8");
    CHECK(style.headers.get("Content-Security-Policy") == no_content_policy);
    CHECK(style.headers.get("Cache-Control") == "no-store");
    CHECK(style.body == "body { color: red; }\n");
    CHECK(routes.answer(asked("GET", "/page.html"))->status == 404);
}
