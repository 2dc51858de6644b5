// Functions of the program that throw, a std::exception or an int: the controller goes on, tells, counts, and stops.
#include <kcontrol/controller/predicate.hpp>

#include "controller/bench.hpp"
#include "support/throws.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

// Its functions throw as long as the test says so.
class faulty_source final : public event_source {
public:
    faulty_source(environment& env, thrown what) : inner(env), what_(what) {}

    subscription subscribe(any_event_handler handler) override {
        if (at_subscribe) throw_it(what_);
        return inner.subscribe(std::move(handler));
    }
    awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override {
        if (at_wait) throw_it(what_);
        const bool synced = co_await inner.wait_synced(std::move(stop), deadline);
        if (after_wait) throw_it(what_);
        co_return synced;
    }
    std::string describe() const override {
        if (at_describe) throw_it(what_);
        return "a source";
    }

    fake_source inner;
    bool at_subscribe = false, at_wait = false, after_wait = false, at_describe = false;

private:
    thrown what_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct watched {
    watched() = default;
    controller& make(bench& b, event_handler<request> handler, std::vector<predicate> predicates) {
        made.emplace(b.env, b.context.get_executor(), "faulty", b.call(), b.with_log({}));
        made->watch(b.source, std::move(handler), std::move(predicates));
        return *made;
    }
    bool stop(bench& b) {
        bool drained = false;
        testing::start(b.context, stop_into(*made, drained));
        b.ready();
        return drained && made->state() == controller_state::idle;
    }
    std::optional<controller> made;
};

}  // namespace

TEST_CASE("a predicate that throws lets the event pass, and the others are asked all the same") {
    for (const thrown what : all_thrown) {
        bench b;
        watched w;
        bool sound = false;
        const auto throws = [&](const any_event&) -> bool {
            if (!sound) throw_it(what);
            return true;
        };
        const auto no_b = [](const any_event& e) { return e.object().key().name != "b"; };
        auto& c = w.make(b, enqueue_for_object, {throws, no_b});
        c.start();
        b.ready();
        b.source->put(make_thing("a"));
        b.source->put(make_thing("b"));
        CHECK(b.calls() == "a ");
        CHECK(c.stats().callback_exceptions == 2);
        CHECK(contains(c.stats().last_callback_exception, "a predicate ("));
        CHECK(contains(c.stats().last_callback_exception, text_of(what)));
        CHECK(
            contains(b.log, "a function of the program threw\n  controller=faulty\n  function=a predicate\n  about="));
        sound = true;
        b.source->put(make_thing("c"));
        CHECK(b.calls() == "a c ");
        CHECK(c.stats().callback_exceptions == 2);
        CHECK(w.stop(b));
    }
}

TEST_CASE("an event handler that throws loses that object only, and the source's other listeners hear of it") {
    for (const thrown what : all_thrown) {
        bench b;
        watched w;
        const auto handler = [&](const any_event& e, request_sink<request>& sink) {
            if (e.object().key().name == "b") throw_it(what);
            sink.add(request(e.object().key()));
        };
        b.source->put(make_thing("b"));  // at the subscription already
        auto& c = w.make(b, handler, {});
        c.start();
        b.ready();
        b.source->put(make_thing("b"));
        b.source->put(make_thing("a"));
        CHECK(b.calls() == "a ");
        CHECK(c.state() == controller_state::running);
        CHECK(c.stats().callback_exceptions == 2);
        CHECK(contains(b.log, "function=an event handler or map"));
        CHECK(w.stop(b));
    }
}

TEST_CASE("a map that throws at one of an update's objects is asked for the other") {
    for (const thrown what : all_thrown) {
        bench b;
        watched w;
        const auto map = [what](const thing& t) -> request {
            if (t.color == "bad") throw_it(what);
            return request("", "of-" + std::string(t.metadata.name));
        };
        auto& c = w.make(b, enqueue_mapped<thing>(map), {});
        c.start();
        b.ready();
        const auto bad = make_thing("a", "1", "bad");
        const auto good = make_thing("a", "2", "good");
        b.source->publish(testing::updated(bad, good));
        CHECK(b.calls() == "of-a ");
        b.source->publish(testing::updated(good, bad));
        CHECK(b.calls() == "of-a of-a ");
        CHECK(c.stats().callback_exceptions == 2);
        CHECK(w.stop(b));
    }
}

TEST_CASE("a reconciler that throws is tried again, whatever it throws") {
    for (const thrown what : all_thrown) {
        bench b;
        int calls = 0;
        const auto reconcile = [&](reconcile_context, const request&) -> reconcile_result {
            if (++calls < 3) throw_it(what);
            return reconcile_result::done();
        };
        controller c(b.env, b.context.get_executor(), "faulty", make_reconciler<request>(reconcile), b.with_log({}));
        c.watch(b.source, enqueue_for_object);
        b.source->put(make_thing("a"));
        c.start();
        b.ready();
        b.advance(1s);
        CHECK(calls == 3);
        CHECK(c.stats().exceptions == 2);
        CHECK(c.stats().callback_exceptions == 0);
        CHECK(contains(b.log, std::string("the reconciler threw: ") + text_of(what)));
        bool drained = false;
        testing::start(b.context, stop_into(c, drained));
        b.ready();
        CHECK(drained);
    }
}

TEST_CASE("a source that throws fails the run, as one that does not sync, and the next run goes well") {
    for (const thrown what : all_thrown) {
        for (bool faulty_source::*where :
             {&faulty_source::at_subscribe, &faulty_source::at_wait, &faulty_source::after_wait}) {
            bench b;
            const auto source = std::make_shared<faulty_source>(b.env, what);
            controller c(b.env, b.context.get_executor(), "faulty", b.call(), b.with_log({}));
            c.watch(source, enqueue_for_object);
            source->inner.put(make_thing("a"));
            (*source).*where = true;
            source->at_describe = true;
            c.start();
            b.ready();
            CHECK(c.state() == controller_state::idle);
            REQUIRE(c.last_error());
            CHECK(*c.last_error() == errc::callback_failed);
            CHECK(contains(c.last_error()->message(), text_of(what)));
            CHECK(c.stats().callback_exceptions == 2);
            bool drained = false;
            testing::start(b.context, stop_into(c, drained));
            b.ready();
            CHECK(drained);

            (*source).*where = false;
            c.start();
            CHECK(b.calls() == "a ");
            drained = false;
            testing::start(b.context, stop_into(c, drained));
            b.ready();
            CHECK(drained);
        }
    }
}

TEST_CASE("a source that throws when it is added to a running controller disturbs nobody") {
    for (const thrown what : all_thrown) {
        bench b;
        b.start();
        const auto source = std::make_shared<faulty_source>(b.env, what);
        source->at_subscribe = true;
        b.c.watch(source, enqueue_for_object);
        b.source->put(make_thing("a"));
        CHECK(b.calls() == "a ");
        CHECK(b.c.stats().callback_exceptions == 1);
        CHECK(b.stop());
    }
}

TEST_CASE("a handler that watches and unwatches sources while they are subscribed") {
    bench b;
    watched w;
    const auto other = std::make_shared<fake_source>(b.env);
    other->put(make_thing("b"));
    std::uint64_t id = 0;
    const auto handler = [&](const any_event& e, request_sink<request>& sink) {
        sink.add(request(e.object().key()));
        if (id == 0) id = w.made->watch(other, enqueue_for_object);
        w.made->unwatch(1);
    };
    b.source->put(make_thing("a"));
    auto& c = w.make(b, handler, {});
    c.start();
    b.ready();
    CHECK(b.calls() == "a b ");
    CHECK(b.source->listeners() == 0);
    CHECK(w.stop(b));
}
