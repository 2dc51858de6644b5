#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/throws.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace kcontrol;

namespace {

// Until a signal that was raised has been handled; the poll is Asio's own wait for its pipe.
template <class Done>
void run_until(boost::asio::io_context& context, Done done) {
    context.restart();
    while (!done() && context.run_one() > 0) {
    }
}

// A process that is stopped by the first signal and never done. It ends with another status than 1 where the first
// signal ends it, and where the second one does not.
[[noreturn]] void stop_and_hang(int first, int second) {
    ::alarm(60);
    boost::asio::io_context context;
    std::stop_source stop;
    const signal_stop signals(context.get_executor(), stop);
    std::raise(first);
    run_until(context, [&] { return stop.stop_requested(); });
    std::atexit([] { ::_exit(3); });  // at once: nothing that a program does at its end
    std::raise(second);
    run_until(context, [] { return false; });
    ::_exit(2);
}

}  // namespace

TEST_CASE("each signal is one call, until it is cancelled") {
    boost::asio::io_context context;
    int calls = 0;
    signal_calls on_usr2(context.get_executor(), {SIGUSR2}, [&] { ++calls; });
    for (int i = 1; i <= 3; ++i) {
        std::raise(SIGUSR2);
        run_until(context, [&] { return calls == i; });
        CHECK(calls == i);
    }
    on_usr2.cancel();
    on_usr2.cancel();
    std::raise(SIGUSR2);  // without effect while the object lives
    run_until(context, [] { return false; });
    CHECK(calls == 3);
}

TEST_CASE("a call that throws is told, and the next signal calls again") {
    for (const test::thrown what : test::all_thrown) {
        boost::asio::io_context context;
        int calls = 0;
        std::string told;
        const logger log([&told](const log_record& record) {
            for (const auto& field : record.fields) told += field.value + "\n";
        });
        const auto call = [&] {
            ++calls;
            test::throw_it(what);
        };
        const signal_calls on_usr2(context.get_executor(), {SIGUSR2}, call, log);
        for (int i = 1; i <= 2; ++i) {
            std::raise(SIGUSR2);
            run_until(context, [&] { return calls == i; });
            CHECK(calls == i);
        }
        const std::string once = std::string("a handler of signals\n") + test::text_of(what) + "\n";
        CHECK(told == once + once);
    }
}

TEST_CASE("a call may destroy what makes it, and several may wait for one signal") {
    boost::asio::io_context context;
    int first = 0, second = 0;
    std::unique_ptr<signal_calls> one =
        std::make_unique<signal_calls>(context.get_executor(), std::initializer_list<int>{SIGUSR1, SIGHUP}, [&] {
            ++first;
            one.reset();
        });
    signal_calls other(context.get_executor(), {SIGUSR1}, [&] { ++second; });
    std::raise(SIGUSR1);
    run_until(context, [&] { return first == 1 && second == 1; });
    std::raise(SIGUSR1);
    run_until(context, [&] { return second == 2; });
    CHECK(first == 1);
    CHECK(second == 2);
}

TEST_CASE("the first signal stops, and says so in the log") {
    boost::asio::io_context context;
    std::stop_source stop;
    std::string logged;
    signal_stop signals(context.get_executor(), stop,
                        logger([&](const log_record& record) { logged += record.message; }));
    std::raise(SIGTERM);
    run_until(context, [&] { return stop.stop_requested(); });
    CHECK(stop.stop_requested());
    CHECK(logged == "stopping; a second signal ends the process at once");
    signals.cancel();
    run_until(context, [] { return false; });  // returns: nothing is waited for
}

TEST_CASE("the second signal ends the process at once, with status 1, whichever of the two it is") {
    for (const auto& [first, second] : {std::pair(SIGTERM, SIGTERM), std::pair(SIGINT, SIGTERM)}) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) stop_and_hang(first, second);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 1);
    }
}
