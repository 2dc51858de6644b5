// The transport over HTTP/2: one connection for many requests, and what becomes of them when it goes.
#include <kcontrol/testing/manual_environment.hpp>

#include "transport/http2_server.hpp"

#include <map>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// Asks for `targets` at the same time.
std::vector<result<http::response>> all_at_once(http2_net& net, http::transport& to, std::vector<http::request> asked,
                                                http::exchange_options options = {}) {
    std::vector<result<http::response>> answers(asked.size(), error(errc::unavailable));
    std::size_t done = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        start(net.context,
              [](http::transport& by, http::request req, http::exchange_options o, result<http::response>& answer,
                 std::size_t& count) -> awaitable<void> {
                  auto got = co_await by.round_trip(std::move(req), std::move(o));
                  answer = std::move(got);
                  ++count;
              }(to, std::move(asked[i]), options, answers[i], done));
    }
    net.until([&] { return done == asked.size(); });
    return answers;
}

std::vector<http::request> gets(int n) {
    std::vector<http::request> out;
    for (int i = 0; i < n; ++i) out.emplace_back("GET", "/" + std::to_string(i));
    return out;
}

http::request post(std::string body = "write") {
    http::request req("POST", "/write");
    req.body = std::move(body);
    return req;
}

// Reads from a stream into `text` until it ends.
awaitable<void> read_into(http::transport& by, std::string target, std::string& text, bool& begun, result<void>& end) {
    auto opened = co_await by.open_stream(http::request("GET", std::move(target)), http::exchange_options());
    begun = true;
    if (!opened) {
        end = opened.error();
        co_return;
    }
    std::string buffer(100, '\0');
    for (;;) {
        const auto got = co_await opened->body->read_some(buffer, 1min, {});
        if (!got) end = got.error();
        if (!got || *got == 0) co_return;
        text.append(buffer, 0, *got);
    }
}

// A watch that a test looks at.
class running_watch {
public:
    running_watch(http2_net& net, http::transport& by, std::string target = "/watch") {
        start(net.context, run(*this, by, std::move(target)));
        net.until([this] { return begun; });
    }
    std::string text;
    bool begun = false, done = false;
    result<void> end;

private:
    static awaitable<void> run(running_watch& self, http::transport& by, std::string target) {
        co_await read_into(by, std::move(target), self.text, self.begun, self.end);
        self.done = true;
    }
};

// Watches stay open, the rest is echoed.
void serve_watches(http2_side& side, const http2_call& call) {
    if (!call.path.starts_with("/watch")) {
        side.answer(call.id, call.method + " " + call.path + "\n" + call.body);
    } else {
        side.start(call.id, "first\n");
    }
}

}  // namespace

TEST_CASE("HTTP/2: a request and its answer") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    const auto client = net.client(server.port());
    http::request req("POST", "/api/v1/pods?limit=5");
    req.headers.set("User-Agent", "test/1");
    req.body = "hello";
    const auto answer = net.call(*client, req).value();
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /api/v1/pods?limit=5\nhello");
    CHECK(server.links.at(0)->side.calls.at(1).headers.get("user-agent") == "test/1");
    CHECK(server.links.at(0)->side.calls.at(1).authority == "127.0.0.1:" + std::to_string(server.port()));
    CHECK(server.listener.offered() == "h2,http/1.1");
    const auto head = net.call(*client, http::request("HEAD", "/x")).value();
    CHECK(head.status == 200);
    CHECK(head.body.empty());
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: a thousand requests one after the other, and fifty at once, use one connection") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    const auto client = net.client(server.port());
    for (const auto& answer : all_at_once(net, *client, gets(50))) CHECK(answer.has_value());
    for (int i = 0; i < 1000; ++i) {
        const auto answer = net.get(*client, "/" + std::to_string(i));
        REQUIRE(answer.has_value());
        REQUIRE(answer->body == "GET /" + std::to_string(i) + "\n");
    }
    const auto answers = all_at_once(net, *client, gets(50));
    for (std::size_t i = 0; i < 50; ++i) CHECK(answers[i].value().body == "GET /" + std::to_string(i) + "\n");
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: an idle connection keeps no context running, and serves again") {
    http2_net net;
    auto server = std::make_unique<http2_server>(net.context, net.all.leaf);
    const auto client = net.client(server->port());
    CHECK(net.get(*client, "/a").has_value());
    boost::asio::io_context own;
    const auto factory = http::make_transport_factory(net.env, http::transport_options().http2(true));
    http::tls_options tls;
    tls.ca_pem(net.all.root.pem());
    const auto there = factory(own.get_executor(), http::endpoint("https", "127.0.0.1", server->port()), tls).value();
    for (int round = 0; round < 3; ++round) {
        int status = 0;
        asio::co_spawn(
            own,
            [](http::transport& by, int& out) -> awaitable<void> {
                const auto got = co_await by.round_trip(http::request("GET", "/"), http::exchange_options());
                out = got ? got->status : -1;
            }(*there, status),
            asio::detached);
        own.restart();
        bool over = false;
        for (int turns = 0; turns < 100'000 && !over; ++turns) {
            net.context.restart();
            net.context.poll();
            // measures: how often the server's context has its turn
            if (own.run_one_for(1ms) == 0) over = own.stopped();
        }
        CHECK(over);  // nothing is left to do there
        CHECK(status == 200);
    }
    CHECK(server->connections() == 2);
}

TEST_CASE("HTTP/2: large bodies both ways") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    const auto client = net.client(server.port());
    http::request req("PUT", "/big");
    req.body.assign(7 << 20, 'x');
    const auto answer = net.call(*client, req).value();
    CHECK(answer.body.size() == req.body.size() + 9);
    CHECK(net.call(*client, req, http::exchange_options().max_body(1 << 20)).error() == errc::too_large);
    CHECK(net.get(*client, "/again").has_value());
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: a hundred watches and the requests beside them go over one connection") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.settings = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 250}};
    server.on_call = &serve_watches;
    const auto client = net.client(server.port());
    std::vector<std::unique_ptr<running_watch>> watches;
    for (int i = 0; i < 100; ++i) {
        watches.push_back(std::make_unique<running_watch>(net, *client, "/watch/" + std::to_string(i)));
    }
    for (const auto& answer : all_at_once(net, *client, gets(20))) CHECK(answer.has_value());
    CHECK(server.connections() == 1);
    http2_link& link = *server.links[0];
    for (const auto& [id, call] : link.side.calls) {
        if (call.path.starts_with("/watch")) link.side.more(id, "second\n");
    }
    link.flush_later();
    net.until([&] {
        return std::all_of(watches.begin(), watches.end(), [](const auto& w) { return w->text == "first\nsecond\n"; });
    });
    for (const auto& [id, call] : link.side.calls) link.side.finish(id);
    link.flush_later();
    net.until([&] { return std::all_of(watches.begin(), watches.end(), [](const auto& w) { return w->done; }); });
    for (const auto& one : watches) CHECK(one->end.has_value());
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: beyond the server's limit there is another connection, and idle ones go first") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.settings = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 10}};
    server.on_call = &serve_watches;
    const auto client = net.client(server.port());
    REQUIRE(net.get(*client, "/").has_value());
    std::vector<std::unique_ptr<running_watch>> watches;
    for (int i = 0; i < 25; ++i) watches.push_back(std::make_unique<running_watch>(net, *client));
    CHECK(server.connections() == 3);
    CHECK(net.get(*client, "/").has_value());
    CHECK(server.connections() == 3);
}

TEST_CASE("HTTP/2: a stream that nobody reads holds up nobody") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = [](http2_side& side, const http2_call& call) {
        if (call.path == "/endless") return side.start(call.id, std::string(50 << 20, 'x'));
        side.answer(call.id, call.path);
    };
    const auto client = net.client(server.port());
    run(net.context, [](http::transport& by) -> awaitable<void> {
        auto opened = co_await by.open_stream(http::request("GET", "/endless"), http::exchange_options());
        REQUIRE(opened.has_value());
        for (int i = 0; i < 100; ++i) {
            const auto other = co_await by.round_trip(http::request("GET", "/other"), http::exchange_options());
            REQUIRE(other.has_value());
        }
        std::string buffer(1 << 20, '\0');
        std::size_t all = 0;
        while (all < (8 << 20)) {
            const auto n = co_await opened->body->read_some(buffer, 1min, {});
            REQUIRE(n.has_value());
            all += *n;
        }
    }(*client));
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: who stops, times out or drops a stream ends it at the server, and nothing else") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = [](http2_side& side, const http2_call& call) {
        if (call.path == "/echo") return side.answer(call.id, "echo");
        if (call.path == "/stream") side.start(call.id, "piece");
    };
    const auto client = net.client(server.port());
    REQUIRE(net.get(*client, "/echo").has_value());
    std::vector<std::uint32_t> resets;
    server.links[0]->side.on_reset = [&](http2_side&, std::int32_t, std::uint32_t code) { resets.push_back(code); };

    // measures: no answer comes; the request is on its way at once
    CHECK(net.get(*client, "/hang", http::exchange_options().deadline(500ms)).error() == errc::timeout);
    std::stop_source stop;
    std::optional<error> ended;
    start(net.context, [](http::transport& by, std::stop_token token, std::optional<error>& out) -> awaitable<void> {
        const auto got = co_await by.round_trip(post(), http::exchange_options().stop(std::move(token)));
        if (!got) out = got.error();
    }(*client, stop.get_token(), ended));
    net.until([&] { return server.links[0]->side.calls.rbegin()->second.path == "/write"; });
    stop.request_stop();
    net.until([&] { return ended.has_value(); });
    CHECK(*ended == errc::stopped);

    run(net.context, [](http::transport& by) -> awaitable<void> {
        auto opened = co_await by.open_stream(http::request("GET", "/stream"), http::exchange_options());
        REQUIRE(opened.has_value());
        std::string buffer(100, '\0');
        const auto first = co_await opened->body->read_some(buffer, 1min, {});
        CHECK(first.value() == 5);
        const auto second = co_await opened->body->read_some(buffer, 10ms, {});  // measures: nothing more comes
        CHECK(second.error() == errc::timeout);
        const auto third = co_await opened->body->read_some(buffer, 1min, {});
        CHECK(third.error() == errc::timeout);
        auto dropped = co_await by.open_stream(http::request("GET", "/stream"), http::exchange_options());
        REQUIRE(dropped.has_value());
    }(*client));
    net.until([&] { return resets.size() == 4; });
    CHECK(resets == std::vector<std::uint32_t>(4, NGHTTP2_CANCEL));
    CHECK(net.get(*client, "/echo").has_value());
    CHECK(server.connections() == 1);
}

TEST_CASE("HTTP/2: a server that says goodbye lets its streams end, and gets no more") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = &serve_watches;
    const auto client = net.client(server.port());
    running_watch watch(net, *client);
    http2_link& old = *server.links[0];
    old.side.goodbye(0x7fffffff);
    old.flush_later();
    REQUIRE(net.get(*client, "/next").has_value());
    while (server.connections() == 1) REQUIRE(net.get(*client, "/next").has_value());
    CHECK(server.connections() == 2);
    const std::int32_t id = old.side.calls.begin()->first;
    old.side.more(id, "still here\n");
    old.flush_later();
    net.until([&] { return watch.text == "first\nstill here\n"; });
    old.side.finish(id);
    old.flush_later();
    net.until([&] { return watch.done; });
    CHECK(watch.end.has_value());
    net.until([&] { return server.open() == 1; });  // the old one is closed from this side
}

TEST_CASE("HTTP/2: what a server did not look at is sent again, whatever it is") {
    http2_net net;
    for (const bool goodbye : {false, true}) {
        http2_server server(net.context, net.all.leaf);
        int refusals = 2;
        server.on_call = [&](http2_side& side, const http2_call& call) {
            if (call.path != "/write" || refusals == 0) return side.answer(call.id, call.path + call.body);
            --refusals;
            if (goodbye) {
                side.goodbye(std::max(call.id - 2, 0));
            } else {
                side.reset(call.id, NGHTTP2_REFUSED_STREAM);
            }
        };
        const auto client = net.client(server.port());
        REQUIRE(net.get(*client, "/").has_value());
        const auto answer = net.call(*client, post());
        REQUIRE_MESSAGE(answer.has_value(), answer.error().what());
        CHECK(answer->body == "/writewrite");
        CHECK(server.connections() == (goodbye ? 3 : 1));
        refusals = 1000;
        const auto never = net.call(*client, post());
        REQUIRE(!never.has_value());
        CHECK_MESSAGE(never.error() == errc::connection_lost, never.error().what());
        CHECK(has(text_of(never.error()), "REFUSED_STREAM"));
        CHECK(1000 - refusals == 4);
    }
}

TEST_CASE("HTTP/2: a connection that breaks takes its streams along, and each says so") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = [](http2_side& side, const http2_call& call) {
        if (call.path.starts_with("/watch")) side.start(call.id, "first\n");
    };
    const auto client = net.client(server.port());
    running_watch watch(net, *client);
    std::optional<result<http::response>> read, write;
    const auto ask = [&](http::request req, std::optional<result<http::response>>& into) {
        start(net.context,
              [](http::transport& by, http::request r, std::optional<result<http::response>>& out) -> awaitable<void> {
                  auto got = co_await by.round_trip(std::move(r), http::exchange_options().deadline(1min));
                  out.emplace(std::move(got));
              }(*client, std::move(req), into));
    };
    ask(post(), write);
    net.until([&] { return server.calls == 2; });
    server.links[0]->cut();
    net.until([&] { return watch.done && write; });
    CHECK(watch.end.error() == errc::truncated);
    CHECK(has(text_of(watch.end.error()), "https://127.0.0.1:" + std::to_string(server.port())));
    CHECK(write->error() == errc::unknown_outcome);
    // A read is sent again, once.
    server.on_call = [&](http2_side& side, const http2_call& call) {
        if (call.path == "/first") return side.answer(call.id, "x");
        for (const auto& link : server.links) link->cut();
    };
    REQUIRE(net.get(*client, "/first").has_value());
    const int before = server.calls;
    ask(http::request("GET", "/lost"), read);
    net.until([&] { return read.has_value(); });
    CHECK(read->error() == errc::connection_lost);
    CHECK(server.calls - before == 2);
}

TEST_CASE("HTTP/2: an idle connection that the server closed meanwhile is not used for a write") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    const auto client = net.client(server.port());
    for (const bool politely : {false, true}) {
        REQUIRE(net.get(*client, "/").has_value());
        http2_link& last = *server.links.back();
        if (politely) {
            last.side.goodbye(1);
            run(net.context, last.flush());
        } else {
            last.cut();
        }
        const int before = server.connections();
        const auto answer = net.call(*client, post());
        REQUIRE_MESSAGE(answer.has_value(), answer.error().what());
        CHECK(server.connections() == before + 1);
    }
}

TEST_CASE("HTTP/2: a server that does not speak it is asked over HTTP/1.1") {
    http2_net net;
    const http::certificate_options names =
        http::certificate_options(net.env.wall_now()).common_name("server").ip("127.0.0.1");
    http::server_tls tls(net.all.leaf.pem(), secret_string(net.all.leaf.key_pem()));
    const auto server = net.serve(echo, {}, tls);
    const auto client = net.client(server->local_port());
    for (const auto& answer : all_at_once(net, *client, gets(5))) {
        REQUIRE_MESSAGE(answer.has_value(), answer.error().what());
    }
    CHECK(net.call(*client, post()).value().body == "POST /write\nwrite");
    CHECK(server->accepted() <= 5);
    run(net.context, [](http::transport& by) -> awaitable<void> {
        auto opened = co_await by.open_stream(http::request("GET", "/stream"), http::exchange_options());
        REQUIRE(opened.has_value());
        const auto text = co_await read_all(*opened->body);
        CHECK(text.value() == "GET /stream\n");
    }(*client));
}

TEST_CASE("HTTP/2: switched off it is not offered, by option or by variable") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    http::tls_options tls;
    tls.ca_pem(net.all.root.pem());
    const auto try_with = [&](environment& env, http::transport_options options) {
        const auto client = http::make_transport_factory(env, options)(
            net.ex(), http::endpoint("https", "127.0.0.1", server.port()), tls);
        // measures: this server need not answer; a handshake takes much less
        (void)net.get(**client, "/", http::exchange_options().deadline(2s));
        return server.listener.offered();
    };
    CHECK(try_with(net.env, http::transport_options().http2(false)) == "");
    CHECK(try_with(net.env, http::transport_options().http2(true)) == "h2,http/1.1");
    testing::manual_environment env;
    env.variables["DISABLE_HTTP2"] = "1";
    CHECK(try_with(env, http::transport_options().http2(true)) == "");
}

TEST_CASE("HTTP/2: variables say after how much silence a server is asked for a sign of life, and how long it has") {
    struct row {
        std::map<std::string, std::string> variables;
        duration idle, timeout;
    };
    const std::string idle = "HTTP2_READ_IDLE_TIMEOUT_SECONDS", timeout = "HTTP2_PING_TIMEOUT_SECONDS";
    const row rows[] = {
        {{}, 30s, 15s}, {{{idle, "7"}, {timeout, "3"}}, 7s, 3s}, {{{idle, "soon"}, {timeout, "-1"}}, 30s, 15s}};
    for (const auto& row : rows) {
        testing::manual_environment env;
        env.variables = row.variables;
        http2_net net;
        http2_server server(net.context, net.all.leaf);
        server.on_call = &serve_watches;
        http::tls_options tls;
        tls.ca_pem(net.all.root.pem());
        const auto client =
            http::make_transport_factory(env)(net.ex(), http::endpoint("https", "127.0.0.1", server.port()), tls);
        running_watch watch(net, **client);
        server.links[0]->mute = true;
        env.advance(row.idle + row.timeout - 1ms, net.context);
        CHECK(!watch.done);
        env.advance(1ms, net.context);
        REQUIRE(watch.done);
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(row.timeout).count();
        CHECK_MESSAGE(has(text_of(watch.end.error()), "nothing came for " + std::to_string(waited) + " ms"),
                      watch.end.error().what());
    }
}

TEST_CASE("HTTP/2: a silent connection is asked for a sign of life, and ends without one") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = &serve_watches;
    // measures: it asks soon; a mute server, which is this thread, too, is given up in the end
    const auto client = net.client(server.port(), http::transport_options().http2_ping(30ms, 1s));
    running_watch watch(net, *client);
    net.until([&] { return server.links[0]->side.pings >= 3; });
    CHECK(!watch.done);
    server.links[0]->mute = true;
    net.until([&] { return watch.done; });
    CHECK(watch.end.error() == errc::connection_lost);
    CHECK_MESSAGE(has(text_of(watch.end.error()), "sign of life"), watch.end.error().what());
    CHECK(net.get(*client, "/").has_value());
    CHECK(server.connections() == 2);
}

TEST_CASE("HTTP/2: close() lets streams end and takes no more") {
    http2_net net;
    http2_server server(net.context, net.all.leaf);
    server.on_call = &serve_watches;
    const auto client = net.client(server.port());
    running_watch watch(net, *client);
    client->close();
    CHECK(net.get(*client, "/").error() == errc::unavailable);
    http2_link& link = *server.links[0];
    const std::int32_t id = link.side.calls.begin()->first;
    link.side.more(id, "drained\n");
    link.side.finish(id);
    link.flush_later();
    net.until([&] { return watch.done; });
    CHECK(watch.text == "first\ndrained\n");
    CHECK(watch.end.has_value());
    net.until([&] { return server.open() == 0; });
}

TEST_CASE("HTTP/2: requests that wait for one connection share what becomes of it") {
    http2_net net;
    {
        tree others;
        http2_server server(net.context, others.leaf);
        const auto client = net.client(server.port());
        for (const auto& answer : all_at_once(net, *client, gets(20))) {
            REQUIRE(!answer.has_value());
            CHECK(answer.error() == errc::tls_failed);
        }
        CHECK(server.connections() == 1);
    }
    black_hole hole(net.context);
    const auto client = net.client(hole.port());
    // measures: no connection comes about
    for (const auto& answer : all_at_once(net, *client, gets(3), http::exchange_options().deadline(50ms))) {
        CHECK(answer.error() == errc::timeout);
    }
    // One has little time, and another makes a new attempt when that is over.
    std::optional<error> early, late;
    const auto ask = [&](duration time, std::stop_token stop, std::optional<error>& into) {
        start(net.context,
              [](http::transport& by, duration d, std::stop_token token, std::optional<error>& out) -> awaitable<void> {
                  const auto options = http::exchange_options().deadline(d).stop(std::move(token));
                  const auto got = co_await by.round_trip(http::request("GET", "/"), options);
                  if (!got) out = got.error();
              }(*client, time, std::move(stop), into));
    };
    std::stop_source stop;
    ask(30ms, {}, early);  // measures: as above
    ask(1min, stop.get_token(), late);
    net.until([&] { return early.has_value(); });
    CHECK(*early == errc::timeout);
    CHECK(!late);
    stop.request_stop();
    net.until([&] { return late.has_value(); });
    CHECK(*late == errc::stopped);
}

TEST_CASE("HTTP/2: a certificate that a server refuses after the handshake") {
    http2_net net;
    http2_server server(net.context, net.all.leaf, [](SSL_CTX* tls) {
        SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    });
    const auto client = net.client(server.port());
    for (const auto& req : {http::request("GET", "/"), post()}) {
        const auto answer = net.call(*client, req);
        REQUIRE(!answer.has_value());
        CHECK_MESSAGE(answer.error() == errc::tls_failed, answer.error().what());
        CHECK(has(text_of(answer.error()), "check the client certificate"));
    }
    CHECK(server.calls == 0);
}

TEST_CASE("HTTP/2: servers that do everything wrong: each request ends, and says why") {
    namespace h2 = kcontrol::test::http2;
    const auto times = [](int n, const std::string& text) {
        std::string out;
        for (int i = 0; i < n; ++i) out += text;
        return out;
    };
    const std::string head = h2::greeting + h2::ok(1);
    const std::string piece(16'384, 'x');
    struct row {
        const char* what;
        std::string bytes;
        bool closes;
        errc code;
        const char* text;
    };
    const row rows[] = {
        {"it closes", "", true, errc::connection_lost, "without an answer"},
        {"it is silent", "", false, errc::connection_lost, "sign of life"},
        {"it is silent after its settings", h2::greeting, false, errc::connection_lost, "sign of life"},
        {"it is silent inside its answer", head, false, errc::connection_lost, "sign of life"},
        {"it closes inside its head", h2::greeting + h2::frame(h2::headers, 0, 1, h2::field(":status", "200")), true,
         errc::connection_lost, "without an answer"},
        {"it closes inside its answer", head + h2::body(1, "h", false), true, errc::truncated, "inside its answer"},
        {"it speaks HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, errc::protocol_error,
         "malformed"},
        {"a frame beyond the limit", h2::greeting + h2::frame(h2::data, 0, 1, std::string(20'000, 'x')), false,
         errc::protocol_error, "malformed"},
        {"pings without end", h2::greeting + times(100'000, h2::frame(h2::ping, 0, 0, "12345678")), false,
         errc::protocol_error, "floods"},
        {"resets of what nobody asked", h2::greeting + times(1000, h2::reset(9, 8)), false, errc::protocol_error,
         "malformed"},
        {"a body without end", head + times(100, h2::body(1, piece, false)), false, errc::too_large, "exceeds 65536"},
        {"a goodbye, and why", h2::greeting + h2::goodbye(1, 11, "too_many_pings"), true, errc::connection_lost,
         "ENHANCE_YOUR_CALM (too_many_pings)"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.what));
        http2_net net;
        alpn_listener listener(
            net.context, net.all.leaf, "h2", [&](std::shared_ptr<tls_socket> peer) -> awaitable<void> {
                std::string buffer(4096, '\0');
                co_await peer->async_read_some(boost::asio::buffer(buffer), no_throw);
                co_await boost::asio::async_write(*peer, boost::asio::buffer(row.bytes), no_throw);
                if (row.closes) co_return;
                for (;;) {
                    const auto outcome = co_await peer->async_read_some(boost::asio::buffer(buffer), no_throw);
                    if (std::get<0>(outcome)) co_return;
                }
            });
        // measures: what never answers is given up by its silence
        const auto client = net.client(listener.port(), http::transport_options().http2_ping(200ms, 300ms));
        const auto limits = http::exchange_options().deadline(1min).max_body(1 << 16);
        const auto read = net.get(*client, "/", limits);
        REQUIRE(!read.has_value());
        CHECK_MESSAGE(read.error() == row.code, read.error().what());
        CHECK_MESSAGE(has(text_of(read.error()), row.text), read.error().what());
        const auto write = net.call(*client, post(), limits);
        REQUIRE(!write.has_value());
        // A connection that lost one stream for its size carries the next one, which this server never answers.
        const bool lost = write.error() == errc::unknown_outcome;
        CHECK_MESSAGE((lost || (row.code == errc::too_large && write.error() == row.code)), write.error().what());
        CHECK(listener.connections() <= 4);
    }
}
