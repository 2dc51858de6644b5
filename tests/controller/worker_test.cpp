// Reconcilers on a thread pool of the program, beside a controller on a strand that two threads run. Worth its money
// under ThreadSanitizer (scripts/test.sh --only tsan).
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/fake_source.hpp>

#include "support/thing.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using kcontrol::testing::fake_source;

namespace {

// A controller's home: a strand on a context that two threads run.
class home {
public:
    home() {
        for (auto& one : threads_) one = std::thread([this] { context_.run(); });  // seam: ok, a program's threads
    }
    ~home() {
        work_.reset();
        for (auto& one : threads_) one.join();
    }
    home(const home&) = delete;
    home& operator=(const home&) = delete;

    const executor& strand() const { return strand_; }
    // Calls f on the strand and returns what it returned.
    template <class F>
    auto on_strand(F f) {
        const auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        boost::asio::post(strand_, [task] { (*task)(); });
        return task->get_future().get();
    }
    // Until `done`, asked on the strand, is true.
    template <class F>
    void until(F done) {
        while (!on_strand(done)) std::this_thread::yield();
    }
    bool stop(any_controller& c) { return boost::asio::co_spawn(strand_, c.stop(), boost::asio::use_future).get(); }

private:
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
        boost::asio::make_work_guard(context_);
    executor strand_ = boost::asio::make_strand(context_);
    std::array<std::thread, 2> threads_;  // seam: ok, a program's threads
};

constexpr int things = 20;

// Computes something; every request once at a time.
struct computing {
    explicit computing(boost::asio::thread_pool::executor_type w) : workers(w) {}

    reconciliation operator()(const reconcile_context& ctx, const request& req) {
        const int index = std::stoi(req.name);
        if (running[static_cast<std::size_t>(index)].exchange(true)) ++doubled;
        if (!workers.running_in_this_thread()) ++elsewhere;
        unsigned sum = 0;
        for (unsigned i = 0; i < 20'000; ++i) sum = sum * 31 + i;
        sink += sum;
        if (ctx.stop_reason() != stop_reason::none) ++stopped;
        running[static_cast<std::size_t>(index)] = false;
        ++calls;
        if (index == 3 && calls < 200) throw std::runtime_error("boom");
        if (calls < 200) co_return reconcile_result::requeue_after(1ms);
        co_return reconcile_result::done();
    }

    std::array<std::atomic<bool>, things> running{};
    std::atomic<int> calls = 0, doubled = 0, elsewhere = 0, stopped = 0;
    std::atomic<unsigned> sink = 0;
    boost::asio::thread_pool::executor_type workers;
};

}  // namespace

TEST_CASE("reconcilers run on the workers, each request once at a time; what they answer counts on the strand") {
    system_environment env;
    boost::asio::thread_pool workers(3);
    home at;
    const auto source = std::make_shared<fake_source>(env);
    const auto work = std::make_shared<computing>(workers.get_executor());
    const auto call = [work](reconcile_context ctx, request req) -> reconciliation {
        result<reconcile_result> outcome = co_await (*work)(ctx, req);
        co_return outcome;
    };
    controller_options options;
    options.max_concurrent_reconciles(4).run_on(workers.get_executor()).reconciliation_timeout(1min);
    options.rate_limit(rate_limiter::exponential(1ms, 5ms)).cancel_on_delete(true);
    controller c(env, at.strand(), "things", make_reconciler<request>(call), options);
    at.on_strand([&] {
        c.watch_primary(source, enqueue_for_object, {}, [](const any_object& o) { return request(o.key()); });
        for (int i = 0; i < things; ++i) source->put(make_thing(std::to_string(i)));
        c.start();
    });
    at.until([&] { return c.stats().succeeded >= things && c.stats().active_workers == 0; });
    CHECK(work->doubled == 0);
    CHECK(work->elsewhere == 0);
    CHECK(work->calls >= 200);
    const controller_stats stats = at.on_strand([&] { return c.stats(); });
    CHECK(stats.reconciles() == static_cast<std::uint64_t>(work->calls));
    CHECK(stats.requeued_after > 0);
    CHECK(stats.exceptions > 0);
    CHECK(stats.exceptions == stats.errors);
    CHECK(at.stop(c));
    workers.join();
}

TEST_CASE("a stop ends what runs on the workers, and a coroutine there finds its way home") {
    system_environment env;
    boost::asio::thread_pool workers(2);
    home at;
    const auto source = std::make_shared<fake_source>(env);
    std::atomic<int> waiting = 0, ended = 0, away = 0, at_home = 0;
    const executor strand = at.strand();
    const auto call = [&](reconcile_context ctx, request req) -> reconciliation {
        const auto ask = [](fake_source& of, request about) -> awaitable<any_object> { co_return of.get(about); };
        if (workers.get_executor().running_in_this_thread()) ++away;
        awaitable<any_object> asking = ask(*source, req);
        const any_object found =
            co_await boost::asio::co_spawn(ctx.get_executor(), std::move(asking), boost::asio::use_awaitable);
        if (found && found.meta().name == req.name) ++at_home;
        ++waiting;
        const wake why = co_await sleep_for(env, 1h, ctx.stop());
        if (why == wake::stopped && ctx.stop_reason() == stop_reason::lost_leadership) ++ended;
        co_return error(errc::stopped);
    };
    controller c(env, strand, "things", make_reconciler<request>(call),
                 controller_options().max_concurrent_reconciles(3).run_on(workers.get_executor()));
    std::stop_source lease;
    stop_parents parents;
    parents.add(lease.get_token(), stop_reason::lost_leadership);
    at.on_strand([&] {
        c.watch(source, enqueue_for_object);
        for (const char* name : {"a", "b", "c"}) source->put(make_thing(name));
        c.start(parents);
    });
    at.until([&] { return waiting == 3; });
    lease.request_stop();  // on this thread
    at.until([&] { return c.state() == controller_state::idle; });
    CHECK(ended == 3);
    CHECK(away == 3);
    CHECK(at_home == 3);
    CHECK(at.on_strand([&] { return c.stats().active_workers; }) == 0);
    workers.join();
}

TEST_CASE("reconcilers on the workers ask for daemons, which run on the strand and end when their object goes") {
    system_environment env;
    boost::asio::thread_pool workers(3);
    home at;
    const auto source = std::make_shared<fake_source>(env);
    int begun = 0, deleted = 0, stopped = 0;  // on the strand
    const auto daemon = [&](daemon_context d) -> awaitable<result<void>> {
        ++begun;
        co_await sleep_for(env, 1h, d.stop());
        (d.stop_reason() == stop_reason::deleted ? deleted : stopped) += 1;
        co_return result<void>();
    };
    const auto call = [&](reconcile_context ctx, const request&) {
        for (const char* name : {"one", "two", "one"}) ctx.daemon(name, daemon);
        return reconcile_result::requeue_after(1ms);
    };
    controller c(env, at.strand(), "things", make_reconciler<request>(call),
                 controller_options().max_concurrent_reconciles(4).run_on(workers.get_executor()));
    at.on_strand([&] {
        c.watch_primary(source, enqueue_for_object, {}, [](const any_object& o) { return request(o.key()); });
        for (int i = 0; i < things; ++i) source->put(make_thing(std::to_string(i)));
        c.start();
    });
    at.until([&] { return begun == 2 * things && c.stats().succeeded + c.stats().requeued_after > 5 * things; });
    at.on_strand([&] {
        for (int i = 0; i < things / 2; ++i) source->remove({"ns", std::to_string(i)});
    });
    at.until([&] { return deleted == things; });
    CHECK(at.stop(c));
    at.on_strand([&] {
        CHECK(begun == 2 * things);
        CHECK(deleted == things);
        CHECK(stopped == things);
        CHECK(c.stats().daemons == 0);
        CHECK(c.stats().daemon_starts == 2 * things);
    });
    workers.join();
}

TEST_CASE("a controller is destroyed while its reconcilers compute") {
    system_environment env;
    boost::asio::thread_pool workers(2);
    std::atomic<bool> go_on = false;
    std::atomic<int> begun = 0, ended = 0;
    {
        home at;
        const auto source = std::make_shared<fake_source>(env);
        const auto call = [&](reconcile_context, const request&) {
            ++begun;
            while (!go_on) std::this_thread::yield();
            ++ended;
            return reconcile_result::done();
        };
        auto c = std::make_unique<controller>(
            env, at.strand(), "things", make_reconciler<request>(call),
            controller_options().max_concurrent_reconciles(2).run_on(workers.get_executor()));
        at.on_strand([&] {
            c->watch(source, enqueue_for_object);
            for (const char* name : {"a", "b"}) source->put(make_thing(name));
            c->start();
        });
        at.until([&] { return begun == 2; });
        at.on_strand([&] { c.reset(); });
        go_on = true;
    }
    workers.join();
    CHECK(ended == 2);
}
