#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_network.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

// Answers /hello at once, /stream with a piece a second, for ever, and /large with as many KiB as it says.
awaitable<void> serve(environment& env, http::server_request req, http::responder& out) {
    if (req.target.starts_with("/large/")) {
        (void)co_await out.start(http::response_head(200));
        for (int i = std::stoi(req.target.substr(7)); i > 0; --i) {
            auto written = co_await out.write(std::string(1024, 'x'));
            if (!written) co_return;
        }
        co_return;
    }
    if (req.target == "/stream") {
        (void)co_await out.start(http::response_head(200));
        for (int i = 0; i < 1000; ++i) {
            auto written = co_await out.write("piece\n");
            if (!written) co_return;
            const wake reason = co_await sleep_for(env, 1s, out.disconnected());
            if (reason == wake::stopped) co_return;
        }
        co_return;
    }
    http::response answer(200, "text/plain", "hello");
    (void)co_await out.send(std::move(answer));
}

struct world {
    explicit world(std::uint64_t seed = 1) : context(seed), env(context), network(context, env) {
        network.listen("a", server, [this](http::server_request req, http::responder& out) {
            return serve(env, std::move(req), out);
        });
        transport = *network.factory()(client, http::endpoint("https", "a", 443), {});
    }

    result<http::response> get(std::string target, http::exchange_options options = {}, std::string method = "GET") {
        std::optional<result<http::response>> out;
        http::request req(std::move(method), std::move(target));
        asio::co_spawn(client, transport->round_trip(req, options),
                       [&](std::exception_ptr, result<http::response> r) { out.emplace(std::move(r)); });
        context.run_until([&] { return out.has_value(); }, env.now() + 1h);
        return *out;
    }

    sim_context context;
    sim_environment env;
    sim_network network;
    executor server = asio::make_strand(context.get_executor());
    executor client = asio::make_strand(context.get_executor());
    std::shared_ptr<http::transport> transport;
};

awaitable<void> read_all(std::shared_ptr<http::transport> transport, std::stop_token stop, std::string& text,
                         std::optional<error>& failure) {
    http::request req("GET", "/stream");
    http::exchange_options options;
    options.stop(stop);
    auto opened = co_await transport->open_stream(req, options);
    if (!opened) {
        failure.emplace(opened.error());
        co_return;
    }
    char buffer[64];
    while (true) {
        auto n = co_await opened->body->read_some(buffer, 30s, stop);
        if (!n) {
            failure.emplace(n.error());
            co_return;
        }
        if (*n == 0) co_return;
        text.append(buffer, *n);
    }
}

TEST_CASE("sim_network: a request reaches its host and comes back") {
    world w;
    const auto answer = w.get("/hello");
    REQUIRE(answer.has_value());
    CHECK(answer->status == 200);
    CHECK(answer->body == "hello");
    CHECK(w.network.requests("a") == 1);
}

TEST_CASE("sim_network: a whole answer that is written in pieces, and one that exceeds what is wanted") {
    world w;
    CHECK(w.get("/large/1000").value().body.size() == 1000 * 1024);
    const auto begun = w.env.now();
    const auto over = w.get("/large/1000000", http::exchange_options().max_body(std::size_t{200} << 10));
    CHECK(over.error() == errc::too_large);
    CHECK(w.env.now() - begun < 1s);
    // Who writes to a peer that has hung up is told, however much waits to be taken.
    CHECK(w.context.run_until([&] { return w.network.open_exchanges("a") == 0; }, w.env.now() + 1s));
    CHECK(w.get("/hello").has_value());
}

TEST_CASE("sim_network: refused, black-holed and unknown hosts") {
    world w;
    w.network.set_link("a", link_state::refused);
    CHECK(w.get("/hello").error() == errc::connection_refused);
    w.network.set_link("a", link_state::black_hole);
    const auto begin = w.env.now();
    CHECK(w.get("/hello", http::exchange_options().deadline(7s)).error() == errc::timeout);
    CHECK(w.env.now() == begin + 7s);
    w.transport = *w.network.factory()(w.client, http::endpoint("https", "nowhere", 443), {});
    CHECK(w.get("/hello").error() == errc::name_not_found);
}

TEST_CASE("sim_network: a stream arrives in slices and ends as the fault says") {
    struct row {
        const char* name;
        void (*inflict)(world&, std::stop_source&);
        error_code expected;
        duration within;
    };
    const row rows[] = {
        {"break", [](world& w, std::stop_source&) { w.network.break_connections("a"); }, errc::connection_lost, 1s},
        {"truncate", [](world& w, std::stop_source&) { w.network.truncate_connections("a"); }, errc::truncated, 1s},
        {"freeze", [](world& w, std::stop_source&) { w.network.freeze_connections("a"); }, errc::timeout, 31s},
        {"stop", [](world&, std::stop_source& s) { s.request_stop(); }, errc::stopped, 1s},
    };
    for (const auto& r : rows) {
        CAPTURE(r.name);
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            world w(seed);
            std::stop_source stop;
            std::string text;
            std::optional<error> failure;
            asio::co_spawn(w.client, read_all(w.transport, stop.get_token(), text, failure), asio::detached);
            w.context.run_for(10s);
            CHECK(text.size() >= 9 * 6);
            CHECK_FALSE(failure.has_value());
            r.inflict(w, stop);
            w.context.run_for(r.within);
            REQUIRE(failure.has_value());
            CHECK(failure->code() == r.expected);
            CHECK(w.network.open_exchanges("a") == 0);
        }
    }
}

TEST_CASE("sim_network: a write whose answer is lost has an unknown outcome") {
    world w;
    w.network.set_latency("a", 1s, 1s);
    std::optional<result<http::response>> out;
    http::request req("POST", "/hello");
    asio::co_spawn(w.client, w.transport->round_trip(req, {}),
                   [&](std::exception_ptr, result<http::response> r) { out.emplace(std::move(r)); });
    w.context.run_for(500ms);
    w.network.break_connections("a");
    w.context.run_for(1s);
    REQUIRE(out.has_value());
    CHECK(out->error() == errc::unknown_outcome);
}

}  // namespace
