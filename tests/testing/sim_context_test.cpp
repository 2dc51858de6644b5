#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_environment.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

awaitable<void> worker(environment& env, sim_context& context, std::string name, std::string& log) {
    for (int i = 0; i < 3; ++i) {
        co_await sleep_for(env, 1s, {});
        log += name;
        context.trace(name);
    }
}

struct outcome {
    std::string log;
    std::uint64_t digest;
};

outcome run(std::uint64_t seed) {
    sim_context context(seed);
    sim_environment env(context);
    std::string log;
    for (const auto* name : {"a", "b", "c"}) {
        executor host = asio::make_strand(context.get_executor());
        asio::co_spawn(host, worker(env, context, name, log), asio::detached);
    }
    context.run_for(10s);
    return {log, context.digest()};
}

TEST_CASE("sim_context: equal seeds give equal runs, and some seed gives another order") {
    const auto first = run(7);
    CHECK(first.log.size() == 9);
    CHECK(run(7).log == first.log);
    CHECK(run(7).digest == first.digest);
    bool differs = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) differs = differs || run(seed).log != first.log;
    CHECK(differs);
}

TEST_CASE("sim_context: time jumps to timers and costs nothing") {
    sim_context context(1);
    sim_environment env(context);
    const auto begin = env.now();
    bool done = false;
    executor host = asio::make_strand(context.get_executor());
    asio::co_spawn(host, sleep_for(env, 1000h, {}), [&](std::exception_ptr, wake reason) {
        CHECK(reason == wake::timeout);
        done = true;
    });
    CHECK_FALSE(context.run_until([&] { return done; }, begin + 999h));
    const auto steps = context.steps();
    CHECK(context.run_until([&] { return done; }, begin + 1001h));
    CHECK(env.now() == begin + 1000h);
    CHECK(context.steps() - steps < 10);  // no step for each second that passes
}

TEST_CASE("sim_context: time that is skipped while it runs is not taken back at the end") {
    sim_context context(1);
    const executor host = asio::make_strand(context.get_executor());
    const auto begin = context.now();
    asio::post(host, [&context] { context.skip(1h); });
    context.run_for(1s);
    CHECK(context.now() == begin + 1h);
    asio::post(host, [&context] { context.skip(-1h); });
    context.run_for(1s);
    CHECK(context.now() == begin + 1h + 1s);
}

TEST_CASE("sim_context: a strand keeps order, whatever the seed") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        sim_context context(seed);
        const executor host = asio::make_strand(context.get_executor());
        std::string log;
        for (const char c : std::string("abcdef")) asio::post(host, [&log, c] { log += c; });
        context.run_for(1s);
        CHECK(log == "abcdef");
    }
}

TEST_CASE("sim_environment: a stop token ends a sleep at once") {
    sim_context context(3);
    sim_environment env(context);
    std::stop_source source;
    wake woken = wake::timeout;
    time_point at{};
    asio::co_spawn(context.get_executor(), sleep_for(env, 1h, source.get_token()),
                   [&](std::exception_ptr, wake reason) {
                       woken = reason;
                       at = env.now();
                   });
    context.run_for(1s);
    const auto stopped = env.now();
    source.request_stop();
    context.run_for(1s);
    CHECK(woken == wake::stopped);
    CHECK(at == stopped);
}

TEST_CASE("sim_environment: a directory watch hears of writes and removals in its directory") {
    sim_context context(3);
    sim_environment env(context);
    int calls = 0;
    auto watch = env.watch_directory(context.get_executor(), "/clusters");
    (*watch)->start([&] { ++calls; });
    env.write_file("/clusters/a", "x");
    env.write_file("/other/a", "x");
    context.run_for(1s);
    CHECK(calls == 1);
    env.remove_file("/clusters/a");
    context.run_for(1s);
    CHECK(calls == 2);
    CHECK(env.list_directory("/clusters")->empty());
    env.write_file("/clusters/b", "x");
    (*watch)->stop();  // nor of what it has yet to be told
    env.remove_file("/clusters/b");
    context.run_for(1s);
    CHECK(calls == 2);
}

awaitable<void> sleep_holding(environment& env, std::shared_ptr<int> held) {
    co_await sleep_for(env, 1h, {});
    ++*held;
}
awaitable<void> wait_holding(environment& env, async_event& event, std::shared_ptr<int> held) {
    co_await event.wait(env, {});
    ++*held;
}

TEST_CASE("sim_context: dies cleanly with coroutines suspended") {
    const auto held = std::make_shared<int>(0);
    {
        sim_context context(5);
        sim_environment env(context);
        auto event = std::make_unique<async_event>();
        asio::co_spawn(asio::make_strand(context.get_executor()), sleep_holding(env, held), asio::detached);
        asio::co_spawn(context.get_executor(), wait_holding(env, *event, held), asio::detached);
        context.run_for(1s);
        CHECK(held.use_count() == 3);
        event.reset();
    }
    CHECK(held.use_count() == 1);  // their frames are gone
    CHECK(*held == 0);             // and neither went on
}

}  // namespace
