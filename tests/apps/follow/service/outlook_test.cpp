#include "service/outlook.hpp"

#include "views.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace follow::tests;
using namespace std::chrono_literals;

namespace {

ages aged(kcontrol::duration age, kcontrol::duration grace = {}) {
    ages out;
    out.age = age;
    out.grace = grace;
    return out;
}

}  // namespace

TEST_CASE("outlook: what the outputs get, by state, age and --on-stale") {
    constexpr auto live = freshness::live, resuming = freshness::resuming, stale = freshness::stale;
    constexpr auto keep = on_stale::keep, empty = on_stale::empty, quit = on_stale::exit;
    struct row {
        std::uint64_t version;
        freshness state;
        std::chrono::seconds age;
        on_stale when;
        const char* outcome;  // "value", "empty", "exit" or "nothing"
        int again;            // seconds; -1: only when something changes
    };
    const row rows[] = {
        {1, live, 0s, keep, "value", -1},      {1, live, 0s, empty, "value", -1},
        {1, live, 0s, quit, "value", -1},      {1, resuming, 3s, keep, "value", -1},
        {1, resuming, 3s, empty, "value", 57}, {1, stale, 59s, quit, "value", 1},
        {1, stale, 60s, keep, "value", -1},    {1, stale, 1000s, keep, "value", -1},
        {1, stale, 60s, empty, "empty", -1},   {1, stale, 60s, quit, "exit", -1},
        {0, stale, 5s, keep, "nothing", -1},   {0, stale, 100s, keep, "nothing", -1},
        {0, stale, 5s, empty, "nothing", 55},  {0, stale, 60s, empty, "empty", -1},
        {0, stale, 5s, quit, "nothing", 55},   {0, stale, 60s, quit, "exit", -1},
    };
    for (const auto& each : rows) {
        CAPTURE(each.version);
        CAPTURE(to_string(each.state));
        CAPTURE(each.age.count());
        CAPTURE(static_cast<int>(each.when));
        view now = of({}, each.version);
        now.endpoints.clear();
        if (each.version != 0) now.endpoints.push_back(ready("10.0.0.1"));
        now.state = each.state;
        const auto next = decide(now, aged(each.age), 60s, each.when);
        const std::string outcome = next.exit                         ? "exit"
                                    : !next.publish                   ? "nothing"
                                    : next.publish->endpoints.empty() ? "empty"
                                                                      : "value";
        CHECK(outcome == each.outcome);
        CHECK(next.again_in == (each.again < 0 ? std::optional<kcontrol::duration>()
                                               : std::optional<kcontrol::duration>(1s * each.again)));
    }
}

TEST_CASE("outlook: a value of a file that is too old at the start") {
    view old = of({ready("10.0.0.1")}, 1);
    old.state = freshness::stale;
    for (const auto when : {on_stale::empty, on_stale::exit}) {
        const auto next = decide(old, aged(1h, 45s), 60s, when);
        CHECK(!next.publish);
        CHECK(!next.exit);
        CHECK(next.again_in == kcontrol::duration(45s));
    }
    CHECK(decide(old, aged(59s, 45s), 60s, on_stale::exit).publish);
    CHECK(decide(old, aged(1h, 45s), 60s, on_stale::keep).publish);
}

TEST_CASE("outlook: an empty view has no leader") {
    view now;
    now.is_leader = true;
    now.version = 3;
    now.holder = "a";
    now.address = "10.0.0.1:80";
    now.endpoints.push_back(ready("10.0.0.1"));
    const auto next = decide(now, aged(2min), 1min, on_stale::empty);
    REQUIRE(next.publish);
    CHECK(next.publish->holder.empty());
    CHECK(next.publish->address.empty());
    CHECK(next.publish->endpoints.empty());
    CHECK(next.publish->is_leader);
    CHECK(next.publish->version == 3);
}
