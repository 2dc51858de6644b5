// Server-sent events: what clients get, and clients that are slow, too many or gone. See also the monitor's.
#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"
#include "support/throws.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <list>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::http;
using namespace std::chrono_literals;
using test::fake_responder;

namespace {

struct fixture {
    explicit fixture(event_stream_options options = {})
        : stream(env, options, logger([this](const log_record& r) { log.emplace_back(r.message); })) {}
    ~fixture() {
        client.go_away();
        env.run_ready(context);
    }
    void connect(fake_responder& to, event_stream::opening first = {}) {
        testing::start(context, stream.serve(to, event_stream_head(), std::move(first)));
        env.run_ready(context);
    }
    void publish(std::string event) {
        stream.publish(std::move(event));
        env.run_ready(context);
    }

    testing::manual_environment env;
    boost::asio::io_context context;
    std::vector<std::string> log;
    event_stream stream;
    fake_responder client{env};
};

awaitable<result<void>> greet(responder& to) {
    auto written = co_await to.write("hello ");
    co_return written;
}

}  // namespace

TEST_CASE("every client gets what comes first and then all events, those included that came meanwhile") {
    fixture f;
    fake_responder other(f.env);
    f.publish("nobody ");
    f.client.stalled = true;
    f.connect(f.client, greet);
    f.connect(other);
    f.publish("one ");
    CHECK(f.client.body.empty());
    CHECK(other.body == "one ");
    f.client.stalled = false;
    f.client.resume.notify_all();
    f.env.run_ready(f.context);
    f.publish("two ");
    CHECK(f.client.body == "hello one two ");
    CHECK(other.body == "one two ");
    CHECK(f.client.head.headers.get("Content-Type") == "text/event-stream");
    CHECK(f.client.head.headers.get("X-Accel-Buffering") == "no");
    CHECK(f.client.head.headers.get("Cache-Control") == "no-store");
    CHECK(f.stream.clients() == 2);
    other.go_away();
    f.env.run_ready(f.context);
    CHECK(f.stream.clients() == 1);
}

TEST_CASE("an opening that fails ends the stream") {
    fixture f;
    const event_stream::opening fails = [](responder&) -> awaitable<result<void>> { co_return error(errc::stopped); };
    f.connect(f.client, fails);
    CHECK(f.stream.clients() == 0);
}

TEST_CASE("an opening that throws ends the stream, and is the handler's exception, which its server knows to take") {
    for (const test::thrown what : test::all_thrown) {
        fixture f;
        fake_responder other(f.env);
        const event_stream::opening throws = [what](responder&) -> awaitable<result<void>> {
            test::throw_it(what);
            co_return result<void>();
        };
        bool threw = false;
        const auto serve = [](fixture& of, event_stream::opening first, bool& out) -> awaitable<void> {
            try {
                co_await of.stream.serve(of.client, event_stream_head(), std::move(first));
            } catch (...) {
                out = true;
            }
        };
        f.connect(other);
        testing::start(f.context, serve(f, throws, threw));
        f.env.run_ready(f.context);
        CHECK(threw);
        CHECK(f.stream.clients() == 1);
        f.publish("one ");
        CHECK(other.take() == "one ");
        other.go_away();
        f.env.run_ready(f.context);
        CHECK(f.stream.clients() == 0);
    }
}

TEST_CASE("silence is broken by a comment; who falls too far behind is cut off") {
    fixture f(event_stream_options().heartbeat(10s).max_queued_bytes(10));
    f.connect(f.client);
    f.env.advance(9s, f.context);
    CHECK(f.client.take().empty());
    f.env.advance(2s, f.context);
    CHECK(f.client.take() == ": still here\n\n");
    f.client.stalled = true;
    f.publish("one ");  // being written
    f.publish("two ");
    f.publish("three and more ");
    CHECK(f.stream.clients() == 1);
    f.client.stalled = false;
    f.client.resume.notify_all();
    f.env.run_ready(f.context);
    CHECK(f.client.take() == "one : too slow; reconnect for the present state\n\n");
    CHECK(f.stream.clients() == 0);
    CHECK(f.stream.disconnected() == 1);
}

TEST_CASE("who is too far behind is cut off at once, without waiting for it to read on") {
    fixture f(event_stream_options().max_queued_bytes(10));
    f.connect(f.client);
    f.client.stalled = true;
    f.publish("one ");  // being written
    f.env.advance(2s, f.context);
    f.publish("two ");
    CHECK(f.stream.disconnected() == 0);
    CHECK(f.stream.queued_bytes() == 4);
    f.publish("three and more ");
    CHECK(f.stream.disconnected_slow() == 1);
    CHECK(f.client.aborted);
    CHECK(f.stream.clients() == 0);
    CHECK(f.stream.queued_bytes() == 0);
    CHECK(f.log.size() == 1);
}

TEST_CASE("a crowd that does not read costs no more than one that does not") {
    fixture f(event_stream_options().max_queued_bytes(1000).max_clients(1000));
    std::list<fake_responder> crowd;
    for (int i = 0; i < 900; ++i) {
        crowd.emplace_back(f.env);
        f.connect(crowd.back());
        crowd.back().stalled = true;
    }
    f.connect(f.client);
    f.publish("being written");
    f.env.advance(2s, f.context);
    const std::string event(100, 'x');
    for (int i = 0; i < 10; ++i) f.publish(event);
    CHECK(f.stream.queued_bytes() == 1000);
    CHECK(f.stream.disconnected() == 0);
    f.publish(event);
    CHECK(f.stream.disconnected() == 900);
    CHECK(f.stream.clients() == 1);
    CHECK(f.client.body == "being written" + std::string(1100, 'x'));
    CHECK(f.log.size() == 1);  // not 900
    f.client.take();
    f.publish("next");
    CHECK(f.client.take() == "next");
}

TEST_CASE("a new client takes the place of the one that is stuck the longest, or is refused") {
    fixture f(event_stream_options().max_clients(2));
    fake_responder other(f.env), late(f.env), later(f.env);
    f.connect(f.client);
    f.connect(other);
    f.connect(late);  // both read
    CHECK(late.head.status == 503);
    CHECK(late.head.headers.get("Retry-After") == "10");
    CHECK(f.stream.refused() == 1);
    other.stalled = true;
    f.publish("one ");
    f.env.advance(1ms, f.context);
    f.client.stalled = true;
    f.publish("two ");
    f.connect(late);  // stuck for no time yet
    CHECK(f.stream.refused() == 2);
    f.env.advance(1s, f.context);
    f.connect(late);
    CHECK(late.head.status == 200);
    CHECK(other.aborted);
    CHECK_FALSE(f.client.aborted);
    CHECK(f.stream.clients() == 2);
    CHECK(f.stream.disconnected_for_capacity() == 1);
    f.connect(later, greet);
    CHECK(f.client.aborted);
    CHECK(later.body == "hello ");
    CHECK(f.log.size() == 1);
    for (auto* each : {&late, &later}) each->go_away();
    f.env.run_ready(f.context);
    CHECK(f.stream.clients() == 0);
}

TEST_CASE("who is stuck in what comes first can be cut off, too") {
    fixture f(event_stream_options().max_clients(1));
    f.client.stalled = true;
    f.connect(f.client, greet);
    f.env.advance(1s, f.context);
    fake_responder other(f.env);
    f.connect(other, greet);
    CHECK(f.client.aborted);
    CHECK(other.body == "hello ");
    other.go_away();
    f.env.run_ready(f.context);
}
