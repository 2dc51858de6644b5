// What a controller makes of events and of its reconciler's answers.
#include "controller/bench.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::updated;

TEST_CASE("what is there and what changes is reconciled") {
    bench b;
    b.source->put(make_thing("a"));
    b.start();
    CHECK(b.calls() == "a ");
    b.source->put(make_thing("b"));
    b.source->put(make_thing("a", "2"));
    b.source->remove({"ns", "b"});
    CHECK(b.calls() == "a b a ");  // b's addition and deletion are one request
    CHECK(b.c.stats().succeeded == 3);
    CHECK(b.c.state() == controller_state::running);
    CHECK(b.reconciles.ids[0] != b.reconciles.ids[1]);
    CHECK(b.reconciles.ids[0].size() == 36);
    CHECK(b.reconciles.ids[0][14] == '4');
}

TEST_CASE("a predicate keeps events away; the handler hears of the others") {
    bench b;
    auto filtered = std::make_shared<fake_source>(b.env);
    std::vector<predicate> predicates;
    predicates.push_back(resource_version_changed);
    predicates.push_back(predicate_on<thing>([](const thing& t) { return t.color == "red"; }));
    b.c.watch(filtered, enqueue_for_object, predicates);
    b.start();
    filtered->put(make_thing("x", "1", "blue"));
    filtered->put(make_thing("y", "1", "red"));
    filtered->publish(updated(make_thing("z", "1", "red"), make_thing("z", "1", "red")));
    CHECK(b.calls() == "y ");
}

TEST_CASE("an error tries again after 5 ms, 10 ms, 20 ms… until a success") {
    bench b;
    b.reconciles.answer = error(api_errc::conflict, "somebody wrote first");
    b.source->put(make_thing("a"));
    b.start();
    CHECK(b.calls() == "a ");
    b.advance(5ms);
    CHECK(b.calls() == "a a ");
    b.advance(9ms);
    CHECK(b.calls() == "a a ");
    b.advance(1ms);
    CHECK(b.calls() == "a a a ");
    CHECK(b.reconciles.last_retries == 2);
    CHECK(b.c.stats().errors == 3);
    CHECK(b.c.stats().queue_retries == 3);
    CHECK(b.log.find("somebody wrote first") != std::string::npos);
    CHECK(b.log.find("reconcileID=") != std::string::npos);
    CHECK(b.log.find("controller=things") != std::string::npos);
    b.reconciles.answer = reconcile_result::done();
    b.advance(20ms);
    b.reconciles.answer = error(api_errc::conflict);
    b.source->put(make_thing("a", "2"));
    b.ready();
    CHECK(b.reconciles.last_retries == 0);  // the success forgot the failures
}

TEST_CASE("an event between a failure and its retry neither counts as one nor puts it off") {
    bench b;
    b.reconciles.answer = error(api_errc::conflict);
    b.source->put(make_thing("a"));
    b.start();
    b.advance(5ms);
    CHECK(b.calls() == "a a ");  // the next retry is due in 10 ms
    b.advance(4ms);
    b.source->put(make_thing("a", "2"));
    b.ready();
    CHECK(b.calls() == "a a a ");
    CHECK(b.reconciles.last_retries == 2);
    b.advance(5ms);
    CHECK(b.calls() == "a a a ");
    b.advance(1ms);
    CHECK(b.calls() == "a a a a ");
    CHECK(b.reconciles.last_retries == 2);
    b.advance(20ms);
    CHECK(b.calls() == "a a a a a ");
    CHECK(b.reconciles.last_retries == 3);
}

TEST_CASE("an exception is an error, and the loop goes on") {
    bench b;
    b.reconciles.throws = true;
    b.source->put(make_thing("a"));
    b.start();
    CHECK(b.c.stats().exceptions == 1);
    CHECK(b.log.find("boom") != std::string::npos);
    b.reconciles.throws = false;
    b.advance(5ms);
    CHECK(b.c.stats().succeeded == 1);
}

TEST_CASE("a terminal error is logged and counted, and not tried again before the next change") {
    bench b;
    b.reconciles.answer = terminal_error(error(errc::invalid_argument, "spec.replicas is -1"));
    b.source->put(make_thing("a"));
    b.start();
    b.advance(1h);
    CHECK(b.calls() == "a ");
    CHECK(b.c.stats().terminal_errors == 1);
    CHECK(b.c.stats().errors == 1);
    CHECK(b.log.find("spec.replicas is -1") != std::string::npos);
    b.source->put(make_thing("a", "2"));
    CHECK(b.calls() == "a a ");
}

TEST_CASE("requeue_after forgets failures and comes back at its time; requeue backs off") {
    bench b;
    b.reconciles.answer = reconcile_result::requeue();
    b.source->put(make_thing("a"));
    b.start();
    CHECK(b.c.stats().requeued == 1);
    b.reconciles.answer = reconcile_result::requeue_after(10s);
    b.advance(5ms);
    CHECK(b.reconciles.last_retries == 1);
    CHECK(b.c.stats().requeued_after == 1);
    b.advance(9s);
    CHECK(b.calls() == "a a ");
    b.reconciles.answer = reconcile_result::requeue_after(0s);  // the same as done
    b.advance(1s);
    CHECK(b.calls() == "a a a ");
    CHECK(b.reconciles.last_retries == 0);
    b.advance(1h);
    CHECK(b.calls() == "a a a ");
    CHECK(b.env.pending_timers() == 0);
}

TEST_CASE("an event moves a requeue_after forward; the earlier time does not fire again") {
    bench b;
    b.reconciles.answer = reconcile_result::requeue_after(10s);
    b.source->put(make_thing("a"));
    b.start();
    b.advance(4s);
    b.source->put(make_thing("a", "2"));
    CHECK(b.calls() == "a a ");
    b.advance(9s);
    CHECK(b.calls() == "a a ");
    b.advance(1s);
    CHECK(b.calls() == "a a a ");
}

TEST_CASE("a request never runs twice at once; a change meanwhile gives exactly one more run") {
    bench b(controller_options().max_concurrent_reconciles(4));
    b.reconciles.held = true;
    b.source->put(make_thing("a"));
    b.start();
    for (const char* version : {"2", "3", "4"}) {
        b.source->put(make_thing("a", version));
        b.ready();
    }
    CHECK(b.calls() == "a ");
    b.reconciles.release();
    CHECK(b.calls() == "a a ");
    CHECK(b.reconciles.most == 1);
}

TEST_CASE("at most max_concurrent_reconciles run at a time") {
    bench b(controller_options().max_concurrent_reconciles(2));
    b.reconciles.held = true;
    for (const char* name : {"a", "b", "c", "d"}) b.source->put(make_thing(name));
    b.start();
    CHECK(b.calls() == "a b ");
    CHECK(b.c.stats().active_workers == 2);
    CHECK(b.c.stats().queue_depth == 2);
    CHECK(b.c.stats().max_concurrent_reconciles == 2);
    b.reconciles.release();
    CHECK(b.calls() == "a b c d ");
    CHECK(b.reconciles.most_all == 2);
    CHECK(b.c.stats().active_workers == 0);
}

TEST_CASE("reconciliation_timeout triggers the stop token; the error counts as a timeout and is tried again") {
    bench b(controller_options().reconciliation_timeout(1min));
    b.reconciles.held = true;
    b.source->put(make_thing("a"));
    b.start();
    b.advance(59s);
    CHECK(b.c.stats().errors == 0);
    b.advance(1s);
    CHECK(b.c.stats().timeouts == 1);
    CHECK(b.c.stats().errors == 1);
    b.reconciles.release();
    b.advance(5ms);
    CHECK(b.calls() == "a a ");
    CHECK(b.c.stats().succeeded == 1);
    CHECK(b.env.pending_timers() == 0);
}

TEST_CASE("durations of reconciles and of the time in the queue are counted in buckets") {
    bench b;
    b.reconciles.held = true;
    b.source->put(make_thing("a"));
    b.source->put(make_thing("b"));
    b.start();
    b.advance(3s);
    b.reconciles.release();
    b.ready();
    const controller_stats stats = b.c.stats();
    CHECK(stats.reconcile_time.sum() == doctest::Approx(3.0));
    CHECK(stats.queue_duration.sum() == doctest::Approx(3.0));
    CHECK(stats.reconcile_time.counts()[0] == 1);  // b took no time
    const auto& bounds = stats.reconcile_time.bounds();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (bounds[i] == 3) CHECK(stats.reconcile_time.counts()[i] == 1);
    }
}

TEST_CASE("plain functions are reconcilers, too") {
    boost::asio::io_context context;
    manual_environment env;
    int calls = 0;
    auto source = std::make_shared<fake_source>(env);
    source->put(make_thing("a"));
    const auto plain = [&calls](reconcile_context, const request&) { return ++calls, reconcile_result::done(); };
    const auto failing = [&calls](reconcile_context, const request&) -> result<reconcile_result> {
        ++calls;
        return error(errc::terminal);
    };
    // A coroutine that has only success and failure to tell.
    const auto brief = [&calls](reconcile_context, const request&) -> awaitable<result<void>> {
        if (++calls > 0) co_return error(errc::terminal);
        co_return result<void>();
    };
    controller one(env, context.get_executor(), "one", make_reconciler<request>(plain));
    controller two(env, context.get_executor(), "two", make_reconciler<request>(failing));
    controller three(env, context.get_executor(), "three", make_reconciler<request>(brief));
    for (controller* c : {&one, &two, &three}) c->watch(source, enqueue_for_object), c->start();
    manual_environment::run_ready(context);
    CHECK(calls == 3);
    CHECK(two.stats().terminal_errors == 1);
    CHECK(three.stats().terminal_errors == 1);
    bool drained = false;
    for (controller* c : {&one, &two, &three}) testing::run(context, stop_into(*c, drained));
    CHECK(drained);
}
