// A controller that waits for its own writes before it reconciles the same request again, on a simulated cluster.
#include <kcontrol/manager/manager.hpp>

#include "support/children.hpp"
#include "support/lagging_watches.hpp"
#include "support/widget_world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

const namespaced_name x("default", "x");

// Reconciles widgets with what a test says; each notes when it began and which value the cache had then.
struct fixture : widget_world {
    using work = std::function<awaitable<result<reconcile_result>>(client, reconcile_context, widget)>;

    fixture() : server(add("a")) { m.emplace(env, home, connect(server.config("token")), manager_options().log(log)); }
    ~fixture() {
        run(m->stop());
        settle();
    }
    void settle(duration d = 2s) { context.run_for(d); }
    void run_controller(const controller_options& options, work todo) {
        // A coroutine lambda's captures live in the lambda, which the controller keeps.
        auto reconcile = [this, todo](reconcile_context ctx, std::shared_ptr<const widget> w) -> reconciliation {
            seen += (seen.empty() ? "" : " ") + std::to_string(w->spec.value);
            if (w->metadata.name == "x") began.push_back(env.now());
            auto outcome = co_await todo(m->get_client(), std::move(ctx), *w);
            co_return outcome;
        };
        made = controller_builder(*m, "widgets").for_<widget>().with_options(options).complete(reconcile).value();
        m->start();
        settle();
    }
    void freeze() { server.api.freeze("", server.api.resource_version()); }

    widget_server& server;
    std::string told;
    logger log{[this](const log_record& r) {
        if (r.level >= log_level::warning) told += std::string(r.message) + "\n";
    }};
    std::optional<manager> m;
    std::shared_ptr<controller> made;
    std::string seen;
    std::vector<time_point> began;
};

// Adds one to the value, twice, and asks at once to be called again.
awaitable<result<reconcile_result>> count_up(client c, reconcile_context ctx, widget w) {
    if (w.spec.value >= 2) co_return reconcile_result::done();
    widget edited = w;
    ++edited.spec.value;
    const auto written = co_await c.patch(w, edited, write_options().stop(ctx.stop()));
    if (!written) co_return written.error();
    co_return reconcile_result::requeue_after(1ns);
}

TEST_CASE_FIXTURE(fixture, "own writes: without the option the next reconcile sees what it has changed already") {
    server.create("x");
    run_controller(controller_options(), count_up);
    CHECK(seen.starts_with("0 0"));
    CHECK(made->stats().errors > 0);  // a conflict
}

TEST_CASE_FIXTURE(fixture, "own writes: with it each reconcile sees what the one before has written") {
    server.create("x");
    run_controller(controller_options().read_own_writes(5s), count_up);
    CHECK(seen == "0 1 2");
    CHECK(made->stats().errors == 0);
    CHECK(made->stats().own_write_waits == 2);
    CHECK(made->stats().own_write_timeouts == 0);
    CHECK(told == "");
    const std::string metrics = m->metrics().text();
    CHECK(metrics.find("kcontrol_controller_own_write_waits_total{controller=\"widgets\"} 2\n") != std::string::npos);
    CHECK(metrics.find("kcontrol_controller_own_write_timeouts_total{controller=\"widgets\"} 0\n") !=
          std::string::npos);
}

TEST_CASE_FIXTURE(fixture,
                  "own writes: what a reconcile spawns on its executors is its own; a deletion is waited for") {
    server.create("x");
    server.create("y", 9);
    server.create("z", 9);
    const auto todo = [this](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
        if (w.metadata.name != "x" || began.size() > 1) co_return reconcile_result::done();
        awaitable<result<void>> removing = c.delete_<widget>({"default", "y"});
        const auto removed =
            co_await boost::asio::co_spawn(ctx.get_executor(), std::move(removing), boost::asio::use_awaitable);
        if (!removed) co_return removed.error();
        const executor mine = co_await boost::asio::this_coro::executor;
        awaitable<result<void>> removing_too = c.delete_<widget>({"default", "z"});
        const auto removed_too =
            co_await boost::asio::co_spawn(mine, std::move(removing_too), boost::asio::use_awaitable);
        if (!removed_too) co_return removed_too.error();
        co_return reconcile_result::requeue_after(1ns);
    };
    std::size_t left = 99;
    run_controller(controller_options().read_own_writes(5s),
                   [&, todo](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
                       if (w.metadata.name == "x" && began.size() == 2) left = m->get_informer<widget>()->list().size();
                       auto outcome = co_await todo(std::move(c), std::move(ctx), std::move(w));
                       co_return outcome;
                   });
    CHECK(began.size() == 2);
    CHECK(left == 1);
    CHECK(made->stats().own_write_waits == 1);
}

TEST_CASE_FIXTURE(fixture, "own writes: a cache that does not come is waited for to the limit, told and counted") {
    server.create("x");
    server.create("y", 7);
    std::vector<std::string> order;
    run_controller(controller_options().read_own_writes(5s),
                   [&](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
                       order.push_back(w.metadata.name.str());
                       if (w.metadata.name == "y" || w.spec.value > 0 || began.size() > 1) {
                           co_return reconcile_result::done();
                       }
                       freeze();
                       widget edited = w;
                       edited.spec.value = 1;
                       const auto written = co_await c.patch(w, edited, write_options().stop(ctx.stop()));
                       if (!written) co_return written.error();
                       made->enqueue(request(namespaced_name("default", "y")));
                       co_return reconcile_result::requeue_after(1ns);
                   });
    // The other one does not wait, though there is one worker.
    CHECK(began.size() == 1);
    CHECK(order.back() == "y");
    CHECK(made->stats().active_workers == 0);
    settle(10s);
    REQUIRE(began.size() == 2);
    CHECK(began[1] - began[0] >= 5s);
    CHECK(began[1] - began[0] < 6s);
    CHECK(made->stats().own_write_timeouts == 1);
    CHECK(told.find("the cache has not seen in time what the reconcile wrote") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "own writes: whoever looks at a list first makes as many children as are to be") {
    world.register_resource(testing::resource_type_of(resource_of<gadget>()));
    for (const char* name : {"x", "y", "z"}) server.create(name);
    const auto children = m->get_informer<gadget>();
    const lagging_watches lag(world, server.api, 5s);
    run_controller(controller_options().max_concurrent_reconciles(3),
                   [this](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
                       // Often enough for some to look while others write.
                       const auto which = list_options().stop(ctx.stop());
                       const auto filled = co_await make_children(c, w.metadata.name.str(), which, 5);
                       if (!filled) co_return filled.error();
                       if (seen.size() > 100) co_return reconcile_result::done();
                       co_return reconcile_result::requeue_after(10ms);
                   });
    settle(20s);
    CHECK(seen.size() > 100);
    for (const char* name : {"x", "y", "z"}) CHECK(count_children(server.api, name) == 5);
    CHECK(children->list().size() == 15);
    CHECK(told.find("the cache does not show in time what this program wrote") == 0);
    CHECK(told.find('\n') == told.size() - 1);
}

// What the test above would find: the watch lags by so much that each look is at too few.
TEST_CASE_FIXTURE(fixture, "own writes: lists that take what there is make too many children") {
    world.register_resource(testing::resource_type_of(resource_of<gadget>()));
    server.create("x");
    (void)m->get_informer<gadget>();
    const lagging_watches lag(world, server.api, 5s);
    run_controller(controller_options(),
                   [this](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
                       const auto which = list_options().stop(ctx.stop()).stale_ok();
                       const auto filled = co_await make_children(c, w.metadata.name.str(), which, 5);
                       if (!filled) co_return filled.error();
                       if (seen.size() > 3) co_return reconcile_result::done();
                       co_return reconcile_result::requeue_after(10ms);
                   });
    settle(20s);
    CHECK(count_children(server.api, "x") > 5);
}

TEST_CASE_FIXTURE(fixture, "own writes: a stop does not wait for the cache") {
    server.create("x");
    run_controller(controller_options().read_own_writes(1h),
                   [&](client c, reconcile_context ctx, widget w) -> awaitable<result<reconcile_result>> {
                       freeze();
                       widget edited = w;
                       edited.spec.value = 1;
                       const auto written = co_await c.patch(w, edited, write_options().stop(ctx.stop()));
                       if (!written) co_return written.error();
                       co_return reconcile_result::done();
                   });
    CHECK(made->stats().own_write_waits == 1);
    const time_point before = env.now();
    run(m->stop());
    CHECK(env.now() - before < 1s);
    CHECK(made->stats().own_write_timeouts == 0);
}

}  // namespace
