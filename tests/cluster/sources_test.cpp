// Sources that the program fills: a channel, a timer, a function.
#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/cluster/function_source.hpp>
#include <kcontrol/cluster/timer_source.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::manual_environment;

namespace {

struct stage {
    any_event_handler note(std::string& into) {
        return [&into](const any_event& e) {
            CHECK(e.type == event_type::generic);
            into += to_string(e.object().key()) + " ";
        };
    }
    logger log() {
        return logger([this](const log_record& r) {
            told += std::string(r.message);
            for (const auto& f : r.fields) told += " " + std::string(f.name) + "=" + f.value;
            told += "\n";
        });
    }
    void ready() { manual_environment::run_ready(context); }
    void advance(duration d) { env.advance(d, context); }
    executor ex() { return context.get_executor(); }

    boost::asio::io_context context;
    manual_environment env;
    std::string told;
};

}  // namespace

TEST_CASE("a generic event of a name has an object of that name") {
    const any_event e = generic_event(namespaced_name("team", "web"));
    CHECK(e.type == event_type::generic);
    CHECK(to_string(e.object().key()) == "team/web");
    CHECK(e.object().is<metadata_object>());
}

TEST_CASE("a channel keeps events until somebody listens, and tells them in order, not inside send()") {
    stage s;
    channel_source channel(s.env, s.ex(), channel_options().name("webhook"));
    CHECK(channel.send(namespaced_name("ns", "a")));
    CHECK(channel.send(make_thing("b")));
    s.ready();
    CHECK(channel.waiting() == 2);
    CHECK(channel.describe() == "webhook, with 2 events that wait");
    CHECK(channel.kind() == "webhook");

    std::string first, second;
    auto hold = channel.subscribe(s.note(first));
    CHECK(first.empty());
    s.ready();
    CHECK(first == "ns/a ns/b ");
    auto other = channel.subscribe(s.note(second));
    CHECK(channel.send(make_thing("c")));
    CHECK(first == "ns/a ns/b ");
    s.ready();
    CHECK(first == "ns/a ns/b ns/c ");
    CHECK(second == "ns/c ");
    other.reset();
    hold.reset();
    CHECK(channel.send(make_thing("d")));
    s.ready();
    CHECK(channel.waiting() == 1);
    CHECK(first == "ns/a ns/b ns/c ");
    CHECK(testing::run(s.context, channel.wait_synced({}, std::nullopt)));
}

TEST_CASE("a full channel refuses and says so; an event without an object is no event") {
    stage s;
    channel_source channel(s.env, s.ex(), channel_options().capacity(2).name("webhook"));
    CHECK(channel.send(make_thing("a")));
    CHECK(channel.send(make_thing("b")));
    const auto full = channel.send(make_thing("c"));
    REQUIRE_FALSE(full);
    CHECK(full.error() == errc::limit_exceeded);
    CHECK(full.error().message() == "webhook: 2 events wait already, which is its capacity");
    CHECK(channel.refused() == 1);
    std::string seen;
    auto hold = channel.subscribe(s.note(seen));
    s.ready();
    CHECK(seen == "ns/a ns/b ");
    CHECK(channel.send(make_thing("c")));
    s.ready();
    CHECK(seen == "ns/a ns/b ns/c ");
    const auto empty = channel.send(any_event());
    REQUIRE_FALSE(empty);
    CHECK(empty.error() == errc::invalid_argument);
}

TEST_CASE("a channel has room for 1024 events unless it is said") {
    stage s;
    channel_source channel(s.env, s.ex(), channel_options().name("webhook"));
    const any_object thing = make_thing("a");
    for (int i = 0; i < 1024; ++i) REQUIRE(channel.send(thing));
    CHECK(channel.waiting() == 1024);
    CHECK(channel.send(thing).error().message() == "webhook: 1024 events wait already, which is its capacity");
}

TEST_CASE("a handler of a channel may throw, leave, and outlive the channel's owner") {
    stage s;
    auto channel = std::make_unique<channel_source>(s.env, s.ex(), channel_options().log(s.log()));
    std::string seen;
    auto throws = channel->subscribe([](const any_event&) { throw std::runtime_error("boom"); });
    subscription once;
    once = channel->subscribe([&](const any_event& e) {
        seen += e.object().meta().name.str() + " ";
        once.reset();
    });
    CHECK(channel->send(make_thing("a")));
    CHECK(channel->send(make_thing("b")));
    s.ready();
    CHECK(seen == "a ");
    CHECK(s.told.find("boom") != std::string::npos);
    CHECK(s.told.find("ns/a") != std::string::npos);
    CHECK(channel->send(make_thing("c")));
    channel.reset();
    s.ready();
    CHECK(seen == "a ");
}

TEST_CASE("a timer tells its name once a period, to each from when he subscribed") {
    stage s;
    timer_source timer(s.env, s.ex(), {"", "sweep"}, timer_options(10s).jitter(0).name("sweeper"));
    CHECK(timer.kind() == "sweeper");
    std::string first, second;
    auto hold = timer.subscribe(s.note(first));
    s.ready();
    s.advance(9999ms);
    CHECK(first.empty());
    s.advance(1ms);
    CHECK(first == "sweep ");
    s.advance(5s);
    auto other = timer.subscribe(s.note(second));
    s.ready();
    s.advance(5s);
    CHECK(first == "sweep sweep ");
    CHECK(second.empty());
    s.advance(5s);
    CHECK(second == "sweep ");
    hold.reset();
    other.reset();
    s.ready();
    CHECK(s.env.pending_timers() == 0);
    CHECK(s.context.stopped());
    s.advance(1min);
    CHECK(first == "sweep sweep ");
}

TEST_CASE("a timer's periods are longer by up to the jitter, it may begin at once, and a handler may throw") {
    stage s;
    timer_source timer(s.env, s.ex(), {"", "sweep"},
                       timer_options(10s).jitter(0.5).fire_immediately(true).log(s.log()));
    std::vector<duration> at;
    const time_point begun = s.env.now();
    auto hold = timer.subscribe([&](const any_event&) {
        at.push_back(s.env.now() - begun);
        throw std::runtime_error("boom");
    });
    s.ready();
    for (int i = 0; i < 200'000; ++i) s.advance(1ms);
    REQUIRE(at.size() > 12);
    CHECK(at[0] == 0s);
    duration shortest = 1h, longest = 0s;
    for (std::size_t i = 1; i < at.size(); ++i) {
        shortest = std::min(shortest, at[i] - at[i - 1]);
        longest = std::max(longest, at[i] - at[i - 1]);
    }
    CHECK(shortest >= 10s);
    CHECK(longest <= 15s + 1ms);
    CHECK(longest > shortest);
    CHECK(s.told.find("boom") != std::string::npos);
    hold.reset();
    s.ready();  // a context that dies with suspended coroutines would leak them
}

TEST_CASE("a function tells what it hears, until its subscriber goes") {
    stage s;
    async_event heard;
    bool ended = false;
    const auto listen = [&](event_sink to, std::stop_token stop) -> awaitable<result<void>> {
        to.emit(namespaced_name("ns", "first"));
        while (true) {
            const wake why = co_await heard.wait(s.env, stop);
            if (why == wake::stopped) break;
            to.emit(make_thing("next"));
        }
        to.emit(make_thing("too-late"));
        to.emit(any_event());
        ended = true;
        co_return result<void>();
    };
    function_source source(s.env, s.ex(), listen, function_options().name("queue"));
    CHECK(source.kind() == "queue");
    CHECK(testing::run(s.context, source.wait_synced({}, std::nullopt)));
    std::string seen;
    auto hold = source.subscribe(s.note(seen));
    s.ready();
    CHECK(seen == "ns/first ");
    heard.notify_all();
    s.ready();
    CHECK(seen == "ns/first ns/next ");
    hold.reset();
    s.ready();
    CHECK(ended);
    CHECK(seen == "ns/first ns/next ");
}

TEST_CASE("a function that fails is called again with backoff and told once; one that is done is not") {
    stage s;
    int calls = 0;
    const auto fails = [&](event_sink to, std::stop_token) -> awaitable<result<void>> {
        ++calls;
        if (calls == 1) throw std::runtime_error("boom");
        if (calls < 4) co_return error(errc::connection_lost, "the queue is gone");
        to.emit(make_thing("a"));
        co_return result<void>();
    };
    function_options options;
    options.name("queue").restart(backoff_policy().jitter(0).initial(1s)).log(s.log());
    function_source source(s.env, s.ex(), fails, options);
    std::string seen;
    auto hold = source.subscribe(s.note(seen));
    s.ready();
    CHECK(calls == 1);
    CHECK(source.describe().find("boom") != std::string::npos);
    s.advance(1s);
    CHECK(calls == 2);
    s.advance(1999ms);
    CHECK(calls == 2);
    s.advance(1ms);
    CHECK(calls == 3);
    s.advance(4s);
    CHECK(calls == 4);
    CHECK(seen == "ns/a ");
    CHECK(source.describe() == "queue");
    s.advance(10min);
    CHECK(calls == 4);
    const auto first = s.told.find("the queue is gone");
    REQUIRE(first != std::string::npos);
    CHECK(s.told.find("the queue is gone", first + 1) == std::string::npos);
    CHECK(s.told.find("source=queue") != std::string::npos);
}

TEST_CASE("a function that says when it is synced is waited for, and nobody waits for one whose subscriber has gone") {
    stage s;
    async_event known;
    const auto listen = [&](event_sink to, std::stop_token stop) -> awaitable<result<void>> {
        const wake why = co_await known.wait(s.env, stop);
        if (why == wake::notified) to.set_synced();
        co_return result<void>();
    };
    function_source source(s.env, s.ex(), listen, function_options().reports_synced(true));
    std::string seen;
    auto hold = source.subscribe(s.note(seen));
    s.ready();
    CHECK_FALSE(testing::run(s.context, s.env, source.wait_synced({}, s.env.now() + 5s)));
    CHECK(source.describe() == "function, whose function has not said set_synced()");
    known.notify_all();
    s.ready();
    CHECK(testing::run(s.context, source.wait_synced({}, std::nullopt)));
    CHECK(source.describe() == "function");
    auto another = source.subscribe(s.note(seen));
    s.ready();
    CHECK_FALSE(testing::run(s.context, s.env, source.wait_synced({}, s.env.now() + 5s)));
    another.reset();
    CHECK(testing::run(s.context, source.wait_synced({}, std::nullopt)));
}
