#include <kcontrol/runtime/timer.hpp>

#include "transport/fixture.hpp"

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

// Streams `pieces`, then waits until the peer goes if the target says so.
awaitable<void> stream_pieces(system_environment& env, int pieces, http::server_request req, http::responder& out) {
    http::response_head head(200);
    head.headers.set("Content-Type", "application/json");
    (void)co_await out.start(std::move(head));
    for (int i = 0; i < pieces; ++i) (void)co_await out.write("piece " + std::to_string(i) + "\n");
    if (req.target == "/hang") {
        async_event never;
        co_await never.wait(env, out.disconnected());
    }
}

http::handler streaming(loopback& net, int pieces) {
    return [&net, pieces](http::server_request req, http::responder& out) {
        return stream_pieces(net.env, pieces, std::move(req), out);
    };
}

awaitable<void> wait_for_gone(system_environment& env, bool& noticed, http::server_request, http::responder& out) {
    async_event never;
    co_await never.wait(env, out.disconnected());
    noticed = true;
}

http::handler silent(loopback& net, bool& noticed) {
    return [&](http::server_request req, http::responder& out) {
        return wait_for_gone(net.env, noticed, std::move(req), out);
    };
}

}  // namespace

TEST_CASE("a request and its answer") {
    loopback net;
    const auto server = net.serve(echo);
    const auto client = net.connect(server->local_port());
    http::request req("POST", "/api/v1/pods?limit=5");
    req.headers.set("User-Agent", "test/1");
    req.body = "hello";
    const auto answer = net.call(*client, req).value();
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /api/v1/pods?limit=5\nhello");
    CHECK(answer.headers.get("content-type") == "text/plain");
    CHECK(answer.headers.get("x-agent") == "test/1");
    const auto head = net.call(*client, http::request("HEAD", "/x")).value();
    CHECK(head.status == 200);
    CHECK(head.body.empty());
    CHECK(head.headers.get("Content-Length") == "8");
    CHECK(server->accepted() == 1);
}

TEST_CASE("a thousand requests use one connection") {
    loopback net;
    const auto server = net.serve(echo);
    const auto client = net.connect(server->local_port());
    for (int i = 0; i < 1000; ++i) {
        const auto answer = net.get(*client, "/" + std::to_string(i));
        REQUIRE(answer.has_value());
        REQUIRE(answer->body == "GET /" + std::to_string(i) + "\n");
    }
    CHECK(server->accepted() == 1);
}

TEST_CASE("large bodies both ways") {
    loopback net;
    const auto server = net.serve(echo);
    const auto client = net.connect(server->local_port());
    http::request req("PUT", "/big");
    req.body.assign(7 << 20, 'x');
    const auto answer = net.call(*client, req).value();
    CHECK(answer.body.size() == req.body.size() + 9);
    CHECK(net.call(*client, req, http::exchange_options().max_body(1 << 20)).error() == errc::too_large);
    CHECK(net.get(*client, "/again").has_value());
}

TEST_CASE("a stream is read piece by piece and its connection serves again") {
    loopback net;
    const auto server = net.serve(streaming(net, 5));
    const auto client = net.connect(server->local_port());
    run(net.context, [](http::transport& to) -> awaitable<void> {
        for (int round = 0; round < 3; ++round) {
            auto opened = co_await to.open_stream(http::request("GET", "/watch"), http::exchange_options());
            REQUIRE(opened.has_value());
            CHECK(opened->head.status == 200);
            CHECK(opened->head.headers.get("Content-Type") == "application/json");
            std::string text;
            std::string little(3, '\0');  // smaller than any piece
            for (;;) {
                const auto got = co_await opened->body->read_some(little, 1min, {});
                REQUIRE(got.has_value());
                if (*got == 0) break;
                text.append(little, 0, *got);
            }
            CHECK(text == "piece 0\npiece 1\npiece 2\npiece 3\npiece 4\n");
            const auto again = co_await opened->body->read_some(little, 1min, {});
            CHECK(again.value() == 0);
        }
    }(*client));
    CHECK(server->accepted() == 1);
}

TEST_CASE("dropping a stream closes its connection and the handler notices") {
    loopback net;
    bool noticed = false;
    const auto server = net.serve([&](http::server_request req, http::responder& out) -> awaitable<void> {
        co_await stream_pieces(net.env, 1, std::move(req), out);
        noticed = true;
    });
    const auto client = net.connect(server->local_port());
    run(net.context, [](http::transport& to) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/hang"), http::exchange_options());
        std::string buffer(100, '\0');
        const auto got = co_await opened->body->read_some(buffer, 1min, {});
        CHECK(got.value() == 8);
    }(*client));
    net.until([&] { return noticed && server->connections() == 0; });
}

TEST_CASE("a stalled stream times out, and stays failed") {
    loopback net;
    const auto server = net.serve(streaming(net, 1));
    const auto client = net.connect(server->local_port());
    run(net.context, [](http::transport& to) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/hang"), http::exchange_options());
        std::string buffer(100, '\0');
        const auto first = co_await opened->body->read_some(buffer, 1min, {});
        CHECK(first.value() == 8);
        const auto second = co_await opened->body->read_some(buffer, 10ms, {});  // measures: nothing more comes
        CHECK(second.error() == errc::timeout);
        const auto third = co_await opened->body->read_some(buffer, 1min, {});
        CHECK(third.error() == errc::timeout);
    }(*client));
    run(net.context, server->stop());
}

TEST_CASE("stop ends a read in progress") {
    loopback net;
    const auto server = net.serve(streaming(net, 1));
    const auto client = net.connect(server->local_port());
    std::stop_source stop;
    bool reading = false;
    std::optional<result<std::string>> outcome;
    start(net.context, [](http::transport& to, std::stop_token token, bool& on, auto& out) -> awaitable<void> {
        auto opened = co_await to.open_stream(http::request("GET", "/hang"), http::exchange_options());
        std::string buffer(100, '\0');
        const auto first = co_await opened->body->read_some(buffer, 1h, token);
        CHECK(first.value() == 8);
        on = true;
        auto rest = co_await read_all(*opened->body, 1h, token);
        out.emplace(std::move(rest));
    }(*client, stop.get_token(), reading, outcome));
    net.until([&] { return reading; });
    stop.request_stop();
    net.until([&] { return outcome.has_value(); });
    CHECK(outcome->error() == errc::stopped);
    run(net.context, server->stop());
}

TEST_CASE("deadline and stop while waiting for an answer") {
    loopback net;
    bool noticed = false;
    const auto server = net.serve(silent(net, noticed));
    const auto client = net.connect(server->local_port());
    // measures: no answer comes; loopback takes a request in much less than a second
    const auto late = net.get(*client, "/slow", http::exchange_options().deadline(1s));
    CHECK(late.error() == errc::timeout);
    CHECK(has(text_of(late.error()), "127.0.0.1"));
    net.until([&] { return noticed; });

    // measures: as above
    const auto write = net.call(*client, http::request("POST", "/slow"), http::exchange_options().deadline(1s));
    CHECK(write.error() == errc::unknown_outcome);

    std::stop_source stop;
    // measures: no answer comes, wherever the request is by then
    CHECK(net.get(*client, "/x", http::exchange_options().deadline(20ms)).error() == errc::timeout);
    const auto timer = net.env.make_timer(net.ex());
    // measures: no answer comes before the stop
    timer->async_wait(net.env.now() + 5ms, [&](bool) { stop.request_stop(); });
    const auto stopped = net.get(*client, "/slow", http::exchange_options().deadline(1h).stop(stop.get_token()));
    CHECK(stopped.error() == errc::stopped);
    const auto at_once = net.get(*client, "/slow", http::exchange_options().stop(stop.get_token()));
    CHECK(at_once.error() == errc::stopped);
    run(net.context, server->stop());
}

TEST_CASE("what may not go on the wire is refused before anything is sent") {
    loopback net;
    const auto server = net.serve(echo);
    const auto client = net.connect(server->local_port());
    const char* const targets[] = {"", "x", "http://other/", "/a b", "/a\r\nX: 1", "/a\n", "/\xc3\xa4"};
    for (const auto* target : targets) {
        CHECK(net.get(*client, target).error() == errc::invalid_argument);
    }
    http::request bad_method("GE T", "/");
    CHECK(net.call(*client, bad_method).error() == errc::invalid_argument);
    const std::pair<const char*, const char*> fields[] = {
        {"A", "b\r\nC: d"}, {"A b", "c"},           {"", "x"}, {"A", "\x01"}, {"Host", "evil"}, {"content-length", "3"},
        {"A:", "x"},        {"Connection", "close"}};
    for (const auto& [name, value] : fields) {
        http::request req("GET", "/");
        req.headers.add(name, value);
        CHECK(net.call(*client, req).error() == errc::invalid_argument);
    }
    CHECK(server->accepted() == 0);
}

TEST_CASE("a refused connection names address and remedy") {
    loopback net;
    auto server = net.serve(echo);
    const auto port = server->local_port();
    server.reset();
    const auto client = net.connect(port);
    const auto failed = net.get(*client, "/");
    CHECK(failed.error() == errc::connection_refused);
    CHECK(failed.error() == condition::unreachable);
    CHECK(has(text_of(failed.error()), "127.0.0.1 port " + std::to_string(port)));
    CHECK(has(text_of(failed.error()), "refused"));
    CHECK(net.call(*client, http::request("POST", "/")).error() == errc::connection_refused);  // nothing was sent
}

TEST_CASE("a host name is resolved and every address tried") {
    loopback net;
    const auto server = net.serve(echo);  // on 127.0.0.1 only; localhost is ::1, too, on many machines
    const auto factory = http::make_transport_factory(net.env);
    const auto client = factory(net.ex(), http::endpoint("http", "localhost", server->local_port()), {}).value();
    CHECK(net.get(*client, "/").has_value());
}

TEST_CASE("settings a factory refuses") {
    loopback net;
    const auto factory = http::make_transport_factory(net.env);
    CHECK(factory(net.ex(), http::endpoint("ftp", "h", 1), {}).error() == errc::invalid_config);
    CHECK(factory(net.ex(), http::endpoint("https", "", 1), {}).error() == errc::invalid_config);
}

TEST_CASE("credentials do not leave the machine without TLS") {
    loopback net;
    const auto factory = http::make_transport_factory(net.env);
    http::request req("GET", "/");
    req.headers.set("Authorization", "Bearer canary");
    // 192.0.2.0/24 is for documentation; nothing is sent there.
    const auto remote = factory(net.ex(), http::endpoint("http", "192.0.2.1", 80), {}).value();
    const auto refused = net.call(*remote, req);
    CHECK(refused.error() == errc::invalid_config);
    CHECK(!has(text_of(refused.error()), "canary"));
    const auto server = net.serve(echo);
    CHECK(net.call(*net.connect(server->local_port()), req).has_value());
}

TEST_CASE("close() ends idle connections and refuses later calls") {
    loopback net;
    const auto server = net.serve(echo);
    const auto client = net.connect(server->local_port());
    CHECK(net.get(*client, "/").has_value());
    CHECK(server->connections() == 1);
    client->close();
    net.until([&] { return server->connections() == 0; });
    CHECK(net.get(*client, "/").error() == errc::unavailable);
}

TEST_CASE("idle connections are closed after a while and no more than the limit are kept") {
    loopback net;
    bool noticed = false;
    const auto server = net.serve(
        [pieces = streaming(net, 1), quiet = silent(net, noticed)](http::server_request req, http::responder& out) {
            return req.target == "/watch" ? quiet(std::move(req), out) : pieces(std::move(req), out);
        });
    // measures: those that are kept are closed in the end; four short answers are read in much less
    const auto client = net.connect(server->local_port(), http::transport_options().max_idle(2).idle_timeout(1s));
    const auto open_and_read = [](http::transport& to, int streams) -> awaitable<void> {
        std::vector<http::streamed_response> open;
        for (int i = 0; i < streams; ++i) {
            auto one = co_await to.open_stream(http::request("GET", "/"), http::exchange_options());
            open.push_back(std::move(*one));
        }
        for (auto& one : open) {
            const auto text = co_await read_all(*one.body);
            CHECK(text.value() == "piece 0\n");
        }
    };
    std::stop_source end;
    const auto watch = [](http::transport& to, std::stop_token stop) -> awaitable<void> {
        const auto answer =
            co_await to.round_trip(http::request("GET", "/watch"), http::exchange_options().deadline(1h).stop(stop));
        CHECK(answer.error() == errc::stopped);
    };
    start(net.context, watch(*client, end.get_token()));
    net.until([&] { return server->connections() == 1; });
    run(net.context, open_and_read(*client, 4));
    CHECK(server->accepted() == 5);
    net.until([&] { return server->connections() == 3; });
    net.until([&] { return server->connections() == 1; });  // while something else goes on
    end.request_stop();
    net.until([&] { return server->connections() == 0; });

    // Where nothing goes on, the next exchange closes those that have been idle for too long, and uses none of them.
    // measures: as above
    const auto quiet = net.connect(server->local_port(), http::transport_options().idle_timeout(1s));
    run(net.context, open_and_read(*quiet, 2));
    const auto later = net.env.now() + 1100ms;                // measures: longer than they may be idle
    while (net.env.now() < later) net.context.run_for(50ms);  // measures: until then
    CHECK(server->connections() == 2);
    run(net.context, open_and_read(*quiet, 1));
    CHECK(server->accepted() == 8);
    net.until([&] { return server->connections() == 1; });
}

TEST_CASE("idle connections keep no context running, whether their transport lives or not") {
    loopback net;
    const auto server = net.serve(echo);
    auto client = net.connect(server->local_port(), http::transport_options().idle_timeout(1h));
    CHECK(net.get(*client, "/").has_value());
    CHECK(server->connections() == 1);
    run(net.context, server->stop());
    SUBCASE("it is dropped") { client.reset(); }
    SUBCASE("it lives, without a close()") {}
    net.context.restart();
    net.context.run_for(1min);
    CHECK(net.context.stopped());
}

TEST_CASE("a transport may be dropped while its stream goes on") {
    loopback net;
    const auto server = net.serve(streaming(net, 3));
    auto client = net.connect(server->local_port());
    run(net.context, [](std::shared_ptr<http::transport>& to) -> awaitable<void> {
        auto opened = co_await to->open_stream(http::request("GET", "/"), http::exchange_options());
        to.reset();
        const auto text = co_await read_all(*opened->body);
        CHECK(text->size() == 24);
    }(client));
}

TEST_CASE("addresses that the rules refuse are not connected to, be they written or looked up") {
    loopback net;
    const auto server = net.serve(echo);
    http::transport_options options;
    options.addresses(http::address_rules::public_only());
    const auto factory = http::make_transport_factory(net.env, options);
    for (const char* host : {"127.0.0.1", "localhost"}) {
        CAPTURE(host);
        const auto client = factory(net.ex(), http::endpoint("http", host, server->local_port()), {}).value();
        const auto refused = net.get(*client, "/x");
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(has(text_of(refused.error()), "is not allowed here"));
    }
    CHECK(server->accepted() == 0);

    auto rules = http::address_rules::public_only();
    REQUIRE(rules.allow("127.0.0.0/8"));
    options.addresses(rules);
    const auto client = net.connect(server->local_port(), options);
    CHECK(net.get(*client, "/x")->status == 200);
}

TEST_CASE("who asks is told how long a name was looked up, and of an address nothing") {
    loopback net;
    const auto server = net.serve(echo);
    const auto factory = http::make_transport_factory(net.env);
    for (const std::string host : {"localhost", "127.0.0.1"}) {
        CAPTURE(host);
        const auto client = factory(net.ex(), http::endpoint("http", host, server->local_port()), {}).value();
        std::vector<duration> told;
        http::exchange_options options;
        options.on_lookup([&](duration took) { told.push_back(took); });
        CHECK(net.get(*client, "/", options).has_value());
        CHECK(net.get(*client, "/", options).has_value());  // over the same connection
        CHECK(told.size() == (host == "localhost" ? 1 : 0));
        for (const duration took : told) CHECK(took >= duration::zero());
    }
}
