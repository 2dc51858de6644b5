// Running coroutines in tests.
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::manual_environment;

// Neither default-constructible nor copyable.
struct ticket {
    explicit ticket(int n) : number(n) {}
    ticket(ticket&&) = default;
    ticket& operator=(ticket&&) = delete;
    int number;
};

awaitable<ticket> after(environment& env, duration d) {
    co_await sleep_for(env, d, {});
    co_return ticket(7);
}

awaitable<void> forever(async_event& never, environment& env) { co_await never.wait(env, {}); }

awaitable<void> fails() {
    throw std::logic_error("mine");
    co_return;
}

TEST_CASE("run() gives back what a coroutine returns, in virtual time") {
    boost::asio::io_context context;
    manual_environment env;
    const auto begun = env.now();
    CHECK(testing::run(context, env, after(env, 1h)).number == 7);
    CHECK(env.now() - begun == 1h);
    CHECK(testing::run(context, after(env, 0s)).number == 7);
}

TEST_CASE("run() throws what a coroutine throws") {
    boost::asio::io_context context;
    manual_environment env;
    CHECK_THROWS_AS(testing::run(context, fails()), std::logic_error);
    CHECK_THROWS_AS(testing::run(context, env, fails()), std::logic_error);
    testing::start(context, fails());
    CHECK_THROWS_AS(manual_environment::run_ready(context), std::logic_error);
}

TEST_CASE("run() throws where a coroutine waits for nothing, which may still end later") {
    boost::asio::io_context context;
    manual_environment env;
    async_event never;
    CHECK_THROWS_AS(testing::run(context, forever(never, env), 10ms), std::runtime_error);
    CHECK_THROWS_AS(testing::run(context, env, forever(never, env)), std::runtime_error);
    never.notify_all();
    manual_environment::run_ready(context);
    CHECK(!never.has_waiters());
}

}  // namespace
