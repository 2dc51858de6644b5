// Why a reconcile is to end: by its controller and what is above it, by its time, by the deletion of its object.
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;

namespace {

any_object thing_of(const char* name, const char* uid) {
    thing made;
    made.metadata.namespace_ = "ns";
    made.metadata.name = name;
    made.metadata.uid = uid;
    made.metadata.resource_version = uid;
    return any_object(std::make_shared<const thing>(std::move(made)));
}

// Reconciles wait until they are stopped, and say why they were.
struct stage {
    explicit stage(controller_options options) : c(env, context.get_executor(), "things", call(), options.log(note())) {
        c.watch_primary(source, enqueue_for_object, {predicate(create_only)},
                        [](const any_object& o) { return request(o.key()); });
    }
    ~stage() { testing::run(context, env, stop_all(c)); }
    static awaitable<void> stop_all(any_controller& c) {
        const bool drained = co_await c.stop();
        static_cast<void>(drained);
    }
    logger note() {
        return logger([this](const log_record& r) { log += std::string(r.message) + "\n"; }, log_level::debug);
    }
    reconciler<request> call() {
        return [this](reconcile_context ctx, request req) { return wait_for_stop(std::move(ctx), std::move(req)); };
    }
    reconciliation wait_for_stop(reconcile_context ctx, request req) {
        begun += req.name + " ";
        CHECK(ctx.stop_reason() == stop_reason::none);
        async_event never;
        const wake why = co_await never.wait(env, ctx.stop());
        CHECK(why == wake::stopped);
        ended += req.name + ": " + std::string(to_string(ctx.stop_reason())) + "; ";
        if (throws) throw std::runtime_error("boom");
        co_return error(errc::stopped);
    }
    void ready() { manual_environment::run_ready(context); }
    void begin(const stop_parents& parents = {}) {
        source->put(thing_of("a", "u1"));
        c.start(parents);
        ready();
        CHECK(begun == "a ");
    }

    boost::asio::io_context context;
    manual_environment env;
    std::string log, begun, ended;
    bool throws = false;
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    controller c;
};

}  // namespace

TEST_CASE("the first of a controller's parents that is triggered says why its reconciles end") {
    std::stop_source program, lease, cluster;
    struct row {
        const char* name;
        std::function<void(stage&)> end;
        const char* why;
    };
    const row rows[] = {
        {"its own stop", [](stage& s) { testing::start(s.context, stage::stop_all(s.c)); }, "a: stopped; "},
        {"the program", [&](stage&) { program.request_stop(), lease.request_stop(); }, "a: stopped; "},
        {"the lease", [&](stage&) { lease.request_stop(), program.request_stop(); }, "a: lost leadership; "},
        {"the cluster", [&](stage&) { cluster.request_stop(); }, "a: cluster disengaged; "},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        program = std::stop_source(), lease = std::stop_source(), cluster = std::stop_source();
        stage s{controller_options()};
        s.begin(stop_parents(program.get_token())
                    .add(lease.get_token(), stop_reason::lost_leadership)
                    .add(cluster.get_token(), stop_reason::disengaged));
        r.end(s);
        s.ready();
        CHECK(s.ended == r.why);
        CHECK(s.c.state() == controller_state::idle);
        CHECK(s.c.stats().errors == 0);
    }
}

TEST_CASE("a reconcile whose time is up is told, and counts as a timeout") {
    stage s{controller_options().reconciliation_timeout(10s).cancel_on_delete(true)};
    s.begin();
    s.env.advance(9999ms, s.context);
    CHECK(s.ended.empty());
    s.env.advance(1ms, s.context);
    CHECK(s.ended == "a: timeout; ");
    CHECK(s.c.stats().timeouts == 1);
    CHECK(s.c.stats().errors == 1);
}

TEST_CASE("cancel_on_delete ends the reconcile of an object that goes, whatever the predicates say") {
    struct row {
        const char* name;
        bool asked;
        std::function<void(stage&)> happens;
        const char* ended;
    };
    const row rows[] = {
        {"it goes", true,
         [](stage& s) {
             s.source->remove({"ns", "a"});
         },
         "a: object deleted; "},
        {"another one takes its place", true, [](stage& s) { s.source->put(thing_of("a", "u2")); },
         "a: object deleted; "},
        {"it changes", true,
         [](stage& s) { s.source->publish(testing::updated(thing_of("a", "u1"), thing_of("a", "u1"))); }, ""},
        {"another object goes", true, [](stage& s) { s.source->publish(testing::deleted(thing_of("b", "u3"))); }, ""},
        {"nobody asked for it", false,
         [](stage& s) {
             s.source->remove({"ns", "a"});
         },
         ""},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        stage s{controller_options().cancel_on_delete(r.asked)};
        s.begin();
        r.happens(s);
        s.ready();
        CHECK(s.ended == r.ended);
        s.env.advance(1h, s.context);
        CHECK(s.begun == "a ");  // no error, not tried again
        CHECK(s.c.stats().errors == 0);
    }
}

TEST_CASE("what throws once it is to end is counted as what fails then: where it is no error, it is no exception") {
    struct row {
        const char* name;
        std::function<void(stage&)> end;
        const char* ended;
        std::uint64_t errors;
    };
    const row rows[] = {
        {"the stop", [](stage& s) { testing::start(s.context, stage::stop_all(s.c)); }, "a: stopped; ", 0},
        {"the deletion",
         [](stage& s) {
             s.source->remove({"ns", "a"});
         },
         "a: object deleted; ", 0},
        {"its time", [](stage& s) { s.env.advance(10s, s.context); }, "a: timeout; ", 1},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        stage s{controller_options().reconciliation_timeout(10s).cancel_on_delete(true)};
        s.throws = true;
        s.begin();
        r.end(s);
        s.ready();
        CHECK(s.ended == r.ended);
        CHECK(s.c.stats().errors == r.errors);
        CHECK(s.c.stats().exceptions == r.errors);
    }
}

TEST_CASE("a deletion after a reconcile has ended ends nothing, and what throws in request_of is told") {
    manual_environment env;
    boost::asio::io_context context;
    const auto source = std::make_shared<fake_source>(env);
    int calls = 0;
    controller c(env, context.get_executor(), "things",
                 make_reconciler<request>([&calls](reconcile_context, const request&) {
                     ++calls;
                     return reconcile_result::done();
                 }),
                 controller_options().cancel_on_delete(true));
    c.watch_primary(source, enqueue_for_object, {}, [](const any_object& o) -> request {
        if (o.meta().name == "b") throw std::runtime_error("boom");
        return request(o.key());
    });
    source->put(thing_of("a", "u1"));
    source->put(thing_of("b", "u2"));
    c.start();
    manual_environment::run_ready(context);
    CHECK(calls == 2);
    source->remove({"ns", "a"});
    source->remove({"ns", "b"});
    manual_environment::run_ready(context);
    CHECK(calls == 4);
    CHECK(c.stats().callback_exceptions == 1);
    testing::run(context, env, stage::stop_all(c));
}
