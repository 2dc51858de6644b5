// Server-sent events: their text, the queue of a client, and clients that are slow or go. See also the monitor's.
#include <kcontrol/serve/event_stream.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace kcontrol;
using namespace kcontrol::http;
using namespace std::chrono_literals;
using test::fake_responder;

namespace {

struct fixture {
    explicit fixture(event_stream_options options = {}) : stream(env, options) {}
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
    event_stream stream;
    fake_responder client{env};
};

awaitable<result<void>> greet(responder& to) {
    auto written = co_await to.write("hello ");
    co_return written;
}

}  // namespace

TEST_CASE("events look as the standard has them") {
    CHECK(format_event(7, "job", "{}") == "id: 7\nevent: job\ndata: {}\n\n");
}

TEST_CASE("the queue joins events up to a size, gives at least one, and overflows once for all") {
    event_queue queue(10);
    const auto text = [](const char* t) { return std::make_shared<const std::string>(t); };
    queue.push(text("aaa"));
    queue.push(text("bbb"));
    queue.push(text("cccc"));
    CHECK(queue.take(6) == "aaabbb");
    CHECK(queue.take(1) == "cccc");
    CHECK(queue.take(1).empty());
    queue.push(text("0123456789"));
    CHECK_FALSE(queue.overflowed());
    queue.push(text("x"));
    CHECK(queue.overflowed());
    CHECK(queue.empty());
    queue.push(text("y"));
    CHECK(queue.empty());
}

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
    CHECK(f.stream.cut_off() == 1);
}
