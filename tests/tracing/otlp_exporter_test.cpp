// Spans on their way to a collector: batches, repetitions, room, and the end. The collector is a host of the simulated
// network, and once the library's own server.
#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/metrics/metrics_registry.hpp>
#include <kcontrol/testing/sim_world.hpp>
#include <kcontrol/tracing/otlp_exporter.hpp>

#include "support/print.hpp"
#include "transport/fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;
using kcontrol::testing::link_state;

namespace {

std::size_t spans_in(const std::string& body) {
    std::size_t out = 0;
    for (auto at = body.find("\"spanId\""); at != std::string::npos; at = body.find("\"spanId\"", at + 1)) ++out;
    return out;
}

struct stage {
    explicit stage(otlp_options options = otlp_options::to("http://collector:4318/v1/traces").value()) {
        net().listen("collector", world.get_executor(), [this](http::server_request asked, http::responder& out) {
            return collect(std::move(asked), out);
        });
        const logger log([this](const log_record& r) {
            logged += std::string(r.message);
            for (const auto& field : r.fields) logged += " " + std::string(field.name) + "=" + field.value;
            logged += "\n";
        });
        options.header_field("api-key", secret_string("hush"));
        exporter =
            otlp_exporter::create(world.env(), world.get_executor(), std::move(options), net().factory(), log).value();
    }
    ~stage() {
        exporter.reset();
        world.run_for(1s);
    }

    testing::sim_network& net() { return world.network(); }

    awaitable<void> collect(http::server_request asked, http::responder& out) {
        seen.push_back(std::move(asked));
        arrived.push_back(world.env().now());
        http::response answer = how ? how(seen.size()) : http::response(200, "application/json", "{}");
        if (answer.status == 0) {  // says nothing
            async_event never;
            co_await never.wait(world.env(), out.disconnected());
            co_return;
        }
        auto sent = co_await out.send(std::move(answer));
        static_cast<void>(sent);
    }

    void tell(int count, bool sampled = true) {
        for (int i = 0; i < count; ++i) {
            trace_span span("reconcile", world.env().wall_now(), 1ms);
            span.context = trace_context().child(world.env());
            span.context.sampled = sampled;
            exporter->sink()(span);
        }
    }
    std::vector<std::size_t> batches() const {
        std::vector<std::size_t> out;
        for (const auto& one : seen) out.push_back(spans_in(one.body));
        return out;
    }
    bool stop(duration drain = 5s) {
        const time_point begun = world.env().now();
        const bool all = world.run(exporter->stop(drain));
        stopping = world.env().now() - begun;
        return all;
    }

    testing::sim_world world;
    std::function<http::response(std::size_t)> how;
    std::vector<http::server_request> seen;
    std::vector<time_point> arrived;
    std::string logged;
    std::unique_ptr<otlp_exporter> exporter;
    duration stopping{};
};

otlp_options small() { return otlp_options::to("http://collector:4318/v1/traces").value().max_batch(10).max_queue(25); }

using sizes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("spans go when a batch is full, and else after the schedule delay") {
    stage s(small());
    s.exporter->start();
    s.tell(3);
    s.world.run_for(4s);
    CHECK(s.seen.empty());
    s.world.run_for(2s);
    CHECK(s.batches() == sizes{3});
    const auto& first = s.seen.front();
    CHECK(first.method == "POST");
    CHECK(first.target == "/v1/traces");
    CHECK(first.headers.get("Content-Type") == "application/json");
    CHECK(first.headers.get("api-key") == "hush");
    json::document document;
    CHECK(document.parse(first.body));
    s.tell(21);
    s.world.run_for(100ms);
    CHECK(s.batches() == sizes{3, 10, 10});
    s.world.run_for(6s);
    CHECK(s.batches() == sizes{3, 10, 10, 1});
    s.tell(5, false);
    s.world.run_for(6s);
    const auto stats = s.exporter->stats();
    CHECK(stats.exported == 24);
    CHECK(stats.unsampled == 5);
    CHECK(stats.dropped == 0);
    CHECK(s.batches().size() == 4);
}

TEST_CASE("what the queue has no room for is dropped and counted, and nobody waits") {
    stage s(small());
    s.tell(30);  // not started yet: they are kept
    CHECK(s.exporter->stats().queued == 25);
    CHECK(s.exporter->stats().dropped == 5);
    s.exporter->start();
    s.world.run_for(6s);
    CHECK(s.exporter->stats().exported == 25);
    metrics_registry registry;
    registry.collect([&](metrics_writer& out) { write_trace_metrics(out, s.exporter->stats()); });
    CHECK(registry.text().find("kcontrol_trace_spans_total{outcome=\"dropped\"} 5\n") != std::string::npos);
    CHECK(registry.text().find("kcontrol_trace_spans_total{outcome=\"exported\"} 25\n") != std::string::npos);
}

TEST_CASE("which answers are worth another try") {
    struct row {
        int status;
        const char* retry_after;
        std::size_t most_requests;  // within 70 s
        std::size_t least_requests;
        bool again;
    };
    const row rows[] = {
        {200, "", 1, 1, false},   {204, "", 1, 1, false},
        {400, "", 1, 1, false},   {401, "", 1, 1, false},
        {404, "", 1, 1, false},   {413, "", 1, 1, false},
        {500, "", 1, 1, false},   {301, "", 1, 1, false},
        {429, "", 8, 4, true},    {502, "", 8, 4, true},
        {503, "", 8, 4, true},    {504, "", 8, 4, true},
        {429, "20", 3, 3, true},  {503, "Mon, 23 Nov 2026 07:00:00 GMT", 8, 4, true},
        {429, "600", 1, 1, true},
    };
    for (const row& one : rows) {
        CAPTURE(one.status);
        CAPTURE(std::string(one.retry_after));
        stage s(small());
        s.how = [&](std::size_t) {
            http::response out(one.status, "text/plain", "");
            if (*one.retry_after != 0) out.headers.set("Retry-After", one.retry_after);
            return out;
        };
        s.exporter->start();
        s.tell(4);
        s.world.run_for(75s);
        const auto stats = s.exporter->stats();
        CHECK(s.seen.size() <= one.most_requests);
        CHECK(s.seen.size() >= one.least_requests);
        CHECK(stats.retries == s.seen.size() - 1);
        CHECK(stats.exported == (one.status < 300 ? 4 : 0));
        CHECK(stats.rejected == (one.status >= 300 && !one.again ? 4 : 0));
        CHECK(stats.failed == (one.again ? 4 : 0));
        CHECK((s.logged.empty()) == (one.status < 300));
        CHECK(s.logged.find("hush") == std::string::npos);
        CHECK(s.stop());
    }
}

TEST_CASE("a collector that comes back gets what it could not take, at the time that it named") {
    stage s(small());
    s.how = [](std::size_t number) {
        http::response out(number < 3 ? 503 : 200, "application/json", "{}");
        if (number < 3) out.headers.set("Retry-After", "7");
        return out;
    };
    s.exporter->start();
    s.tell(4);
    s.world.run_for(30s);
    REQUIRE(s.seen.size() == 3);
    CHECK(s.arrived[1] - s.arrived[0] >= 7s);
    CHECK(s.arrived[1] - s.arrived[0] < 8s);
    CHECK(s.seen[2].body == s.seen[0].body);
    CHECK(s.exporter->stats().exported == 4);
    CHECK(s.exporter->stats().retries == 2);
}

TEST_CASE("what a collector takes in part") {
    stage s(small());
    s.how = [](std::size_t) {
        return http::response(200, "application/json",
                              R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too\nold"}})");
    };
    s.exporter->start();
    s.tell(4);
    s.world.run_for(10s);
    CHECK(s.exporter->stats().exported == 1);
    CHECK(s.exporter->stats().rejected == 3);
    CHECK_MESSAGE(s.logged.find("rejected some: too\\x0aold") != std::string::npos, s.logged);
}

TEST_CASE("nobody there, and no answer: tried again, and given up after a minute; spans that come meanwhile wait") {
    for (const link_state state : {link_state::refused, link_state::black_hole}) {
        stage s(small());
        s.net().set_link("collector", state);
        s.exporter->start();
        s.tell(4);
        s.world.run_for(10s);
        s.tell(30);
        CHECK(s.exporter->stats().queued == 25);
        CHECK(s.exporter->stats().dropped == 5);
        s.world.run_for(70s);
        CHECK(s.exporter->stats().failed >= 4);
        s.net().set_link("collector", link_state::up);
        s.world.run_for(2min);
        CHECK(s.exporter->stats().queued == 0);
        CHECK(s.exporter->stats().exported > 0);
        const auto stats = s.exporter->stats();
        CHECK(stats.exported + stats.failed + stats.dropped == 34);
        CHECK(s.stop());
    }
}

TEST_CASE("a stop sends what waits, in bounded time, at whatever step it comes") {
    struct row {
        const char* what;
        std::function<http::response(std::size_t)> how;
        duration before;
        duration most;
        bool all;
        std::size_t exported;
    };
    const auto take = [](std::size_t) { return http::response(200, "application/json", "{}"); };
    const auto silent = [](std::size_t) { return http::response(0); };
    const auto busy = [](std::size_t) { return http::response(503, "text/plain", ""); };
    const auto busy_once = [](std::size_t n) { return http::response(n == 1 ? 503 : 200, "application/json", "{}"); };
    const row rows[] = {
        {"while spans wait for others", take, 1s, 1s, true, 15},
        {"while the collector says nothing", silent, 6s, 3100ms, false, 0},
        {"between two tries, of which the next would come too late", busy, 6s, 3100ms, true, 0},
        {"between two tries", busy_once, 6s, 3100ms, true, 5},
    };
    for (const row& one : rows) {
        CAPTURE(std::string(one.what));
        stage s(small().schedule_delay(5s));
        s.how = one.how;
        s.exporter->start();
        s.tell(5);
        s.world.run_for(one.before);
        if (one.before < 5s) s.tell(10);
        const bool all = s.stop(3s);
        CHECK(s.stopping <= one.most);
        CHECK(s.exporter->stats().exported == one.exported);
        const auto stats = s.exporter->stats();
        CHECK(stats.queued == 0);
        CHECK(stats.exported + stats.failed + stats.dropped + stats.rejected == (one.before < 5s ? 15 : 5));
        if (one.all) CHECK(all);
        if (!one.all) CHECK_FALSE(all);
        CHECK(s.net().open_exchanges("collector") == 0);
        // It can be started again.
        s.how = take;
        s.exporter->start();
        s.exporter->start();
        s.tell(2);
        CHECK(s.stop());
        CHECK(s.exporter->stats().exported == one.exported + 2);
        CHECK(s.stop());
    }
}

TEST_CASE("its end without a stop: nothing is sent any more, and sinks that are left take nothing") {
    stage s(small());
    s.how = [](std::size_t) { return http::response(0); };
    s.exporter->start();
    const auto sink = s.exporter->sink();
    s.tell(10);
    s.world.run_for(1s);
    CHECK(s.seen.size() == 1);
    s.exporter.reset();
    s.world.run_for(1s);
    CHECK(s.net().open_exchanges("collector") == 0);
    trace_span span("queue", s.world.env().wall_now(), 1ms);
    span.context = trace_context().child(s.world.env());
    sink(span);
}

TEST_CASE("spans come from any thread, and over a real socket") {
    test::loopback net;
    std::size_t spans = 0;
    std::string key;
    const auto server = net.serve([&](http::server_request asked, http::responder& out) -> awaitable<void> {
        spans += spans_in(asked.body);
        key = asked.headers.get("api-key");
        http::response answer(200, "application/json", "{\"partialSuccess\":{}}");
        auto sent = co_await out.send(std::move(answer));
        static_cast<void>(sent);
    });
    auto options = otlp_options::to("http://127.0.0.1:" + std::to_string(server->local_port()) + "/v1/traces").value();
    options.header_field("api-key", secret_string("hush")).max_queue(100'000).max_batch(100);
    auto exporter = otlp_exporter::create(net.env, net.ex(), options, http::make_transport_factory(net.env)).value();
    exporter->start();
    std::vector<std::thread> threads;  // seam: ok, several that tell spans at once
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, sink = exporter->sink()] {
            for (int i = 0; i < 500; ++i) {
                trace_span span("reconcile", net.env.wall_now(), 1ms);
                span.context = trace_context().child(net.env);
                sink(span);
            }
        });
    }
    for (auto& one : threads) one.join();
    CHECK(test::run(net.context, exporter->stop(1min)));
    CHECK(spans == 2000);
    CHECK(key == "hush");
    CHECK(exporter->stats().exported == 2000);
}
