// The tests' own environment must not lie.
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::manual_environment;

TEST_CASE("timers fire in order, each at its time, those set on the way included") {
    manual_environment env;
    boost::asio::io_context context;
    const auto begun = env.now();
    std::vector<duration> fired;
    const auto a = env.make_timer(context.get_executor());
    const auto b = env.make_timer(context.get_executor());
    a->async_wait(begun + 2s, [&](bool) {
        fired.push_back(env.now() - begun);
        b->async_wait(begun + 3s, [&](bool) { fired.push_back(env.now() - begun); });
    });
    CHECK(env.next_timer() == begun + 2s);
    env.advance(5s, context);
    CHECK((fired == std::vector<duration>{2s, 3s}));
    CHECK(env.now() == begun + 5s);
    CHECK(!env.next_timer());
}

TEST_CASE("files, variables and watches") {
    manual_environment env;
    boost::asio::io_context context;
    env.files = {{"/d/b", "2"}, {"/d/a", "1"}, {"/d/sub/c", "3"}};
    CHECK(env.read_file("/d/a", 10).value() == "1");
    CHECK(env.read_file("/d/a", 0).error() == errc::too_large);
    CHECK(env.read_file("/x", 10).error() == errc::file_failed);
    CHECK((env.list_directory("/d").value() == std::vector<std::string>{"a", "b"}));
    int calls = 0;
    const auto watch = env.watch_directory(context.get_executor(), "/d").value();
    watch->start([&] { ++calls; });
    env.touch("/d");
    env.touch("/e");
    manual_environment::run_ready(context);
    CHECK(calls == 1);
    env.touch("/d");
    watch->stop();
    manual_environment::run_ready(context);
    CHECK(calls == 1);
}
