// The set-up step of run(): which functions can be one, and what becomes of their errors, exceptions and delays.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/manager/run.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using kcontrol::testing::manual_environment;
using kcontrol::testing::scripted_transport;

struct bench {
    bench() : m(env, context.get_executor(), connect(), {}) {}

    client connect() {
        auth::cluster_config config;
        config.server(http::endpoint("https", "api.test", 6443));
        return client::connect(env, context.get_executor(), config, net->factory()).value();
    }

    template <class F>
    void begin(F& f) {
        step.emplace(detail::make_setup_step(f));
        testing::start(context, into(*this));
        manual_environment::run_ready(context);
    }
    static awaitable<void> into(bench& b) {
        b.outcome = co_await detail::run_setup(b.m, *b.step, 5s, b.stop.get_token());
    }
    void advance(duration d) { env.advance(d, context); }
    std::string told() const {
        if (!outcome) return "waits";
        return *outcome ? "well" : outcome->error().what();
    }

    boost::asio::io_context context;
    manual_environment env;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>(env);
    manager m;
    std::stop_source stop;
    std::optional<detail::setup_step> step;
    std::optional<result<void>> outcome;
};

template <class F>
std::string told_of(F f) {
    bench b;
    b.begin(f);
    return b.told();
}

TEST_CASE("setup: plain functions and coroutines, with and without a result and a stop token") {
    int calls = 0;
    CHECK(told_of([&](manager&) { ++calls; }) == "well");
    CHECK(told_of([&](manager&, std::stop_token) { ++calls; }) == "well");
    CHECK(told_of([&](manager&) -> result<void> { return ++calls, result<void>(); }) == "well");
    CHECK(told_of([&](manager&) -> result<int> { return ++calls; }) == "well");
    CHECK(told_of([&](manager&) -> awaitable<void> {
              ++calls;
              co_return;
          }) == "well");
    CHECK(told_of([&](manager&, std::stop_token) -> awaitable<result<std::string>> {
              ++calls;
              co_return std::string("x");
          }) == "well");
    CHECK(calls == 6);
    const auto plain = [](manager&) {};
    const auto waits = [](manager&) -> awaitable<void> { co_return; };
    CHECK_FALSE(detail::make_setup_step(plain).waits);
    CHECK(detail::make_setup_step(waits).waits);
}

TEST_CASE("setup: an error and an exception end it with their message") {
    const error why(errc::invalid_argument, "no CRD");
    CHECK(told_of([&](manager&) -> result<void> { return why; }) == why.what());
    CHECK(told_of([&](manager&) -> awaitable<result<int>> { co_return why; }) == why.what());
    CHECK(told_of([&](manager&) { throw std::runtime_error("boom"); }).find("the set-up step threw: boom") == 0);
    CHECK(told_of([&](manager&) -> awaitable<void> {
              throw std::runtime_error("boom");
              co_return;
          }).find("the set-up step threw: boom") == 0);
}

TEST_CASE("setup: it may wait, and talk to the server") {
    bench b;
    const auto f = [](manager& m) -> awaitable<result<void>> {
        co_await sleep_for(m.env(), 10s, {});
        co_return result<void>();
    };
    b.begin(f);
    b.advance(9s);
    CHECK(b.told() == "waits");
    b.advance(1s);
    CHECK(b.told() == "well");
}

TEST_CASE("setup: a stop reaches it, and is no failure") {
    bench b;
    const auto f = [](manager& m, std::stop_token stop) -> awaitable<result<void>> {
        const wake why = co_await sleep_for(m.env(), 1h, stop);
        if (why == wake::stopped) co_return error(errc::stopped);
        co_return result<void>();
    };
    b.begin(f);
    b.advance(1min);
    CHECK(b.told() == "waits");
    b.stop.request_stop();
    b.advance(0s);
    CHECK(b.told() == "well");
}

TEST_CASE("setup: one that does not listen has its time after a stop, and no more") {
    for (const duration takes : {duration(4s), duration(6s)}) {
        bench b;
        const auto f = [takes](manager& m) -> awaitable<void> { co_await sleep_for(m.env(), takes, {}); };
        b.begin(f);
        b.stop.request_stop();
        b.advance(takes - 1s);
        const bool in_time = takes < duration(5s);
        if (in_time) CHECK(b.told() == "waits");
        b.advance(1s);
        if (in_time) {
            CHECK(b.told() == "well");
        } else {
            CHECK(b.told().find("the set-up step has not returned in time after the stop") == 0);
        }
        b.advance(1min);
    }
}

TEST_CASE("setup: run() takes them all") {
    char name[] = "program", help[] = "--help";
    char* arguments[] = {name, help};
    CHECK(kcontrol::run(2, arguments, [](manager&) {}) == 0);
    CHECK(kcontrol::run(2, arguments, [](manager&, std::stop_token) -> awaitable<result<int>> { co_return 1; }) == 0);
}

}  // namespace
