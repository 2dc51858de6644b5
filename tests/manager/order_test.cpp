// The order in which a manager's parts begin and end.
#include <kcontrol/manager/manager.hpp>

#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;

struct fixture : widget_world {
    fixture() {
        server.create("x", 1);
        network.listen("server", server.api.get_executor(), server.api.handler());
        auth::cluster_config config;
        config.server(http::endpoint("https", "server", 443));
        m.emplace(env, home, connect(config));
        REQUIRE(m->get_informer<widget>() != nullptr);
    }
    ~fixture() {
        slow = false;
        ends_within(10min, m->stop());
    }
    void add_work(const std::string& name, run_group group) {
        const auto work = [this, name](std::stop_token stop) { return run_until_stopped(name, std::move(stop)); };
        REQUIRE(m->add(runnable(name, work, group)));
    }
    void add_controller() {
        REQUIRE(controller_builder(*m, "widgets")
                    .for_<widget>()
                    .complete([this](reconcile_context, std::shared_ptr<const widget> w) {
                        log += "reconciled-" + w->metadata.name + " ";
                        return reconcile_result::done();
                    }));
    }
    // Notes when it begins and ends, and whether the informer of widgets runs then.
    awaitable<result<void>> run_until_stopped(std::string name, std::stop_token stop) {
        log += "+" + name + cache() + " ";
        async_event never;
        co_await never.wait(env, stop);
        while (slow && name == "worker") co_await sleep_for(env, 100ms, {});
        log += "-" + name + cache() + " ";
        co_return result<void>();
    }
    std::string cache() {
        const informer_status now = m->get_informer<widget>()->status();
        const bool runs = now.state != informer_state::idle && now.state != informer_state::paused;
        if (runs) return now.synced ? "(synced)" : "(syncing)";
        return "(" + std::string(to_string(now.state)) + ")";
    }
    void settle(duration d = 5s) { context.run_for(d); }
    std::string take() { return std::exchange(log, {}); }

    widget_server& server = widget_world::add("a");
    std::optional<manager> m;
    std::string log;
    bool slow = false;
};

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "what serves begins before the informers; runnables and controllers when these are in sync") {
    add_work("worker", run_group::leading);
    add_work("counter", run_group::always);
    add_work("webhooks", run_group::serving);
    add_controller();
    network.set_link("server", link_state::black_hole);
    m->start();
    settle(1min);
    CHECK(take() == "+webhooks(idle) ");
    network.set_link("server", link_state::up);
    REQUIRE(world.run_until([&] { return m->get_informer<widget>()->has_synced(); }, 10min));
    settle();
    const std::string rest = take();
    CHECK(rest.find("reconciled-x ") != std::string::npos);
    CHECK(rest.find("+worker(synced) ") != std::string::npos);
    CHECK(rest.find("+counter(synced) ") != std::string::npos);
    add_work("late", run_group::leading);
    settle();
    CHECK(take() == "+late(synced) ");
}

TEST_CASE_FIXTURE(fixture, "what serves ends after controllers, runnables and informers have, at each stop") {
    add_work("webhooks", run_group::serving);
    add_work("worker", run_group::leading);
    add_controller();
    for (int i = 0; i < 2; ++i) {
        m->start();
        settle();
        CHECK(m->state() == manager_state::running);
        take();
        slow = true;
        boost::asio::co_spawn(home, m->stop(), boost::asio::detached);
        settle(3s);
        CHECK(take() == "");  // the webhooks wait for the worker
        slow = false;
        settle();
        CHECK(take() == "-worker(synced) -webhooks(paused) ");
        CHECK(m->state() == manager_state::idle);
        CHECK_FALSE(m->last_error());
    }
}

TEST_CASE_FIXTURE(fixture, "an informer that its server refuses holds up no runnable") {
    REQUIRE(m->get_informer<gadget>() != nullptr);  // a kind that is not installed
    add_work("worker", run_group::leading);
    m->start();
    settle();
    CHECK(take() == "+worker(synced) ");
    CHECK(m->get_informer<gadget>()->status().state == informer_state::not_installed);
}

TEST_CASE_FIXTURE(fixture, "a runnable that waits for informers is not called after a stop, and holds up none") {
    add_work("worker", run_group::leading);
    network.set_link("server", link_state::black_hole);
    m->start();
    settle();
    REQUIRE(ends_within(5s, m->stop()));
    CHECK(take() == "");
    CHECK_FALSE(m->last_error());
}

TEST_CASE_FIXTURE(fixture, "what serves and fails ends the manager with its error; one that does not end is reported") {
    REQUIRE(m->add(runnable(
        "webhooks", [](std::stop_token) -> awaitable<result<void>> { co_return error(errc::unavailable, "no port"); },
        run_group::serving)));
    m->start();
    settle();
    CHECK(m->state() == manager_state::idle);
    REQUIRE(m->last_error());
    CHECK(m->last_error()->message() == "webhooks: no port");
}
