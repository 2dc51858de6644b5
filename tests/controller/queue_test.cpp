// What a controller says to its queue, and what it tells of it.
#include "controller/bench.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::updated;

namespace {

// A controller whose reconciles note what they were told, one at a time.
struct told {
    explicit told(controller_options options = {})
        : c(env, context.get_executor(), "things", call(), options.log(logger([this](const log_record& r) {
              for (const auto& f : r.fields) log += std::string(f.name) + "=" + f.value + " ";
          }))) {
        source->set_kind("Thing");
        c.watch(source, enqueue_for_object);
    }
    ~told() {
        held = false;
        gate.notify_all();
        bool drained = false;
        testing::run(context, stop_into(c, drained));
    }
    reconciler<request> call() {
        return [this](reconcile_context ctx, request req) { return reconcile(std::move(ctx), std::move(req)); };
    }
    reconciliation reconcile(reconcile_context ctx, request req) {
        seen += req.name + std::to_string(ctx.priority()) + "(" + to_string(ctx.causes()) + ") ";
        ctx.log().info("reconciling");
        while (held) co_await gate.wait(env, {});
        result<reconcile_result> out = answer;
        co_return out;
    }
    void ready() { manual_environment::run_ready(context); }
    void start() { c.start(), ready(); }
    std::string take() { return ready(), std::exchange(seen, {}); }

    boost::asio::io_context context;
    manual_environment env;
    std::string seen, log;
    bool held = false;
    async_event gate;
    result<reconcile_result> answer = reconcile_result::done();
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    controller c;
};

}  // namespace

TEST_CASE("a first list and resyncs have low priority, what really happened is sooner") {
    told t;
    t.held = true;
    for (const char* name : {"first", "a", "b", "c"}) t.source->put(make_thing(name));
    t.start();
    t.source->put(make_thing("b", "2"));
    t.source->remove({"ns", "c"});
    auto resync = updated(make_thing("r"), make_thing("r"));
    resync.resync = true;
    t.source->publish(resync);
    t.source->publish(updated(make_thing("same"), make_thing("same")));
    t.c.enqueue(request("ns", "hand"));
    t.held = false;
    t.gate.notify_all();
    CHECK(t.take() ==
          "a-100(Thing listed) b0(Thing listed; Thing updated) c0(Thing listed; Thing deleted) hand0(enqueued) "
          "first-100(Thing listed) r-100(Thing resync) same-100(Thing resync) ");
}

TEST_CASE("priorities off: first in, first out") {
    told t(controller_options().priorities(false));
    t.held = true;
    for (const char* name : {"a", "b", "c"}) t.source->put(make_thing(name));
    t.start();
    t.source->put(make_thing("c", "2"));
    t.c.enqueue(request("ns", "d"), add_options().priority(9));
    t.held = false;
    t.gate.notify_all();
    CHECK(t.take() == "a0(Thing listed) b0(Thing listed) c0(Thing listed; Thing updated) d0(enqueued) ");
}

TEST_CASE("an own event handler says when and how urgent, and what it does not say follows from the event") {
    told t;
    const auto other = std::make_shared<fake_source>(t.env);
    other->set_kind("Other");
    other->put(make_thing("there"));
    const auto handler = [](const any_event& e, request_sink<request>& sink) {
        const std::string name = e.object().key().name;
        sink.add_after(request("ns", name + "-later"), 10s);
        sink.add_rate_limited(request("ns", name + "-limited"));
        sink.add(request("ns", name), add_options().priority(5));
    };
    t.c.watch(other, handler);
    t.start();
    CHECK(t.take() == "there5(Other listed) ");
    other->put(make_thing("new"));
    CHECK(t.take() == "new5(Other added) ");
    t.env.advance(5ms, t.context);
    CHECK(t.take() == "new-limited0(Other ns/new added) there-limited-100(Other ns/there listed) ");
    t.env.advance(10s, t.context);
    CHECK(t.take() == "new-later0(Other ns/new added) there-later-100(Other ns/there listed) ");
    CHECK(t.c.stats().queue_retries == 4);
}

TEST_CASE("a reconcile that comes again keeps its priority, says why, and may say another") {
    told t;
    t.answer = error(errc::unavailable, "not yet");
    t.source->put(make_thing("a"));
    t.start();
    CHECK(t.take() == "a-100(Thing listed) ");
    t.answer = reconcile_result::requeue();
    t.env.advance(5ms, t.context);
    CHECK(t.take() == "a-100(retry) ");
    t.answer = reconcile_result::requeue_after(1s).with_priority(7);
    t.env.advance(10ms, t.context);
    CHECK(t.take() == "a-100(requeue) ");
    t.answer = reconcile_result::done();
    t.env.advance(1s, t.context);
    CHECK(t.take() == "a7(timer) ");
}

TEST_CASE("each record of a reconcile's log carries its causes") {
    told t;
    t.answer = error(errc::unavailable, "not yet");
    t.source->put(make_thing("a"));
    t.start();
    const auto first = t.log.find("cause=Thing listed");
    REQUIRE(first != std::string::npos);
    CHECK(t.log.find("cause=Thing listed", first + 1) != std::string::npos);  // that it failed
}

TEST_CASE("fair: however many requests one namespace has, the others get their turn") {
    told t(controller_options().fair(fairness::by_namespace));
    t.held = true;
    t.start();
    for (const char* name : {"1", "2", "3", "4"}) t.c.enqueue(request("big", name));
    t.c.enqueue(request("small", "5"));
    t.ready();
    t.held = false;
    t.gate.notify_all();
    CHECK(t.take() == "10(enqueued) 50(enqueued) 20(enqueued) 30(enqueued) 40(enqueued) ");
}

TEST_CASE("the rate limiter is the one that was given; where it throws it is told, and the request comes again") {
    bool broken = false;
    told t(controller_options().rate_limit(rate_limiter::custom([&broken](const rate_limit_attempt&) -> duration {
        if (broken) throw std::runtime_error("no idea");
        return 3s;
    })));
    t.answer = error(errc::unavailable, "not yet");
    t.source->put(make_thing("a"));
    t.start();
    broken = true;
    t.take();
    t.env.advance(3s, t.context);
    CHECK(t.take() == "a-100(retry) ");
    CHECK(t.log.find("no idea") != std::string::npos);
    CHECK(t.c.stats().callback_exceptions == 1);
    t.env.advance(10s, t.context);
    CHECK(t.take() == "a-100(retry) ");
}

TEST_CASE("what is counted, by priority") {
    told t;
    t.held = true;
    t.source->put(make_thing("a"));
    t.source->put(make_thing("b"));
    t.start();
    t.env.advance(3s, t.context);
    t.c.enqueue(request("ns", "c"));
    const controller_stats running = t.c.stats();
    REQUIRE(running.by_priority.size() == 2);
    const priority_stats& zero = running.by_priority[0];
    const priority_stats& low = running.by_priority[1];
    CHECK(priority_label(zero.counters) == "0");
    CHECK(priority_label(low.counters) == "-100");
    CHECK(zero.counters.depth == 1);
    CHECK(low.counters.depth == 1);
    CHECK(low.unfinished_work == 3s);
    CHECK(low.longest_running == 3s);
    CHECK(zero.unfinished_work == 0s);
    t.held = false;
    t.gate.notify_all();
    t.ready();
    const controller_stats ended = t.c.stats();
    CHECK(ended.by_priority[1].work_duration.sum() == doctest::Approx(3.0));
    CHECK(ended.by_priority[1].queue_duration.count() == 2);
    CHECK(ended.by_priority[1].queue_duration.sum() == doctest::Approx(3.0));
    CHECK(ended.by_priority[0].work_duration.count() == 1);
    CHECK(ended.by_priority[1].longest_running == 0s);
}

TEST_CASE("what is counted, by priority: of 25 each by itself, and of all others together") {
    told t;
    t.held = true;
    t.start();
    for (int p = 1; p <= 40; ++p) t.c.enqueue(request("ns", "p" + std::to_string(p)), add_options().priority(p));
    const auto all = t.c.stats().by_priority;
    REQUIRE(all.size() == 26);
    for (int p = 0; p < 25; ++p) {  // 0 is always there
        const priority_counters& of = all[static_cast<std::size_t>(24 - p)].counters;
        CHECK(priority_label(of) == std::to_string(p));
        CHECK(of.adds == (p == 0 ? 0 : 1));
    }
    CHECK(priority_label(all[25].counters) == "exceeded_cardinality_limit");
    CHECK(all[25].counters.adds == 16);
}

TEST_CASE("hold_back: while the server answers 429 what is low waits, 60 s at most") {
    told t(controller_options().hold_back(backpressure_targets()).max_concurrent_reconciles(2));
    t.answer = error(api_errc::too_many_requests);
    t.start();
    t.c.enqueue(request("ns", "busy"));
    CHECK(t.take() == "busy0(enqueued) ");
    t.answer = reconcile_result::done();
    t.c.enqueue(request("ns", "low"), add_options().priority(low_priority));
    CHECK(t.take() == "");
    t.env.advance(5ms, t.context);
    CHECK(t.take() == "busy0(retry) ");
    t.env.advance(9s, t.context);
    CHECK(t.take() == "");
    t.env.advance(1s, t.context);  // nobody but the clock wakes it
    CHECK(t.take() == "low-100(enqueued) ");
    t.c.observe_throttled();
    t.c.enqueue(request("ns", "low"), add_options().priority(low_priority));
    for (int second = 0; second < 59; ++second) {
        t.env.advance(1s, t.context);
        t.c.observe_throttled();
    }
    CHECK(t.take() == "");
    t.env.advance(1s, t.context);
    CHECK(t.take() == "low-100(enqueued) ");
}

TEST_CASE("hold_back: what the client counts from the start of the run on is a sign") {
    told t(controller_options().hold_back(backpressure_targets()));
    client_load load;
    load.throttled = 5;  // before
    t.c.watch_load([&load] { return load; });
    t.start();
    const auto low_comes = [&t] {
        t.c.enqueue(request("ns", "low"), add_options().priority(low_priority));
        const bool came = !t.take().empty();
        t.env.advance(10s, t.context);
        t.take();
        return came;
    };
    CHECK(low_comes());
    load.throttled = 6;
    CHECK_FALSE(low_comes());
    CHECK(low_comes());
    load.writes = 100;
    load.write_time = 300s;
    CHECK_FALSE(low_comes());
    load = client_load();  // another client
    CHECK(low_comes());
    load.writes = 100;
    load.write_time = 1s;
    CHECK(low_comes());
    load.throttled = 1;
    CHECK_FALSE(low_comes());
}

TEST_CASE("hold_back: while writes are slow what is medium keeps half of the workers") {
    told t(controller_options().hold_back(backpressure_targets()).max_concurrent_reconciles(4));
    t.held = true;
    t.start();
    for (int i = 0; i < 20; ++i) t.c.observe_write(3s);
    for (const char* name : {"1", "2", "3", "4"}) t.c.enqueue(request("ns", name));
    CHECK(t.take() == "10(enqueued) 20(enqueued) ");
    t.c.enqueue(request("ns", "urgent"), add_options().priority(1));
    CHECK(t.take() == "urgent1(enqueued) ");
    t.env.advance(10s, t.context);
    CHECK(t.take() == "30(enqueued) ");
}
