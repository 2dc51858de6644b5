// Managers that contend for a Lease: what runs while one leads, what runs always, and what a loss does.
#include <kcontrol/manager/manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;

const testing::group_resource leases("coordination.k8s.io", "leases");

struct member {
    member(widget_world& w, const std::string& n, manager_options options = {}) : world(w), name(n), host("via-" + n) {
        auto& server = w.world.add_server("a");
        w.network.listen(host, server.api().get_executor(), server.api().handler());
        auth::cluster_config config;
        config.server(http::endpoint("https", host, 443));
        options.leader_election(leader_options({"default", "operator"}).identity(name));
        m = std::make_unique<manager>(w.env, w.home, w.connect(config), std::move(options));
    }
    ~member() {
        stay = false;
        if (m) world.ends_within(10min, m->stop());
    }
    // Raises the widget's value through the manager's client, and waits if it is asked to.
    reconciliation reconcile(reconcile_context ctx, std::shared_ptr<const widget> w) {
        calls += name + ":" + w->metadata.name + " ";
        client c = m->get_client();
        if (hold) {
            async_event never;
            co_await never.wait(world.env, ctx.stop());
            stopped_inside = true;
            reason = to_string(ctx.stop_reason());
            widget edited = *w;
            edited.spec.value = 99;
            const auto written = co_await c.patch(*w, edited);
            refusal = written ? "" : written.error().message();
            while (stay) co_await sleep_for(world.env, 1s, {});
        }
        co_return reconcile_result::done();
    }
    void add_controllers() {
        const auto led = [this](reconcile_context ctx, std::shared_ptr<const widget> w) {
            return reconcile(std::move(ctx), std::move(w));
        };
        REQUIRE(controller_builder(*m, "led").for_<widget>().complete(led));
        const auto seen = [this](reconcile_context, std::shared_ptr<const widget> w) {
            all += name + ":" + w->metadata.name + " ";
            return reconcile_result::done();
        };
        REQUIRE(controller_builder(m->always(), "seen").for_<widget>().complete(seen));
        const auto run = [this](std::string what) {
            return [this, what](std::stop_token stop) { return wait_for(what, std::move(stop)); };
        };
        REQUIRE(m->add(runnable("led-work", run("led"))));
        REQUIRE(m->add(runnable("other-work", run("always"), run_group::always)));
    }
    awaitable<result<void>> wait_for(std::string what, std::stop_token stop) {
        runs += what + " ";
        async_event never;
        co_await never.wait(world.env, stop);
        runs += what + "-ended ";
        co_return result<void>();
    }
    bool leading() const { return m->get_elector()->leading(); }
    void cut() {
        world.network.set_link(host, link_state::black_hole);
        world.network.freeze_connections(host);
    }
    void join() { world.network.set_link(host, link_state::up); }

    widget_world& world;
    std::string name, host, calls, all, runs, refusal, reason;
    bool hold = false, stay = false, stopped_inside = false;
    std::unique_ptr<manager> m;
};

struct fixture : widget_world {
    fixture() { server.create("x", 1); }
    bool until(const std::function<bool()>& done, duration limit = 1min) { return world.run_until(done, limit); }
    void settle(duration d = 5s) { context.run_for(d); }

    widget_server& server = add("a");
};

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "a manager that does not lead runs informers and the group always, and the rest once it leads") {
    member a(*this, "a"), b(*this, "b");
    a.add_controllers();
    b.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.leading(); }));
    b.m->start();
    settle();
    CHECK(a.calls == "a:x ");
    CHECK(a.runs == "always led ");
    CHECK(b.calls == "");
    CHECK(b.all == "b:x ");
    CHECK(b.runs == "always ");
    CHECK(b.m->get_informer<widget>()->has_synced());  // its cache is warm
    // Its writes are refused, unless it says that they may be anybody's.
    const auto update = [&](client c) {
        widget w;
        w.metadata.namespace_ = "default";
        w.metadata.name = "y";
        return world.run(c.create(w));
    };
    const auto refused = update(b.m->get_client());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::not_leading);
    CHECK(update(b.m->get_unfenced_client()));
    CHECK(update(a.m->get_client()).error() == api_errc::already_exists);
    CHECK(
        b.m->answer(http::request("GET", "/metrics")).body.find("leader_election_master_status{name=\"operator\"} 0") !=
        std::string::npos);
    CHECK(
        a.m->answer(http::request("GET", "/metrics")).body.find("leader_election_master_status{name=\"operator\"} 1") !=
        std::string::npos);
    // The first one stops, and the second one is at work within a second.
    world.run(a.m->stop());
    CHECK(a.runs == "always led always-ended led-ended ");
    CHECK(until([&] { return b.calls == "b:x b:y " || b.calls == "b:y b:x "; }, 1s));
    CHECK(b.runs == "always led ");
    // It may run again, and follows.
    a.m->start();
    settle();
    CHECK(a.runs == "always led always-ended led-ended always ");
    CHECK_FALSE(a.leading());
}

TEST_CASE_FIXTURE(fixture,
                  "a loss cancels reconciles and refuses their writes; the manager goes on, and may lead again") {
    member a(*this, "a"), b(*this, "b");
    a.hold = true;
    a.add_controllers();
    b.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.calls == "a:x "; }));
    b.m->start();
    settle();
    a.cut();
    REQUIRE(until([&] { return a.stopped_inside; }, 12s));
    CHECK(a.reason == "lost leadership");
    CHECK_FALSE(a.leading());
    CHECK_FALSE(b.leading());  // not yet: the lease duration is longer than the renew deadline
    settle(1s);
    CHECK(a.refusal == "lease default/operator: it is not held by this process, which may not write");
    CHECK(a.m->state() == manager_state::running);
    CHECK(a.runs == "always led led-ended ");
    REQUIRE(until([&] { return b.calls == "b:x "; }, 20s));
    a.hold = false;
    a.join();
    settle(1min);
    CHECK(a.calls == "a:x ");
    CHECK_FALSE(a.m->last_error());
    world.run(b.m->stop());
    CHECK(until([&] { return a.calls == "a:x a:x "; }, 5s));
    CHECK(a.runs == "always led led-ended led ");
    const auto x = server.api.get(widgets, {"default", "x"}).value();
    CHECK(x.at("spec").at("value").to_number<int>() == 1);
}

TEST_CASE_FIXTURE(fixture, "a loss ends the manager if it is asked to") {
    member a(*this, "a", manager_options().exit_on_loss(true));
    a.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.calls == "a:x "; }));
    settle();
    a.cut();
    REQUIRE(until([&] { return a.m->state() == manager_state::idle; }, 1min));
    REQUIRE(a.m->last_error());
    CHECK(*a.m->last_error() == errc::not_leading);
    CHECK(a.m->last_error()->message() == "lease default/operator: leadership is lost");
    // A stop is no loss.
    a.join();
    a.m->start();
    REQUIRE(until([&] { return a.leading(); }, 30s));
    world.run(a.m->stop());
    CHECK_FALSE(a.m->last_error());
}

TEST_CASE_FIXTURE(fixture,
                  "a reconcile that does not heed a loss keeps the manager from leading again, not from running") {
    member a(*this, "a");
    a.hold = a.stay = true;
    a.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.calls == "a:x "; }));
    settle();
    a.cut();
    REQUIRE(until([&] { return a.stopped_inside; }, 12s));
    a.join();
    settle(20s);
    CHECK_FALSE(a.leading());
    CHECK(a.m->state() == manager_state::running);
    a.hold = a.stay = false;
    CHECK(until([&] { return a.leading(); }, 10s));
    CHECK(until([&] { return a.calls == "a:x a:x "; }, 5s));
    CHECK(a.m->state() == manager_state::running);
}

TEST_CASE_FIXTURE(fixture, "what is added after a loss is not called before this process leads again") {
    member a(*this, "a");
    a.hold = a.stay = true;
    a.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.calls == "a:x "; }));
    settle();
    a.cut();
    REQUIRE(until([&] { return a.stopped_inside; }, 12s));
    // The term is over, but not at its end: that reconcile has not returned.
    std::string late;
    const auto work = [&](std::stop_token stop) -> awaitable<result<void>> {
        late += stop.stop_requested() ? "in vain " : "called ";
        co_return result<void>();
    };
    REQUIRE(a.m->add(runnable("late", work)));
    a.join();
    settle(20s);
    CHECK(late == "");
    a.hold = a.stay = false;
    CHECK(until([&] { return late == "called "; }, 1min));
}

TEST_CASE_FIXTURE(fixture, "a leader that is stopped has lost nothing: its reconciles are stopped") {
    member a(*this, "a");
    a.hold = true;
    a.add_controllers();
    a.m->start();
    REQUIRE(until([&] { return a.calls == "a:x "; }));
    world.run(a.m->stop());
    CHECK(a.reason == "stopped");
}

TEST_CASE_FIXTURE(fixture, "what is added while it runs, runs when its group does") {
    member a(*this, "a"), b(*this, "b");
    a.m->start();
    REQUIRE(until([&] { return a.leading(); }));
    b.m->start();
    settle();
    a.add_controllers();
    b.add_controllers();
    settle();
    CHECK(a.calls + a.runs == "a:x led always ");
    CHECK(b.calls + b.runs == "always ");
}

TEST_CASE_FIXTURE(fixture, "the leader's work may stop its manager") {
    member a(*this, "a");
    bool returned = false;
    duration took{};
    const auto stops = [&](std::stop_token) -> awaitable<result<void>> {
        const time_point begun = env.now();
        co_await a.m->stop();
        took = env.now() - begun;
        returned = true;
        co_return result<void>();
    };
    REQUIRE(a.m->add(runnable("stops", stops)));
    a.m->start();
    REQUIRE(until([&] { return returned; }));
    CHECK(took < 2s);
    CHECK(a.m->state() == manager_state::idle);
    const auto lease = server.api.get(leases, {"default", "operator"}).value();
    CHECK(lease.at("spec").at("holderIdentity") == "");
}

TEST_CASE_FIXTURE(fixture, "a Lease that can't be contended for ends the manager with the reason") {
    member a(*this, "a");
    manager_options options;
    options.leader_election(leader_options({"default", "operator"}).renew_deadline(20s));
    manager m(env, home, connect(server.config()), options);
    m.start();
    REQUIRE(until([&] { return m.state() == manager_state::idle; }));
    REQUIRE(m.last_error());
    CHECK(m.last_error()->message() ==
          "lease default/operator: lease_duration is 15 s; it must be longer than renew_deadline, which is 20 s");
}
