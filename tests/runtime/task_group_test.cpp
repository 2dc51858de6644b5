// Groups of coroutines: who is waited for, and who is known to wait.
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::manual_environment;

struct bench {
    executor ex() { return context.get_executor(); }
    void ready() { manual_environment::run_ready(context); }
    // Waits for the group, as a stop does that is called by `caller`.
    awaitable<void> end(task_group& group, std::string said) {
        const executor mine = co_await asio::this_coro::executor;
        group.exclude(user_task::of(mine));
        const bool all = co_await group.join(env.now() + 30s);
        text += all ? said + " " : "too late: " + said + " ";
    }
    awaitable<void> end_from_deep(task_group& group) {
        co_await sleep_for(env, 1s, {});
        co_await end(group, "ended");
        text += "returned ";
    }

    boost::asio::io_context context;
    manual_environment env;
    std::string text;
};

}  // namespace

TEST_CASE_FIXTURE(bench, "a user task that waits for its own group is not waited for; others are") {
    task_group group(env, ex());
    group.spawn_user_task(end_from_deep(group));
    CHECK(group.running() == 1);
    CHECK(group.awaited() == 1);
    env.advance(1s, context);
    CHECK(text == "ended returned ");
    CHECK(group.running() == 0);

    text.clear();
    async_event release;
    group.spawn_user_task(end_from_deep(group));
    group.spawn_user_task(end_from_deep(group));  // both are left out
    group.spawn(end_from_deep(group));            // no user task: it waits for itself, until its time is up
    env.advance(2s, context);
    CHECK(text.empty());
    CHECK(group.awaited() == 1);
    env.advance(30s, context);
    CHECK(text == "too late: ended returned too late: ended returned too late: ended returned ");
    CHECK(group.awaited() == 0);
    CHECK(group.running() == 0);
}

TEST_CASE_FIXTURE(bench, "a user task of a group within a user task is known to the group above, and to no other") {
    task_group above(env, ex()), other(env, ex());
    std::unique_ptr<task_group> below;
    const auto owner = [&](task_group& waits_for) -> awaitable<void> {
        const executor mine = co_await asio::this_coro::executor;
        below = std::make_unique<task_group>(env, ex(), logger(), user_task::of(mine));
        below->spawn_user_task(end_from_deep(waits_for));
        co_await below->join();
        text += "owner ";
    };
    SUBCASE("the group above") {
        above.spawn_user_task(owner(above));
        env.advance(1s, context);
        // Without the user task its group is over, and so is the task that waited for that.
        CHECK(text == "owner ended returned ");
    }
    SUBCASE("another group") {
        other.spawn(owner(above));  // nothing of `above` runs: the wait is over at once
        env.advance(1s, context);
        CHECK(text == "ended returned owner ");
    }
    CHECK(above.running() == 0);
    CHECK(other.running() == 0);
}

TEST_CASE_FIXTURE(bench, "what a user task spawns on its executor belongs to it; on another one it does not") {
    task_group group(env, ex());
    const auto strand = asio::make_strand(ex());
    std::string known;
    const auto ask = [&](std::string name) -> awaitable<void> {
        const executor mine = co_await asio::this_coro::executor;
        if (user_task::of(mine)) known += name + " ";
    };
    group.spawn_user_task([](executor elsewhere, auto& question) -> awaitable<void> {
        const executor mine = co_await asio::this_coro::executor;
        asio::co_spawn(mine, question("child"), asio::detached);
        asio::co_spawn(elsewhere, question("stranger"), asio::detached);
        co_await question("itself");
    }(strand, ask));
    asio::co_spawn(context, ask("nobody"), asio::detached);
    ready();
    CHECK(known == "child itself ");
    CHECK_FALSE(user_task::of(executor()));
}

TEST_CASE_FIXTURE(bench, "a user task's executor is its group's in all but its name") {
    const auto strand = asio::make_strand(context);
    task_group group(env, strand);
    bool on_strand = false, posted_on_strand = false, kept_running = false;
    group.spawn_user_task([](auto at, environment& e, bool& here, bool& there, bool& kept) -> awaitable<void> {
        here = at.running_in_this_thread();
        const executor mine = co_await asio::this_coro::executor;
        CHECK(&asio::query(mine, asio::execution::context) == &at.get_inner_executor().context());
        asio::post(mine, [at, &there] { there = at.running_in_this_thread(); });
        co_await sleep_for(e, 1s, {});
        kept = true;
    }(strand, env, on_strand, posted_on_strand, kept_running));
    ready();
    CHECK(on_strand);
    CHECK(posted_on_strand);
    env.advance(1s, context);
    CHECK(kept_running);
    CHECK(group.running() == 0);
}

TEST_CASE_FIXTURE(bench, "join_present waits for those that run at the call, and for none that comes afterwards") {
    task_group group(env, ex());
    const auto take = [&](duration d) -> awaitable<void> { co_await sleep_for(env, d, {}); };
    const auto join = [&](std::string said, std::optional<time_point> deadline) -> awaitable<void> {
        const bool all = co_await group.join_present(deadline);
        text += (all ? "" : "too late: ") + said + " ";
    };
    testing::start(context, join("none", std::nullopt));
    ready();
    CHECK(text == "none ");
    group.spawn(take(1s));
    group.spawn_user_task(take(2s));
    testing::start(context, join("two", std::nullopt));
    testing::start(context, join("impatient", env.now() + 1500ms));
    ready();
    group.spawn(take(1h));
    group.spawn(take(1s));
    env.advance(1s, context);
    CHECK(text == "none ");
    env.advance(1s, context);
    CHECK(text == "none too late: impatient two ");
    CHECK(group.running() == 1);
    env.advance(1h, context);
    CHECK(group.running() == 0);
}
