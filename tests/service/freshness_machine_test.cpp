#include <kcontrol/service/detail/freshness_machine.hpp>

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using service::freshness;
using service::detail::freshness_machine;
using service::detail::sign_reply;

time_point at(duration d) { return time_point(std::chrono::hours(1) + d); }

// Sends requests as the machine asks for them; each ends after `takes` with `how`.
struct driver {
    freshness_machine machine{10s};
    duration now{};
    int asked = 0, resumed = 0;

    void go(duration until, sign_reply how, duration takes) {
        while (now < until) {
            const auto step = machine.next(at(now));
            resumed += step.resume ? 1 : 0;
            if (step.ask) {
                ++asked;
                now += std::min(takes, step.limit);
                machine.replied(takes <= step.limit ? how : sign_reply::none, at(now), 0.5);
                continue;
            }
            const duration next = step.until == time_point::max() ? until : step.until - at(0s);
            REQUIRE(next > now);
            now = std::min(next, until);
        }
    }
};

}  // namespace

TEST_CASE("freshness: states and ages") {
    freshness_machine m(10s);
    m.started(at(0s));
    CHECK(m.state(at(0s)) == freshness::stale);  // nothing is known
    CHECK(m.facts().age(at(0s)) == duration::max());
    m.listed(at(1s));
    CHECK(m.state(at(1s)) == freshness::resuming);  // the watch is not open yet
    m.brought(at(2s));
    CHECK(m.state(at(2s)) == freshness::live);
    CHECK(m.state(at(11s)) == freshness::live);
    CHECK(m.facts().age(at(11s)) == 9s);
    CHECK(m.state(at(12s)) == freshness::stale);  // open, but mute
    m.brought(at(13s));
    CHECK(m.state(at(13s)) == freshness::live);
    m.closed(at(14s));
    CHECK(m.state(at(14s)) == freshness::resuming);
    CHECK(m.state(at(22s)) == freshness::resuming);
    CHECK(m.state(at(23s)) == freshness::stale);
    m.brought(at(30s));
    CHECK(m.state(at(30s)) == freshness::live);
}

TEST_CASE("freshness: a file's value is stale, and as old as the file says") {
    freshness_machine m(10s);
    m.loaded(at(-60s));
    m.started(at(0s));
    CHECK(m.state(at(0s)) == freshness::stale);
    CHECK(m.facts().age(at(0s)) == 60s);
    m.listed(at(1s));
    CHECK(m.facts().age(at(2s)) == 1s);
}

TEST_CASE("freshness: a quiet watch is asked about, every half of the time") {
    driver d;
    d.machine.started(at(0s));
    d.machine.brought(at(0s));
    d.go(60s, sign_reply::answered, 10ms);
    CHECK(d.asked == 11);
    CHECK(d.resumed == 0);
    CHECK(d.machine.state(at(60s)) == freshness::live);
    // Refused by the server: it lives all the same.
    d.go(120s, sign_reply::refused, 10ms);
    CHECK(d.machine.state(at(120s)) == freshness::live);
    // A watch that brings something is not asked about.
    const int before = d.asked;
    for (duration t = 120s; t < 180s; t += 1s) {
        d.machine.brought(at(t));
        d.go(t + 1s, sign_reply::answered, 10ms);
    }
    CHECK(d.asked == before);
}

TEST_CASE("freshness: a mute watch is stale in time, and resumed at the first sign of life") {
    driver d;
    d.machine.started(at(0s));
    d.machine.brought(at(0s));
    d.go(9s, sign_reply::none, 1h);
    CHECK(d.machine.state(at(9s)) == freshness::live);
    d.go(300s, sign_reply::none, 1h);
    CHECK(d.machine.state(at(10s)) == freshness::stale);
    CHECK(d.resumed == 0);
    d.go(302s, sign_reply::answered, 1ms);
    CHECK(d.resumed == 1);
    // That answer confirms nothing: what the watch missed is still missing.
    CHECK(d.machine.state(at(302s)) == freshness::stale);
    d.machine.brought(at(302s));
    CHECK(d.machine.state(at(302s)) == freshness::live);
}

TEST_CASE("freshness: a mute watch that speaks again is in order") {
    driver d;
    d.machine.started(at(0s));
    d.machine.brought(at(0s));
    d.go(30s, sign_reply::none, 1h);
    d.machine.brought(at(30s));
    d.go(40s, sign_reply::answered, 1ms);
    CHECK(d.resumed == 0);
    CHECK(d.machine.state(at(40s)) == freshness::live);
}

TEST_CASE("freshness: an outage of five minutes is noticed to be over within two seconds") {
    for (const duration takes : {duration(1ms), duration(1h)}) {  // refused, or a black hole
        driver d;
        d.machine.started(at(0s));
        d.machine.brought(at(0s));
        d.machine.closed(at(1s));
        d.go(301s, sign_reply::none, takes);
        CHECK(d.resumed == 0);
        CHECK(d.asked >= 170);
        CHECK(d.asked <= 450);
        const duration back = d.now;
        while (d.resumed == 0 && d.now < back + 10s) d.go(d.now + 1ms, sign_reply::answered, 1ms);
        CHECK(d.now - back < 2s);
    }
}

TEST_CASE("freshness: a server that refuses while it starts is followed within two seconds of its permission") {
    for (const duration outage : {duration(20s), duration(300s)}) {
        driver d;
        d.machine.started(at(0s));
        d.machine.brought(at(0s));
        d.machine.closed(at(1s));
        d.go(outage, sign_reply::none, 1ms);
        d.go(d.now + 10s, sign_reply::refused, 1ms);  // its roles are not read yet
        CHECK(d.resumed == 0);
        const duration back = d.now;
        while (d.resumed == 0 && d.now < back + 30s) d.go(d.now + 1ms, sign_reply::answered, 1ms);
        CHECK(d.now - back < 2s);
    }
}

TEST_CASE("freshness: a server that answers all the while is not disturbed") {
    driver d;
    d.machine.started(at(0s));
    d.go(300s, sign_reply::answered, 10ms);  // it lists, and lists
    CHECK(d.resumed == 0);
    CHECK(d.asked < 110);
}

TEST_CASE("freshness: one that refuses is asked seldom after a while, and followed once it permits") {
    driver d;
    d.machine.started(at(0s));
    d.go(30s, sign_reply::refused, 10ms);
    const int soon = d.asked;
    d.go(630s, sign_reply::refused, 10ms);
    CHECK(d.asked - soon <= 60);
    d.go(660s, sign_reply::answered, 10ms);
    CHECK(d.resumed == 1);
}

TEST_CASE("freshness: an overloaded server is not asked for list after list") {
    driver d;
    d.machine.started(at(0s));
    for (duration t{}; t < 60s; t += 2s) {
        d.go(t + 1s, sign_reply::none, 10ms);
        d.go(t + 2s, sign_reply::answered, 10ms);
    }
    CHECK(d.resumed >= 1);
    CHECK(d.resumed <= 6);
}
