#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <sys/stat.h>

using namespace kcontrol;
using testing::temporary_directory;

TEST_CASE("clocks do not go back and randomness differs") {
    system_environment env;
    const auto first = env.now();
    CHECK(env.now() >= first);
    CHECK(env.wall_now() > wall_time(std::chrono::hours(24 * 365 * 50)));
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(env.random());
    CHECK(seen.size() == 1000);
    system_environment other;
    CHECK(other.random() != system_environment().random());
    for (int i = 0; i < 100; ++i) {
        const double unit = random_unit(env);
        CHECK(unit >= 0.0);
        CHECK(unit < 1.0);
    }
}

TEST_CASE("the clock that counts suspension goes as the other one does while the machine is awake") {
    system_environment env;
    const auto at = env.now(), boot = env.boot_now();
    const auto later = env.now() + std::chrono::milliseconds(20);  // measures: the clocks themselves
    while (env.now() < later) {
    }
    const duration passed = env.boot_now() - boot;
    CHECK(passed >= std::chrono::milliseconds(20));
    CHECK(passed <= env.now() - at + std::chrono::milliseconds(1));
}

TEST_CASE("a timer expires, and a cancelled one says so") {
    system_environment env;
    boost::asio::io_context context;
    const auto due = env.make_timer(context.get_executor());
    const auto far = env.make_timer(context.get_executor());
    std::optional<bool> due_result;
    std::optional<bool> far_result;
    due->async_wait(env.now(), [&](bool expired) {
        due_result = expired;
        far->cancel();
    });
    CHECK(!due_result);  // never from inside the call
    far->async_wait(env.now() + std::chrono::hours(1), [&](bool expired) { far_result = expired; });
    context.run();
    CHECK(due_result == true);
    CHECK(far_result == false);
    far->cancel();  // nothing waits
}

TEST_CASE("reading files") {
    system_environment env;
    temporary_directory dir;
    dir.write("a", "hello");
    CHECK(env.read_file(dir.path("a"), 5).value() == "hello");
    const auto large = env.read_file(dir.path("a"), 4);
    CHECK(large.error() == errc::too_large);
    CHECK(large.error().what().find("larger than 4 bytes") != std::string::npos);
    const auto missing = env.read_file(dir.path("no"), 10);
    CHECK(missing.error() == errc::file_failed);
    CHECK(missing.error().what().find(dir.path("no")) != std::string::npos);
    CHECK(missing.error().what().find("No such file") != std::string::npos);
    CHECK(env.read_file(dir.path(""), 10).error() == errc::file_failed);
    dir.write("big", std::string(100'000, 'x'));
    CHECK(env.read_file(dir.path("big"), 1 << 20).value().size() == 100'000);
}

TEST_CASE("listing a directory gives regular files in order, links followed") {
    system_environment env;
    temporary_directory dir;
    dir.write("b", "");
    dir.write("a", "");
    std::filesystem::create_directory(dir.path("sub"));
    std::filesystem::create_symlink("a", dir.path("link"));
    std::filesystem::create_symlink("nowhere", dir.path("dangling"));
    const auto names = env.list_directory(dir.path(""));
    REQUIRE(names.has_value());
    CHECK(*names == std::vector<std::string>{"a", "b", "link"});
    CHECK(env.list_directory(dir.path("none")).error() == errc::file_failed);
    CHECK(env.list_entries(dir.path("none")).error() == errc::file_failed);
}

TEST_CASE("all that is in a directory has its kind, and what is no regular file is not waited for") {
    system_environment env;
    temporary_directory dir;
    dir.write("file", "hello");
    std::filesystem::create_directory(dir.path("sub"));
    std::filesystem::create_symlink("/dev/null", dir.path("device"));
    std::filesystem::create_symlink("nowhere", dir.path("dangling"));
    REQUIRE(::mkfifo(dir.path("pipe").c_str(), 0600) == 0);
    const auto all = env.list_entries(dir.path(""));
    REQUIRE(all.has_value());
    CHECK(*all == std::vector<directory_entry>{{"device", file_kind::device},
                                               {"file", file_kind::regular},
                                               {"pipe", file_kind::fifo},
                                               {"sub", file_kind::directory}});
    CHECK(env.read_regular_file(dir.path("file"), 5).value() == "hello");
    CHECK(env.read_regular_file(dir.path("file"), 4).error() == errc::too_large);
    for (const char* name : {"device", "pipe", "sub", "none"}) {
        CAPTURE(name);
        CHECK(env.read_regular_file(dir.path(name), 5).error() == errc::file_failed);
    }
}

TEST_CASE("variables") {
    const system_environment env;
    CHECK(env.variable("PATH"));
    CHECK(!env.variable("KCONTROL_TEST_NO_SUCH_VARIABLE"));
}

TEST_CASE("a directory watch reports changes, and none after stop") {
    system_environment env;
    temporary_directory dir;
    boost::asio::io_context context;
    auto watch = env.watch_directory(context.get_executor(), dir.path("")).value();
    int calls = 0;
    watch->start([&] {
        ++calls;
        if (calls == 2) watch->stop();
    });
    dir.write("a", "1");
    while (calls < 1) context.run_one();
    CHECK(calls == 1);  // creating, writing and closing came together
    std::filesystem::rename(dir.path("a"), dir.path("b"));
    while (calls < 2) context.run_one();
    dir.write("c", "1");
    context.run();  // returns: nothing is waited for any more
    CHECK(calls == 2);
    CHECK(env.watch_directory(context.get_executor(), dir.path("none")).error() == errc::file_failed);
    CHECK(env.watch_directory(context.get_executor(), dir.path("b")).error() == errc::file_failed);
}

TEST_CASE("a directory watch may be destroyed inside its call") {
    system_environment env;
    temporary_directory dir;
    boost::asio::io_context context;
    auto watch = env.watch_directory(context.get_executor(), dir.path("")).value();
    watch->start([&] { watch.reset(); });
    dir.write("a", "1");
    context.run();
    CHECK(!watch);
}

TEST_CASE("a directory watch is started again after a stop, also inside its call; a second start replaces the call") {
    system_environment env;
    temporary_directory dir;
    boost::asio::io_context context;
    auto watch = env.watch_directory(context.get_executor(), dir.path("")).value();
    int first = 0, second = 0;
    watch->start([&] {
        ++first;
        watch->stop();
        watch->start([&] { ++second; });
    });
    dir.write("a", "1");
    while (first < 1) context.run_one();
    dir.write("b", "1");
    while (second < 1) context.run_one();
    watch->stop();
    context.restart();
    context.run();
    CHECK(first == 1);
    const int seen = second;
    watch->start([&] { FAIL("replaced"); });
    watch->start([&] { ++second; });
    dir.write("c", "1");
    context.restart();
    while (second == seen) context.run_one();
    watch->stop();
    context.run();
}
