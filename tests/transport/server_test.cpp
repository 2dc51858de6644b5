// What the server does with clients, well-behaved and otherwise.
#include "transport/fixture.hpp"
#include "transport/raw_peer.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";

// Sends bytes, waits until the server closes, and gives what it said.
std::string talk(loopback& net, const http::server& server, std::string text) {
    std::string answer;
    run(net.context, [](std::uint16_t port, std::string send, std::string& out) -> awaitable<void> {
        auto got = co_await exchange_raw(port, std::move(send));
        out = std::move(got);
    }(server.local_port(), std::move(text), answer));
    return answer;
}

awaitable<void> hold(system_environment& env, int& waiting, http::server_request, http::responder& out) {
    (void)co_await out.start(http::response_head(200));
    (void)co_await out.write("first\n");
    ++waiting;
    async_event never;
    co_await never.wait(env, out.disconnected());
    --waiting;
}

awaitable<void> drain(std::shared_ptr<http::transport> to, std::string target,
                      std::optional<result<std::string>>& out) {
    auto opened = co_await to->open_stream(http::request("GET", std::move(target)), http::exchange_options());
    if (!opened) {
        out.emplace(opened.error());
        co_return;
    }
    auto text = co_await read_all(*opened->body, 1h);
    out.emplace(std::move(text));
}

}  // namespace

TEST_CASE("requests that break the rules") {
    struct row {
        const char* what;
        std::string text;
        const char* status;
    };
    const row rows[] = {
        {"no version", "GET /\r\n\r\n", "400"},
        {"not HTTP", "\x16\x03\x01", "400"},
        {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"},
        {"no host", "GET / HTTP/1.1\r\n\r\n", "400"},
        {"two hosts", get + "Host: i\r\n\r\n", "400"},
        {"absolute target", "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "400"},
        {"both framings", get + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
        {"gzip, then length", get + "Transfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "400"},
        {"unknown coding", get + "Transfer-Encoding: gzip\r\n\r\n", "400"},
        {"two lengths", get + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400"},
        {"folded", get + "A: b\r\n c\r\n\r\n", "400"},
        {"bad chunk", get + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"},
        {"huge header", get + "A: " + std::string(100'000, 'x') + "\r\n\r\n", "431"},
        {"large body", get + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'), "413"},
        {"large body announced", get + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n", "413"},
        {"large chunks", get + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x'), "413"},
        {"other expectation", get + "Expect: miracles\r\n\r\n", "417"},
        {"slow header", "GET / HT", "408"},
        {"slow body", get + "Content-Length: 5\r\n\r\nabc", "408"},
    };
    loopback net;
    bool called = false;
    const auto answer_all = [&](http::server_request req, http::responder& out) {
        called = true;
        return echo(std::move(req), out);
    };
    const auto server = net.serve(answer_all, http::server_options().max_body(1000));
    // measures: the rest of a slow request never comes
    const auto hasty = net.serve(answer_all, http::server_options().header_timeout(30ms).body_timeout(30ms));
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        const bool slow = std::string_view(row.status) == "408";
        const auto answer = talk(net, slow ? *hasty : *server, row.text);
        CHECK_MESSAGE(answer.starts_with("HTTP/1.1 " + std::string(row.status) + " "), answer.substr(0, 100));
        CHECK(has(answer, "Connection: close\r\n"));
    }
    CHECK(!called);
    net.until([&] { return server->connections() + hasty->connections() == 0; });
}

TEST_CASE("a large body that is still being sent gets its 413") {
    loopback net;
    const auto server = net.serve(echo, http::server_options().max_body(1000));
    const auto client = net.connect(server->local_port());
    http::request req("POST", "/");
    req.body.assign(20 << 20, 'x');
    CHECK(net.call(*client, req).value().status == 413);
}

TEST_CASE("keep-alive, pipelining and their end") {
    loopback net;
    // measures: a connection is closed after idling
    const auto server = net.serve(echo, http::server_options().idle_timeout(20ms));
    const auto two =
        talk(net, *server, "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    CHECK(has(two, "GET /a\n"));
    CHECK(has(two, "GET /b\n"));
    CHECK(server->accepted() == 1);
    CHECK(has(talk(net, *server, get + "\r\n"), "200 OK"));  // and closed after idling
    CHECK(has(talk(net, *server, "GET /old HTTP/1.0\r\n\r\n"), "GET /old\n"));
    // measures: a connection is closed that begins no request
    const auto hasty = net.serve(echo, http::server_options().first_request_timeout(20ms));
    CHECK(talk(net, *hasty, "").empty());
}

TEST_CASE("Expect: 100-continue") {
    loopback net;
    const auto server = net.serve(echo, http::server_options().body_timeout(1min));
    run(net.context, [](std::uint16_t port) -> awaitable<void> {
        tcp::socket socket(co_await boost::asio::this_coro::executor);
        const tcp::endpoint to(boost::asio::ip::make_address("127.0.0.1"), port);
        co_await socket.async_connect(to, no_throw);
        co_await write_text(socket, get + "Connection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
        std::string text;
        co_await read_until(socket, text, "\r\n\r\n");
        CHECK(text == "HTTP/1.1 100 Continue\r\n\r\n");
        co_await write_text(socket, "abc");
        const auto rest = co_await read_to_end(socket);
        CHECK(rest.ends_with("\r\n\r\nGET /\nabc"));
    }(server->local_port()));
}

TEST_CASE("streams: chunks for 1.1, the connection's end for 1.0, nothing for HEAD") {
    loopback net;
    const auto server = net.serve([](http::server_request, http::responder& out) -> awaitable<void> {
        (void)co_await out.start(http::response_head(200));
        (void)co_await out.write("abc");
        (void)co_await out.write("");
        (void)co_await out.write("defghijklmnopq");
    });
    CHECK(talk(net, *server, get + "Connection: close\r\n\r\n")
              .ends_with("\r\n\r\n3\r\nabc\r\ne\r\ndefghijklmnopq\r\n0\r\n\r\n"));
    const auto old = talk(net, *server, "GET / HTTP/1.0\r\n\r\n");
    CHECK(old.ends_with("\r\n\r\nabcdefghijklmnopq"));
    CHECK(!has(old, "chunked"));
    CHECK(talk(net, *server, "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").ends_with("\r\n\r\n"));
}

TEST_CASE("handlers that fail") {
    loopback net;
    const auto server = net.serve([](http::server_request req, http::responder& out) -> awaitable<void> {
        if (req.target == "/silent") co_return;
        if (req.target == "/late" || req.target == "/abort") {
            (void)co_await out.start(http::response_head(200));
            (void)co_await out.write("abc");
        }
        if (req.target == "/abort") {
            out.abort();
            co_return;
        }
        if (req.target == "/inject") {
            http::response answer(200);
            answer.headers.set("A", "b\r\nC: d");
            const auto sent = co_await out.send(std::move(answer));
            CHECK(sent.error() == errc::invalid_argument);
            co_return;
        }
        if (req.target == "/twice") {
            (void)co_await out.send(http::response(201));
            const auto again = co_await out.send(http::response(202));
            CHECK(again.error() == errc::invalid_argument);
            co_return;
        }
        if (req.target == "/throws-int") throw 7;
        throw std::runtime_error("canary");
    });
    const auto client = net.connect(server->local_port());
    for (const auto* target : {"/throws", "/throws-int", "/silent", "/inject"}) {
        const auto got = net.get(*client, target).value();
        CHECK(got.status == 500);
        CHECK(got.body == "internal server error\n");
    }
    CHECK(net.get(*client, "/twice").value().status == 201);
    CHECK(!net.get(*client, "/late").has_value());
    CHECK(!net.get(*client, "/abort").has_value());
    CHECK(net.get(*client, "/throws").value().status == 500);
    CHECK(server->stats().handler_exceptions == 4);  // /late throws once its answer has begun
}

TEST_CASE("stop is prompt with open streams, and the server starts again") {
    loopback net;
    int waiting = 0;
    const auto server = net.serve(
        [&](http::server_request req, http::responder& out) { return hold(net.env, waiting, std::move(req), out); },
        http::server_options().drain_timeout(1h));
    const auto port = server->local_port();
    const auto client = net.connect(port);
    std::optional<result<std::string>> outcomes[3];
    for (auto& one : outcomes) start(net.context, drain(client, "/", one));
    net.until([&] { return waiting == 3; });
    const auto begun = net.env.now();
    run(net.context, server->stop());
    CHECK(net.env.now() - begun < 1min);  // did not wait for drain_timeout
    CHECK(waiting == 0);
    CHECK(server->connections() == 0);
    CHECK(server->local_port() == 0);
    net.until([&] { return outcomes[0] && outcomes[1] && outcomes[2]; });
    for (auto& one : outcomes) CHECK(one->value() == "first\n");
    run(net.context, server->stop());  // idempotent

    REQUIRE(server->listen(http::listen_address("127.0.0.1", port)).has_value());
    server->start();
    std::optional<result<std::string>> again;
    start(net.context, drain(client, "/", again));
    net.until([&] { return waiting == 1; });
    server->reset_connections();
    net.until([&] { return again.has_value(); });
    CHECK(!again->has_value());
    net.until([&] { return waiting == 0; });
}

TEST_CASE("stop does not wait for idle connections and does not wait for ever for handlers") {
    loopback net;
    const auto idle = net.serve(echo, http::server_options().drain_timeout(1h));
    const auto client = net.connect(idle->local_port());
    CHECK(net.get(*client, "/").has_value());
    const auto begun = net.env.now();
    run(net.context, idle->stop());
    CHECK(net.env.now() - begun < 1min);

    async_event release;  // a handler that does not heed disconnected()
    bool waiting = false;
    auto stubborn = net.serve(
        [&](http::server_request, http::responder&) -> awaitable<void> {
            waiting = true;
            co_await release.wait(net.env, {});
            waiting = false;
        },
        http::server_options().drain_timeout(20ms));  // measures: the handler does not end before
    std::optional<result<std::string>> outcome;
    start(net.context, drain(net.connect(stubborn->local_port()), "/", outcome));
    net.until([&] { return waiting; });
    run(net.context, stubborn->stop());
    net.until([&] { return outcome.has_value(); });
    CHECK(outcome->error() == errc::connection_lost);
    stubborn.reset();  // what the handler needs outlives the server
    release.notify_all();
    net.until([&] { return !waiting; });
    net.context.poll();
}

TEST_CASE("a reader that does not read holds the writer back, and is cut off in the end") {
    loopback net;
    std::size_t written = 0;
    bool ended = false;
    const auto server = net.serve(
        [&](http::server_request, http::responder& out) -> awaitable<void> {
            (void)co_await out.start(http::response_head(200));
            for (;;) {
                const auto done = co_await out.write(std::string(1 << 20, 'x'));
                if (!done) {
                    CHECK(done.error() == errc::connection_lost);
                    break;
                }
                written += 1 << 20;
            }
            ended = true;
        },
        http::server_options().write_timeout(500ms));  // measures: the reader never goes on
    const auto client = net.connect(server->local_port());
    std::optional<http::streamed_response> open;
    run(net.context, [](http::transport& to, std::optional<http::streamed_response>& out) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/"), http::exchange_options());
        out.emplace(std::move(*opened));
    }(*client, open));
    net.until([&] { return ended; });
    CHECK(written < 100U << 20);  // what the kernel's buffers hold, not more
}

TEST_CASE("addresses that can't be listened at") {
    loopback net;
    const auto server = net.serve(echo);
    http::server second(net.env, net.ex(), echo);
    const auto taken = second.listen(http::listen_address("127.0.0.1", server->local_port()));
    CHECK(taken.error() == errc::address_in_use);
    CHECK(has(text_of(taken.error()), "127.0.0.1:" + std::to_string(server->local_port())));
    CHECK(has(text_of(taken.error()), "choose another port"));
    CHECK(second.listen(http::listen_address("192.0.2.1", 0)).error() == errc::invalid_argument);
    CHECK(second.listen(http::listen_address("localhost", 0)).error() == errc::invalid_argument);
    CHECK(server->listen(http::listen_address("127.0.0.1", 0)).error() == errc::unavailable);
    CHECK(second.local_port() == 0);
    REQUIRE(second.listen(http::listen_address("", 0)).has_value());  // every address
    second.start();
    CHECK(net.get(*net.connect(second.local_port()), "/").has_value());
}

TEST_CASE("no more connections than allowed") {
    loopback net;
    int waiting = 0;
    const auto server = net.serve(
        [&](http::server_request req, http::responder& out) { return hold(net.env, waiting, std::move(req), out); },
        http::server_options().max_connections(2));
    std::optional<result<std::string>> outcomes[2];
    const auto client = net.connect(server->local_port());
    for (auto& one : outcomes) start(net.context, drain(client, "/", one));
    net.until([&] { return waiting == 2; });
    CHECK(!net.get(*client, "/").has_value());
    CHECK(server->connections() == 2);
    run(net.context, server->stop());
    net.until([&] { return outcomes[0] && outcomes[1]; });
}

TEST_CASE("a handler stops its own server, is not waited for, and answers afterwards") {
    loopback net;
    std::unique_ptr<http::server> server;
    duration took{};
    server = net.serve(
        [&](http::server_request, http::responder& out) -> awaitable<void> {
            const time_point begun = net.env.now();
            co_await server->stop();
            took = net.env.now() - begun;
            const auto sent = co_await out.send(http::response(200, "text/plain", "stopped"));
            CHECK(sent.has_value());
        },
        http::server_options().drain_timeout(1h));
    for (int i = 0; i < 2; ++i) {
        const auto client = net.connect(server->local_port());
        const auto answer = net.get(*client, "/");
        REQUIRE(answer.has_value());
        CHECK(answer->body == "stopped");
        CHECK(took < 1min);
        net.until([&] { return server->connections() == 0; });
        CHECK(!net.get(*net.connect(server->local_port()), "/").has_value());
        REQUIRE(server->listen(http::listen_address("127.0.0.1", 0)).has_value());
        server->start();
    }
}

TEST_CASE("a server that is stopping refuses to listen, and listens again once it has stopped") {
    loopback net;
    int waiting = 0;
    const auto server = net.serve(
        [&](http::server_request req, http::responder& out) { return hold(net.env, waiting, std::move(req), out); });
    std::optional<result<std::string>> outcome;
    const auto client = net.connect(server->local_port());
    start(net.context, drain(client, "/", outcome));
    net.until([&] { return waiting == 1; });
    int ended = 0;
    const auto stop = [](http::server& of, int& n) -> awaitable<void> {
        co_await of.stop();
        ++n;
    };
    start(net.context, stop(*server, ended));
    start(net.context, stop(*server, ended));
    net.until([&] { return server->local_port() == 0; });
    if (ended == 0) CHECK(server->listen(http::listen_address("127.0.0.1", 0)).error() == errc::unavailable);
    net.until([&] { return ended == 2 && outcome; });
    REQUIRE(server->listen(http::listen_address("127.0.0.1", 0)).has_value());
    server->start();
    server->start();  // accepts already
    outcome.reset();
    start(net.context, drain(net.connect(server->local_port()), "/", outcome));
    net.until([&] { return waiting == 1; });
    run(net.context, server->stop());
}

namespace {

awaitable<void> ask_into(http::transport& to, http::request asked, result<http::response>& answer) {
    http::exchange_options how;
    auto got = co_await to.round_trip(std::move(asked), how);
    answer = std::move(got);
}

awaitable<void> drain_into(http::server& of, bool& done) {
    co_await of.drain(10s);
    done = true;
}

}  // namespace

TEST_CASE("a drain closes idle connections, ends a request that has begun, and cuts nothing off") {
    loopback net;
    int handled = 0;
    async_event go_on;
    bool open = false;
    const auto server = net.serve([&](http::server_request asked, http::responder& out) -> awaitable<void> {
        ++handled;
        while (asked.target == "/slow" && !open) co_await go_on.wait(net.env, out.disconnected());
        http::response answer(out.disconnected().stop_requested() ? 500 : 200);
        const auto sent = co_await out.send(std::move(answer));
        static_cast<void>(sent);
    });
    const auto idle = net.connect(server->local_port());
    REQUIRE(net.get(*idle, "/"));
    const auto slow = net.connect(server->local_port());
    result<http::response> answer = error(errc::unavailable);
    http::request asked("GET", "/slow");
    start(net.context, ask_into(*slow, std::move(asked), answer));
    net.until([&] { return handled == 2; });
    CHECK(server->connections() == 2);
    bool drained = false;
    start(net.context, drain_into(*server, drained));
    net.until([&] { return server->connections() == 1; });
    CHECK(server->local_port() == 0);
    CHECK_FALSE(drained);
    open = true;
    go_on.notify_all();
    net.until([&] { return drained; });
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->headers.get("Connection") == "close");
    CHECK(server->connections() == 0);
}
