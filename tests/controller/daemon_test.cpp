// Daemons and timers of objects, in a controller.
#include <kcontrol/controller/controller.hpp>
#include <kcontrol/controller/object_polls.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/thing.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;

namespace {

struct stage {
    explicit stage(controller_options with = {}) : c(env, context.get_executor(), "things", call(), options(with)) {
        c.watch_primary(source, enqueue_for_object, {}, [](const any_object& o) { return request(o.key()); });
    }
    ~stage() { stop(); }
    controller_options options(controller_options out) {
        out.daemon_backoff(backoff_policy().initial(1s).jitter(0)).log(logger([this](const log_record& r) {
            log += std::string(r.message);
            for (const auto& f : r.fields) log += " " + std::string(f.name) + "=" + f.value;
            log += "\n";
        }));
        return out;
    }
    reconciler<request> call() {
        return make_reconciler<request>([this](reconcile_context ctx, const request& req) {
            reconciles += req.name + " ";
            if (reconcile) reconcile(ctx, req);
            return reconcile_result::done();
        });
    }
    // One that says when it begins and why it ends.
    daemon_function waits(const std::string& name) {
        return [this, name](daemon_context ctx) { return wait_for_stop(name, std::move(ctx)); };
    }
    awaitable<result<void>> wait_for_stop(std::string name, daemon_context ctx) {
        seen += name + " begins; ";
        async_event never;
        const wake why = co_await never.wait(env, ctx.stop());
        CHECK(why == wake::stopped);
        if (lingers) co_await gate.wait(env, {});
        seen += name + " ends: " + std::string(to_string(ctx.stop_reason())) + "; ";
        co_return error(errc::stopped);
    }
    static awaitable<void> stop_of(any_controller& c) {
        const bool drained = co_await c.stop();
        static_cast<void>(drained);
    }
    void stop() { testing::run(context, env, stop_of(c)); }
    void ready() { manual_environment::run_ready(context); }
    void put(const char* name, const char* version = "1") { source->put(make_thing(name, version)), ready(); }
    void start(const stop_parents& parents = {}) { c.start(parents), ready(); }
    std::size_t told(std::string_view what) const {
        std::size_t n = 0;
        for (auto at = log.find(what); at != std::string::npos; at = log.find(what, at + 1)) ++n;
        return n;
    }
    std::string take() { return std::exchange(seen, {}); }

    boost::asio::io_context context;
    manual_environment env;
    std::string log, reconciles, seen;
    bool lingers = false;
    async_event gate;
    std::function<void(const reconcile_context&, const request&)> reconcile;
    std::shared_ptr<fake_source> source = std::make_shared<fake_source>(env);
    controller c;
};

}  // namespace

TEST_CASE("a daemon runs once an object and name, between reconciles, until the object goes") {
    stage s;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) { ctx.daemon("watch", s.waits(req.name)); };
    s.start();
    s.put("a");
    s.put("b");
    CHECK(s.take() == "a begins; b begins; ");
    s.put("a", "2");
    s.put("a", "3");
    CHECK(s.reconciles == "a b a a ");
    CHECK(s.take().empty());
    CHECK(s.c.stats().daemons == 2);
    s.source->remove({"ns", "a"});
    s.ready();
    CHECK(s.take() == "a ends: object deleted; ");  // the reconcile of what is gone starts none
    CHECK(s.reconciles == "a b a a a ");
    s.put("a");
    CHECK(s.take() == "a begins; ");
    s.stop();
    CHECK(s.take() == "a ends: stopped; b ends: stopped; ");
    CHECK(s.c.stats().daemons == 0);
    CHECK(s.c.stats().daemon_failures == 0);
    CHECK(s.log.find("daemon failed") == std::string::npos);
    CHECK(s.env.pending_timers() == 0);
    s.start();
    CHECK(s.take() == "a begins; b begins; ");
}

TEST_CASE("a name is used again only when the one before has returned, also across a stop") {
    stage s;
    s.lingers = true;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) { ctx.daemon("watch", s.waits(req.name)); };
    s.start();
    s.put("a");
    s.source->remove({"ns", "a"});
    s.put("a", "2");
    CHECK(s.reconciles == "a a ");
    CHECK(s.take() == "a begins; ");
    s.lingers = false;
    s.gate.notify_all();
    s.ready();
    CHECK(s.take() == "a ends: object deleted; a begins; ");
}

TEST_CASE("a daemon that fails is told once and runs again with backoff; one that is done does not") {
    stage s;
    int calls = 0;
    s.reconcile = [&](const reconcile_context& ctx, const request&) {
        ctx.daemon("probe", [&calls](daemon_context d) -> awaitable<result<void>> {
            CHECK(d.failures() == static_cast<std::uint64_t>(calls));
            ++calls;
            if (calls == 1) throw std::runtime_error("boom");
            if (calls < 4) co_return error(errc::connection_refused, "nobody listens");
            co_return result<void>();
        });
    };
    s.start();
    s.put("a");
    CHECK(calls == 1);
    s.env.advance(1s, s.context);
    CHECK(calls == 2);
    s.env.advance(2s, s.context);
    CHECK(calls == 3);
    s.put("a", "2");
    CHECK(calls == 3);
    s.env.advance(4s, s.context);
    CHECK(calls == 4);
    s.put("a", "3");
    s.env.advance(1h, s.context);
    CHECK(calls == 4);
    CHECK(s.c.stats().daemon_failures == 3);
    CHECK(s.c.stats().daemons == 0);
    CHECK(s.told("nobody listens") == 1);
    CHECK(s.log.find("boom") != std::string::npos);
    CHECK(s.log.find("name=a daemon=probe") != std::string::npos);
}

TEST_CASE("a timer calls at once and once a period, has its object reconciled, and ends with it") {
    stage s;
    int calls = 0;
    s.reconcile = [&](const reconcile_context& ctx, const request&) {
        ctx.timer("poll", 10s, [&calls](daemon_context d) -> awaitable<result<void>> {
            ++calls;
            if (calls == 2) d.reconcile();
            if (calls == 3) co_return error(errc::timeout, "no answer");
            co_return result<void>();
        });
        s.seen += to_string(ctx.causes()) + "; ";
    };
    s.start();
    s.put("a");
    CHECK(calls == 1);
    s.env.advance(10s, s.context);
    CHECK(calls == 2);
    CHECK(s.seen == "added; daemon signalled; ");
    s.env.advance(10s, s.context);
    CHECK(calls == 3);
    s.env.advance(1s, s.context);  // the backoff in place of the period
    CHECK(calls == 4);
    s.env.advance(10s, s.context);
    CHECK(calls == 5);
    s.source->remove({"ns", "a"});
    s.env.advance(1h, s.context);
    CHECK(calls == 5);
    CHECK(s.c.stats().daemons == 0);
}

TEST_CASE("stop_daemon ends one, and the name may be used again; a context that is kept does nothing later") {
    stage s;
    std::optional<reconcile_context> kept;
    bool wanted = true;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) {
        kept = ctx;
        if (wanted) ctx.daemon("watch", s.waits(req.name));
        if (!wanted) ctx.stop_daemon("watch");
    };
    s.start();
    s.put("a");
    CHECK(s.take() == "a begins; ");
    kept->stop_daemon("watch");
    kept->daemon("another", s.waits("late"));
    s.ready();
    CHECK(s.take().empty());
    CHECK(s.told("a daemon was asked for when its reconcile had ended") == 2);
    wanted = false;
    s.put("a", "2");
    CHECK(s.take() == "a ends: stopped; ");
    wanted = true;
    s.put("a", "3");
    CHECK(s.take() == "a begins; ");
    kept.reset();
}

TEST_CASE("of an object that goes while its reconcile asks, no daemon runs") {
    stage s;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) {
        s.source->remove({"ns", "a"});
        ctx.daemon("watch", s.waits(req.name));
    };
    s.start();
    s.put("a");
    CHECK(s.take().empty());
    CHECK(s.c.stats().daemons == 0);
}

TEST_CASE("why a daemon ends is what its controller is told: leadership, a cluster, the program") {
    for (const stop_reason why : {stop_reason::lost_leadership, stop_reason::disengaged, stop_reason::stopped}) {
        stage s;
        s.reconcile = [&](const reconcile_context& ctx, const request& req) { ctx.daemon("watch", s.waits(req.name)); };
        std::stop_source source;
        stop_parents parents;
        parents.add(source.get_token(), why);
        s.start(parents);
        s.put("a");
        source.request_stop();
        s.ready();
        CHECK(s.take() == "a begins; a ends: " + std::string(to_string(why)) + "; ");
        CHECK(s.c.state() == controller_state::idle);
        CHECK(s.told("daemon failed") == 0);
    }
}

TEST_CASE("a daemon may be bounded in number: what is refused is told once a minute, counted, and starts later") {
    stage s(controller_options().max_daemons(3).max_daemons_per_object(2));
    std::vector<std::string> names{"one", "two", "three"};
    s.reconcile = [&](const reconcile_context& ctx, const request& req) {
        for (const std::string& name : names) ctx.daemon(name, s.waits(req.name + "/" + name));
    };
    s.start();
    s.put("a");
    CHECK(s.take() == "a/one begins; a/two begins; ");
    CHECK(s.told("error=the object has 2 already, as many as "
                 "controller_options::max_daemons_per_object() says") == 1);
    s.put("b");
    CHECK(s.take() == "b/one begins; ");
    CHECK(s.c.stats().daemons == 3);
    CHECK(s.c.stats().daemon_starts == 3);
    CHECK(s.c.stats().daemons_refused == 3);  // a/three, b/two, b/three
    CHECK(s.told("refused") == 1);
    s.env.advance(2min, s.context);
    s.put("b", "2");
    CHECK(s.told("there are 3 already, as many as controller_options::max_daemons() says times=3") == 1);
    s.source->remove({"ns", "a"});
    s.ready();
    s.put("b", "3");
    CHECK(s.take() == "a/one ends: object deleted; a/two ends: object deleted; b/two begins; ");
}

TEST_CASE("a timer without a function has its object reconciled, once a period") {
    stage s;
    s.reconcile = [&](const reconcile_context& ctx, const request&) {
        ctx.timer("look", 10s);
        s.seen += to_string(ctx.causes()) + "; ";
    };
    s.start();
    s.put("a");
    CHECK(s.take() == "added; ");
    s.env.advance(9s, s.context);
    CHECK(s.take().empty());
    s.env.advance(1s, s.context);
    CHECK(s.take() == "daemon signalled; ");
    s.env.advance(100s, s.context);
    CHECK(s.reconciles == "a a a a a a a a a a a a ");
    s.source->remove({"ns", "a"});
    s.ready();
    s.reconciles.clear();
    s.env.advance(1h, s.context);
    CHECK(s.reconciles.empty());
    CHECK(s.env.pending_timers() == 0);
}

TEST_CASE("polls: the last answer for each object, and a reconcile when it is another one") {
    stage s;
    object_polls<int> polls("poll", 10s);
    std::string question = "x";
    int calls = 0;
    result<int> answer = 1;
    bool asks = true;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) {
        if (!asks) return polls.end(ctx, req.name);
        polls.poll(ctx, req.name, question, [&](std::stop_token) -> awaitable<result<int>> {
            ++calls;
            co_return answer;
        });
        const auto last = polls.last(req.name, question);
        s.seen += last == nullptr ? "none; " : *last ? std::to_string(**last) + "; " : last->error().what() + "; ";
    };
    s.start();
    s.put("a");
    CHECK(s.take() == "1; 1; ");  // it answers at once
    s.env.advance(20s, s.context);
    CHECK(calls == 3);
    CHECK(s.take().empty());
    answer = 2;
    s.env.advance(10s, s.context);
    CHECK(s.take() == "2; ");
    answer = error(errc::timeout, "late");
    s.env.advance(10s, s.context);
    CHECK(s.take() == "late; ");
    s.env.advance(1s, s.context);  // the backoff in place of the period
    CHECK(calls == 6);
    CHECK(s.take().empty());
    CHECK(polls.last("a", "y") == nullptr);
    CHECK(polls.last("b", "x") == nullptr);

    question = "y";  // asked at once, without the answer to the other one
    answer = 3;
    s.put("a", "2");
    CHECK(s.take() == "none; 3; ");
    asks = false;
    s.put("a", "3");
    CHECK(polls.last("a", "y") == nullptr);
    CHECK(s.c.stats().daemons == 0);
    const int before = calls;
    s.env.advance(1h, s.context);
    CHECK(calls == before);
    asks = true;
    s.put("a", "4");
    CHECK(s.take() == "3; 3; ");
    s.source->remove({"ns", "a"});
    s.ready();
    CHECK(polls.last("a", "y") == nullptr);
    CHECK(s.env.pending_timers() == 0);
}

TEST_CASE("a period of nothing is a millisecond, and no endless loop") {
    stage s;
    int calls = 0;
    s.reconcile = [&](const reconcile_context& ctx, const request&) {
        ctx.timer("busy", 0s, [&calls](daemon_context) -> awaitable<result<void>> {
            ++calls;
            co_return result<void>();
        });
    };
    s.start();
    s.put("a");
    s.env.advance(10ms, s.context);
    CHECK(calls == 11);
}

TEST_CASE("a daemon that does not heed its stop is waited for in bounded time, and told") {
    stage s(controller_options().graceful_stop_timeout(5s));
    s.lingers = true;
    s.reconcile = [&](const reconcile_context& ctx, const request& req) { ctx.daemon("watch", s.waits(req.name)); };
    s.start();
    s.put("a");
    bool drained = true, returned = false;
    boost::asio::co_spawn(
        s.context,
        [](any_controller& c, bool& d, bool& r) -> awaitable<void> {
            d = co_await c.stop();
            r = true;
        }(s.c, drained, returned),
        boost::asio::detached);
    s.env.advance(4s, s.context);
    CHECK_FALSE(returned);
    s.env.advance(2s, s.context);
    CHECK(returned);
    CHECK_FALSE(drained);
    REQUIRE(s.c.last_error());
    CHECK(s.c.last_error()->message() ==
          "controller things: 1 reconciles and daemons have not returned in time after the stop");
    // The name is its own until it has returned, in the next run as well.
    s.start();
    CHECK(s.take() == "a begins; ");
    s.lingers = false;
    s.gate.notify_all();
    s.ready();
    CHECK(s.take() == "a ends: stopped; a begins; ");
    CHECK(s.c.stats().daemons == 1);
}

TEST_CASE("a daemon may stop its controller, and goes on afterwards") {
    stage s;
    std::string steps;
    s.reconcile = [&](const reconcile_context& ctx, const request&) {
        ctx.daemon("last", [&](daemon_context d) -> awaitable<result<void>> {
            const bool drained = co_await s.c.stop();
            steps += drained ? "stopped " : "not drained ";
            steps += to_string(d.stop_reason());
            co_return result<void>();
        });
    };
    s.start();
    s.put("a");
    CHECK(steps == "stopped stopped");
    CHECK(s.c.state() == controller_state::idle);
    s.ready();
    CHECK(s.c.stats().daemons == 0);
}

TEST_CASE("10,000 objects with a daemon each, and all of them deleted: nothing is left") {
    stage s(controller_options().max_concurrent_reconciles(100));
    s.reconcile = [&](const reconcile_context& ctx, const request& req) { ctx.daemon("watch", s.waits(req.name)); };
    s.start();
    for (int i = 0; i < 10'000; ++i) s.source->put(make_thing(std::to_string(i), "1"));
    s.ready();
    CHECK(s.c.stats().daemons == 10'000);
    for (int i = 0; i < 10'000; ++i) s.source->remove({"ns", std::to_string(i)});
    s.ready();
    CHECK(s.c.stats().daemons == 0);
    CHECK(s.c.stats().daemon_starts == 10'000);
    CHECK(s.told("refused") == 0);
    CHECK(s.env.pending_timers() == 0);
}
