#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::manual_environment;

namespace {

class world {
public:
    void ready() { manual_environment::run_ready(context); }
    void advance(duration d) { env.advance(d, context); }
    executor ex() { return context.get_executor(); }

    manual_environment env;
    boost::asio::io_context context;
    std::stop_source stop;
};

awaitable<void> wait_for(async_event& event, environment& env, std::stop_token stop, std::optional<time_point> deadline,
                         std::vector<wake>& out) {
    const wake reason = co_await event.wait(env, stop, deadline);
    out.push_back(reason);
}

awaitable<void> nap(environment& env, duration d, std::stop_token stop, std::vector<wake>& out) {
    const wake reason = co_await sleep_for(env, d, stop);
    out.push_back(reason);
}

using wakes = std::vector<wake>;

}  // namespace

TEST_CASE("a sleep ends at its time, or when stopped") {
    world w;
    wakes got;
    testing::start(w.context, nap(w.env, 5s, w.stop.get_token(), got));
    testing::start(w.context, nap(w.env, 10s, w.stop.get_token(), got));
    w.advance(4999ms);
    CHECK(got.empty());
    w.advance(1ms);
    CHECK((got == wakes{wake::timeout}));
    w.stop.request_stop();
    w.ready();
    CHECK((got == wakes{wake::timeout, wake::stopped}));
    CHECK(w.env.pending_timers() == 0);
    testing::start(w.context, nap(w.env, 1s, w.stop.get_token(), got));
    w.ready();
    CHECK(got.back() == wake::stopped);  // at once
    CHECK(got.size() == 3);
}

TEST_CASE("a sleep of no time ends without moving time") {
    world w;
    wakes got;
    testing::start(w.context, nap(w.env, 0s, {}, got));
    testing::start(w.context, nap(w.env, -1s, {}, got));
    w.ready();
    CHECK((got == wakes{wake::timeout, wake::timeout}));
}

TEST_CASE("an event wakes its waiters in order; one that nobody waits for is lost") {
    world w;
    async_event event;
    wakes first;
    wakes second;
    event.notify_all();
    testing::start(w.context, wait_for(event, w.env, {}, {}, first));
    testing::start(w.context, wait_for(event, w.env, {}, {}, second));
    w.ready();
    CHECK(event.has_waiters());
    CHECK(first.empty());
    event.notify_one();
    w.ready();
    CHECK((first == wakes{wake::notified}));
    CHECK(second.empty());
    event.notify_all();
    event.notify_all();
    w.ready();
    CHECK((second == wakes{wake::notified}));
    CHECK(!event.has_waiters());
    event.notify_one();
}

TEST_CASE("an event's wait ends by deadline or stop, and leaves nothing behind") {
    world w;
    async_event event;
    wakes got;
    testing::start(w.context, wait_for(event, w.env, w.stop.get_token(), w.env.now() + 3s, got));
    w.advance(3s);
    CHECK((got == wakes{wake::timeout}));
    CHECK(!event.has_waiters());
    testing::start(w.context, wait_for(event, w.env, w.stop.get_token(), w.env.now() + 3s, got));
    w.ready();
    w.stop.request_stop();
    w.ready();
    CHECK((got == wakes{wake::timeout, wake::stopped}));
    CHECK(!event.has_waiters());
    CHECK(w.env.pending_timers() == 0);
}

TEST_CASE("a context that goes takes along who waits with a deadline, also for an event of its own") {
    system_environment env;
    auto probe = std::make_shared<int>();
    const std::weak_ptr<int> left = probe;
    {
        boost::asio::io_context context;
        testing::start(context, [](environment& e, std::shared_ptr<int>) -> awaitable<void> {
            const auto own = std::make_shared<async_event>();
            co_await own->wait(e, {}, e.now() + 1h);
        }(env, std::move(probe)));
        context.poll();
        CHECK_FALSE(left.expired());
    }
    CHECK(left.expired());
}

TEST_CASE("the first of several reasons wins") {
    world w;
    async_event event;
    wakes got;
    testing::start(w.context, wait_for(event, w.env, w.stop.get_token(), w.env.now() + 1s, got));
    w.ready();
    event.notify_all();
    w.stop.request_stop();
    w.advance(2s);
    CHECK((got == wakes{wake::notified}));
}

TEST_CASE("destroying an event wakes its waiters") {
    world w;
    auto event = std::make_unique<async_event>();
    wakes got;
    testing::start(w.context, wait_for(*event, w.env, {}, {}, got));
    w.ready();
    event.reset();
    w.ready();
    CHECK((got == wakes{wake::stopped}));
}

TEST_CASE("a waiter that waits again is not woken twice by one notification") {
    world w;
    async_event event;
    int woken = 0;
    testing::start(w.context, [](async_event& e, environment& env, int& n) -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            const wake reason = co_await e.wait(env, {});
            if (reason == wake::notified) ++n;
        }
    }(event, w.env, woken));
    w.ready();
    for (int expected = 1; expected <= 3; ++expected) {
        event.notify_all();
        w.ready();
        CHECK(woken == expected);
    }
}

TEST_CASE("a context destroyed with sleepers leaks nothing") {  // the sanitizer's leak check decides
    system_environment env;
    wakes got;
    boost::asio::io_context context;
    testing::start(context, nap(env, 1h, {}, got));
    testing::start(context, nap(env, 1h, {}, got));
    context.poll();
    CHECK(got.empty());
}

TEST_CASE("a group waits for its tasks and survives their exceptions") {
    world w;
    std::vector<std::string> messages;
    const logger log([&](const log_record& r) { messages.emplace_back(r.fields.empty() ? "" : r.fields[0].value); });
    task_group group(w.env, w.ex(), log);
    wakes got;
    group.spawn(nap(w.env, 1s, {}, got));
    group.spawn(nap(w.env, 3s, w.stop.get_token(), got));
    group.spawn([](environment& env) -> awaitable<void> {
        co_await sleep_for(env, 2s, {});
        throw std::runtime_error("boom");
    }(w.env));
    CHECK(group.running() == 3);
    std::optional<bool> early;
    std::optional<bool> joined;
    const auto join = [](task_group& g, std::optional<time_point> deadline,
                         std::optional<bool>& out) -> awaitable<void> {
        const bool all = co_await g.join(deadline);
        out = all;
    };
    testing::start(w.context, join(group, w.env.now() + 1500ms, early));
    testing::start(w.context, join(group, std::nullopt, joined));
    w.advance(1s);
    CHECK(group.running() == 2);
    w.advance(500ms);
    CHECK(early == false);
    w.advance(500ms);
    CHECK((messages == std::vector<std::string>{"boom"}));
    CHECK(group.running() == 1);
    CHECK(!joined);
    w.stop.request_stop();
    w.ready();
    CHECK(group.running() == 0);
    CHECK(joined == true);
    std::optional<bool> empty;
    testing::start(w.context, join(group, std::nullopt, empty));
    w.ready();
    CHECK(empty == true);
}

TEST_CASE("a group may go before its tasks") {
    world w;
    wakes got;
    {
        task_group group(w.env, w.ex());
        group.spawn(nap(w.env, 1s, {}, got));
        w.ready();
    }
    w.advance(1s);
    CHECK(got.size() == 1);
}
