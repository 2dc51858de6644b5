#include "outputs/feed.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "recording_output.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;
using namespace std::chrono_literals;

namespace {

struct fixture {
    boost::asio::io_context context;
    kcontrol::testing::manual_environment env;
    recording_output out{env};
    board shown;
    std::stop_source stop;
    bool ended = false;

    void start() {
        kcontrol::testing::start(context, feed(
                                              env, out, shown, [this] { ended = true; }, {}, stop.get_token()));
        ready_now();
    }
    void ready_now() { env.run_ready(context); }
    void after(kcontrol::duration d) { env.advance(d, context); }
    void publish(std::uint64_t version) {
        shown.publish(of({}, version));
        ready_now();
    }
    ~fixture() {
        stop.request_stop();
        env.advance(1min, context);
    }
};

using versions = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE_FIXTURE(fixture, "feed: each value once") {
    start();
    CHECK(out.put_versions.empty());
    publish(1);
    publish(2);
    after(10min);
    CHECK(out.put_versions == versions{1, 2});
}

TEST_CASE_FIXTURE(fixture, "feed: what was published before is put at the start; of several the newest") {
    publish(1);
    publish(2);
    start();
    CHECK(out.put_versions == versions{2});
}

TEST_CASE_FIXTURE(fixture, "feed: while one is put, newer ones wait, and only the newest is put") {
    out.takes = 1s;
    start();
    publish(1);
    publish(2);
    publish(3);
    CHECK(out.put_versions == versions{1});
    after(1s);
    CHECK(out.put_versions == versions{1, 3});
}

TEST_CASE_FIXTURE(fixture, "feed: a failure is repeated, later each time, and at once for a newer value") {
    out.failure = kcontrol::error(kcontrol::errc::unavailable, "no");
    start();
    publish(1);
    after(100ms);
    CHECK(out.put_versions.size() <= 2);
    after(1min);
    const auto tries = out.put_versions.size();
    CHECK(tries >= 8);
    CHECK(tries <= 13);  // 100 ms doubling to 10 s
    after(1ms);
    publish(2);
    CHECK(out.put_versions.back() == 2);
    out.failure.reset();
    after(12s);
    const auto all = out.put_versions.size();
    after(10min);
    CHECK(out.put_versions.size() == all);
}

TEST_CASE_FIXTURE(fixture, "feed: an output that may change by itself is looked at again, also after failures") {
    out.again_after = 1s;
    start();
    publish(1);
    after(10s);
    CHECK(out.put_versions.size() == 11);
    out.failure = kcontrol::error(kcontrol::errc::unavailable, "no");
    after(60s);
    out.failure.reset();
    out.put_versions.clear();
    after(2s);
    CHECK(out.put_versions.size() >= 1);  // its pause does not grow beyond that second and a fifth
}

TEST_CASE_FIXTURE(fixture, "feed: a gap between two puts") {
    out.least_gap = 200ms;
    start();
    publish(1);
    publish(2);
    CHECK(out.put_versions == versions{1});
    publish(3);
    after(199ms);
    CHECK(out.put_versions == versions{1});
    after(1ms);
    CHECK(out.put_versions == versions{1, 3});
}

TEST_CASE_FIXTURE(fixture, "feed: an output that is closed ends it") {
    out.failure = kcontrol::error(kcontrol::errc::connection_lost, "Broken pipe");
    out.final_failures = true;
    start();
    publish(1);
    CHECK(ended);
    publish(2);
    after(1min);
    CHECK(out.put_versions == versions{1});
}
