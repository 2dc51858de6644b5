#include "service/run_loop.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "recording_output.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;
using namespace std::chrono_literals;

namespace {

// A source whose value the test sets.
class scripted_source final : public source {
public:
    explicit scripted_source(kcontrol::environment& env) : env_(env) {}

    kcontrol::result<void> start(std::function<void()> on_change) override {
        if (refuses) return kcontrol::error(kcontrol::errc::invalid_argument, "no such target");
        changed_ = std::move(on_change);
        return {};
    }
    kcontrol::awaitable<void> stop() override {
        stopped = true;
        co_return;
    }
    view current() const override { return now_; }
    kcontrol::duration age() const override {
        return now_.state == freshness::live ? kcontrol::duration::zero() : env_.now() - sign_;
    }
    std::optional<kcontrol::error> problem() const override { return problem_; }

    void set(view v, std::optional<kcontrol::error> problem = std::nullopt) {
        if (v.state == freshness::live || now_.version == 0) sign_ = env_.now();
        now_ = std::move(v);
        problem_ = std::move(problem);
        if (changed_) changed_();
    }
    void turn(freshness state) {
        view v = now_;
        v.state = state;
        set(std::move(v));
    }

    bool refuses = false, stopped = false;

private:
    kcontrol::environment& env_;
    std::function<void()> changed_;
    view now_;
    kcontrol::time_point sign_{};
    std::optional<kcontrol::error> problem_;
};

struct fixture {
    boost::asio::io_context context;
    kcontrol::testing::manual_environment env;
    scripted_source from{env};
    std::vector<std::unique_ptr<output>> outputs;
    recording_output* out = nullptr;
    options o;
    std::stop_source stop;
    std::optional<exit_status> ended;
    std::vector<std::string> logged;

    fixture() {
        auto made = std::make_unique<recording_output>(env);
        out = made.get();
        outputs.push_back(std::move(made));
        o.in_namespace = "shop";
        o.name = "web";
    }
    ~fixture() {
        stop.request_stop();
        after(1min);
    }
    kcontrol::awaitable<void> keep() {
        const kcontrol::logger log([this](const kcontrol::log_record& r) { write_down(r); }, kcontrol::log_level::info);
        ended = co_await run_loop(env, context.get_executor(), o, from, outputs, log, stop.get_token());
    }
    void write_down(const kcontrol::log_record& record) {
        std::string line(record.message);
        for (const auto& [name, value] : record.fields) line += " " + std::string(name) + "=" + std::string(value);
        logged.push_back(std::move(line));
    }
    void start() {
        kcontrol::testing::start(context, keep());
        env.run_ready(context);
    }
    void set(view v, std::optional<kcontrol::error> problem = std::nullopt) {
        from.set(std::move(v), std::move(problem));
        env.run_ready(context);
    }
    void turn(freshness state) {
        from.turn(state);
        env.run_ready(context);
    }
    void after(kcontrol::duration d) { env.advance(d, context); }
};

using versions = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE_FIXTURE(fixture, "run_loop: each change of value or state reaches the output, nothing else does") {
    start();
    CHECK(out->put_versions.empty());
    set(of({ready("10.0.0.1")}, 1));
    set(of({ready("10.0.0.1")}, 1), kcontrol::error(kcontrol::errc::unavailable, "a problem is none of the value"));
    set(of({ready("10.0.0.2")}, 2));
    turn(freshness::resuming);
    turn(freshness::stale);
    turn(freshness::live);
    CHECK(out->put_versions == versions{1, 2, 2, 2, 2});
    CHECK(!ended);
    stop.request_stop();
    after(1ms);
    CHECK(ended == exit_status::done);
    CHECK(from.stopped);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once ends with the first value that the server confirmed") {
    o.once = true;
    o.timeout = kcontrol::duration(30s);
    start();
    view cached = of({ready("10.0.0.9")}, 1);
    cached.state = freshness::stale;
    set(cached);
    CHECK(!ended);
    set(of({ready("10.0.0.1")}, 2));
    CHECK(ended == exit_status::done);
    CHECK(out->put_versions == versions{2});
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once without an answer: 1, or 3 and the value of the cache") {
    o.once = true;
    o.timeout = kcontrol::duration(5s);
    start();
    SUBCASE("nothing is known") {
        after(4999ms);
        CHECK(!ended);
        after(1ms);
        CHECK(ended == exit_status::failed);
        CHECK(out->put_versions.empty());
        CHECK(logged ==
              std::vector<std::string>{"the server did not answer in time target=endpoints shop/web timeout=5s"});
    }
    SUBCASE("the cache knows something") {
        view cached = of({ready("10.0.0.9")}, 1);
        cached.state = freshness::stale;
        set(cached, kcontrol::error(kcontrol::errc::connection_refused, "nobody listens"));
        after(5s);
        CHECK(ended == exit_status::stale);
        CHECK(out->put_versions == versions{1});
        REQUIRE(logged.size() == 1);
        CHECK(logged[0].find("nobody listens") != std::string::npos);
    }
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once fails at once where more time does not help") {
    o.once = true;
    o.timeout = kcontrol::duration(30s);
    start();
    set(of({}, 1), kcontrol::error(kcontrol::errc::invalid_argument, "no port \"http\"; there are web and admin"));
    CHECK(ended == exit_status::failed);
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].find("there are web and admin") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once waits where the Service is not known yet that may have the port") {
    o.once = true;
    start();
    view held_back;
    set(held_back, kcontrol::error(kcontrol::errc::invalid_argument, "there is no port \"80\""));
    CHECK(!ended);
    CHECK(logged.empty());
    set(of({ready("10.0.0.1")}, 1));
    CHECK(ended == exit_status::done);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once with an output that can't be brought up to date") {
    o.once = true;
    out->failure = kcontrol::error(kcontrol::errc::unavailable, "--check failed");
    start();
    set(of({ready("10.0.0.1")}, 1));
    CHECK(ended == exit_status::failed);
    CHECK(out->put_versions == versions{1});
}

TEST_CASE_FIXTURE(fixture, "run_loop: --timeout is about the first answer alone") {
    o.timeout = kcontrol::duration(5s);
    start();
    set(of({ready("10.0.0.1")}, 1));
    turn(freshness::stale);
    after(10min);
    CHECK(!ended);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --on-stale exit") {
    o.when_stale = on_stale::exit;
    start();
    set(of({ready("10.0.0.1")}, 1));
    after(10min);
    CHECK(!ended);
    set(of({ready("10.0.0.1")}, 1));
    turn(freshness::resuming);
    after(59999ms);
    CHECK(!ended);
    after(1ms);
    CHECK(ended == exit_status::stale);
    CHECK(out->put_views.back().endpoints.size() == 1);  // what was there stays
}

TEST_CASE_FIXTURE(fixture, "run_loop: --on-stale empty, and the value again when the server is back") {
    o.when_stale = on_stale::empty;
    start();
    set(of({ready("10.0.0.1")}, 1));
    turn(freshness::stale);
    after(60s);
    CHECK(out->put_views.back().endpoints.empty());
    CHECK(out->put_views.back().state == freshness::stale);
    turn(freshness::live);
    CHECK(out->put_views.back().endpoints.size() == 1);
    CHECK(!ended);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --on-stale counts from the start where nothing was ever known") {
    o.when_stale = on_stale::exit;
    start();
    after(60s);
    CHECK(ended == exit_status::stale);
}

TEST_CASE_FIXTURE(fixture,
                  "run_loop: a file that is too old: the outputs stay until the server had --max-stale to answer") {
    o.when_stale = on_stale::empty;
    view cached = of({ready("10.0.0.9")}, 1);
    cached.state = freshness::stale;
    from.set(cached);
    after(10min);
    start();
    after(59s);
    CHECK(out->put_versions.empty());
    SUBCASE("it answers") {
        set(of({ready("10.0.0.1")}, 2));
        CHECK(out->put_versions == versions{2});
    }
    SUBCASE("it does not") {
        after(1s);
        REQUIRE(out->put_views.size() == 1);
        CHECK(out->put_views[0].endpoints.empty());
    }
}

TEST_CASE_FIXTURE(fixture, "run_loop: what is wrong with the target is logged, once") {
    start();
    const kcontrol::error no_port(kcontrol::errc::invalid_argument, "there is no port \"http\"; choose one of web");
    set(of({}, 1), no_port);
    set(of({}, 2), no_port);
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].find("choose one of web") != std::string::npos);
    set(of({}, 2), kcontrol::error(kcontrol::errc::unavailable, "the library logs it"));
    CHECK(logged.size() == 1);
    set(of({ready("10.0.0.1")}, 3));
    REQUIRE(logged.size() == 2);
    CHECK(logged[1] == "the target is usable target=endpoints shop/web");
    CHECK(!ended);
}

TEST_CASE_FIXTURE(fixture, "run_loop: --once prints a leader whose address is not known") {
    o.once = true;
    o.what = followed::leader;
    start();
    view now;
    now.is_leader = true;
    now.version = 1;
    now.state = freshness::live;
    now.holder = "master-0";
    set(now, kcontrol::error(kcontrol::errc::invalid_argument, "the leader's address is not known"));
    CHECK(ended == exit_status::done);
    CHECK(out->put_versions == versions{1});
    CHECK(logged.size() == 1);
}

TEST_CASE_FIXTURE(fixture, "run_loop: an output that is closed ends it with 1, and so does a source that can't start") {
    SUBCASE("output") {
        out->failure = kcontrol::error(kcontrol::errc::connection_lost, "Broken pipe");
        out->final_failures = true;
        start();
        set(of({ready("10.0.0.1")}, 1));
        after(1ms);
    }
    SUBCASE("source") {
        from.refuses = true;
        start();
    }
    CHECK(ended == exit_status::failed);
}
