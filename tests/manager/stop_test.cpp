// A manager that is stopped from inside, by several at once, and outlived by who asks it.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include "support/recording_responder.hpp"
#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;
using kcontrol::testing::scripted_transport;

namespace {

client connect(environment& env, const executor& ex, scripted_transport& net) {
    auth::cluster_config config;
    config.server(http::endpoint("https", "api.test", 6443));
    return client::connect(env, ex, config, net.factory()).value();
}

// A manager with one controller, whose reconciler the test says.
struct bench {
    bench() { remake(); }
    ~bench() {
        if (!m) return;
        testing::start(context, m->stop());
        advance(2min);
    }
    void remake() { m.emplace(env, context.get_executor(), connect(env, context.get_executor(), *net)); }
    void ready() { manual_environment::run_ready(context); }
    void advance(duration d) { env.advance(d, context); }
    void add_controller(reconciler<request> reconcile) {
        const auto made = std::make_shared<controller>(env, context.get_executor(), "things", std::move(reconcile));
        made->watch(source, enqueue_for_object);
        things = made.get();
        REQUIRE(m->add(made).has_value());
    }
    awaitable<void> stop_and_note() {
        co_await m->stop();
        ended += "stopped ";
    }

    boost::asio::io_context context;
    manual_environment env;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>(env);
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    controller* things = nullptr;
    std::string ended;
    std::optional<manager> m;
};

class silent_responder final : public recording_responder {
public:
    awaitable<result<void>> write(std::string) override { co_return result<void>(); }
};

}  // namespace

TEST_CASE("stop() inside a reconcile waits for the others, and not for the one that calls it") {
    bench b;
    b.add_controller([&](reconcile_context, request) -> reconciliation {
        co_await b.stop_and_note();
        b.ended += "reconciled ";
        co_return reconcile_result::done();
    });
    b.source->put(make_thing("a"));
    for (int i = 0; i < 2; ++i) {
        b.ended.clear();
        b.m->start();
        b.ready();
        CHECK(b.ended == "stopped reconciled ");  // no time has passed
        CHECK(b.m->state() == manager_state::idle);
        CHECK_FALSE(b.m->last_error());
        CHECK(b.things->stats().active_workers == 0);
    }
    CHECK(b.env.pending_timers() == 0);
}

TEST_CASE("stop() inside a reconcile still waits for other reconciles, as long as they may take") {
    bench b;
    async_event never;
    const auto made = std::make_shared<controller>(
        b.env, b.context.get_executor(), "things",
        [&](reconcile_context, request what) -> reconciliation {
            if (what.name == "stopper") co_await b.stop_and_note();
            if (what.name == "busy") co_await sleep_for(b.env, 3s, {});
            b.ended += what.name + " ";
            co_return reconcile_result::done();
        },
        controller_options().max_concurrent_reconciles(2));
    made->watch(b.source, enqueue_for_object);
    REQUIRE(b.m->add(made).has_value());
    b.source->put(make_thing("busy"));
    b.source->put(make_thing("stopper"));
    b.m->start();
    b.advance(2s);
    CHECK(b.ended.empty());
    CHECK(b.m->state() == manager_state::stopping);
    b.advance(1s);
    CHECK(b.ended == "busy stopped stopper ");
    CHECK_FALSE(b.m->last_error());
}

TEST_CASE("stop() inside a runnable, and inside a controller that a runnable runs") {
    bench b;
    controller inner(b.env, b.context.get_executor(), "inner",
                     [&](reconcile_context, const request&) -> reconciliation {
                         co_await b.stop_and_note();
                         b.ended += "reconciled ";
                         co_return reconcile_result::done();
                     });
    SUBCASE("a runnable") {
        REQUIRE(b.m->add(runnable("quits", [&](std::stop_token) -> awaitable<result<void>> {
            co_await b.stop_and_note();
            b.ended += "returned ";
            co_return result<void>();
        })));
    }
    SUBCASE("the reconcile of a controller that it runs") {
        b.source->put(make_thing("a"));
        inner.watch(b.source, enqueue_for_object);
        REQUIRE(b.m->add(runnable("runs", [&](std::stop_token stop) -> awaitable<result<void>> {
            auto outcome = co_await inner.run(stop);
            co_return outcome;
        })));
    }
    b.m->start();
    b.ready();
    CHECK(b.ended.starts_with("stopped re"));
    CHECK(b.m->state() == manager_state::idle);
    CHECK_FALSE(b.m->last_error());
}

TEST_CASE("a stop ends with the run that it ended, though the manager is started again at once") {
    bench b;
    b.m->start();
    b.ready();
    testing::start(b.context, [](bench& of) -> awaitable<void> {
        co_await of.m->stop();
        of.m->start();
        of.ended += "again ";
    }(b));
    testing::start(b.context, b.stop_and_note());
    b.ready();
    CHECK(b.ended == "again stopped ");
    CHECK(b.m->state() == manager_state::running);
}

TEST_CASE("a stop that has not begun when its manager is destroyed does nothing") {
    bench b;
    b.m->start();
    b.ready();
    awaitable<void> late = b.m->stop();
    b.m.reset();
    testing::start(b.context, std::move(late));
    b.ready();
    CHECK(b.context.stopped());
}

TEST_CASE("a handler that outlives its manager answers 503, also while the manager's run has not ended") {
    bench b;
    const http::handler answer = b.m->handler();
    const auto status = [&] {
        silent_responder out;
        testing::run(b.context, answer(http::server_request(http::request("GET", "/healthz")), out));
        return out.head.status;
    };
    CHECK(status() == 200);
    async_event release;
    REQUIRE(b.m->add(runnable("slow", [&](std::stop_token) -> awaitable<result<void>> {
        co_await release.wait(b.env, {});
        co_return result<void>();
    })));
    b.m->start();
    b.ready();
    b.m.reset();
    CHECK(status() == 503);
    release.notify_all();
    b.ready();
    CHECK(status() == 503);
}
