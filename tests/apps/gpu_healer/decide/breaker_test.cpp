// How many nodes are tainted, when the breaker opens and closes, and what a reset admits.
#include "decide/breaker.hpp"

#include <kcontrol/controllerutil/conditions.hpp>

#include <doctest/doctest.h>

using namespace gpu_healer;
using namespace std::chrono_literals;

namespace {

const wall_time start = wall_time(1800000000s);

void open(healing_policy& p, bool is) {
    set_condition(p.status.conditions, condition_for(p, "BreakerOpen", is, "Test"), start);
}

}  // namespace

TEST_CASE("the limit is a share of the nodes, and minNodes at least") {
    breaker_spec spec;
    CHECK(breaker_limit(spec, 0) == 2);
    CHECK(breaker_limit(spec, 29) == 2);
    CHECK(breaker_limit(spec, 39) == 3);
    CHECK(breaker_limit(spec, 50) == 5);
    spec.max_percent = 100;
    CHECK(breaker_limit(spec, 50) == 50);
}

TEST_CASE("a node is admitted below the limit while the breaker is closed, or by a reset") {
    healing_policy p;
    CHECK(admits(p, 10, {"a"}, "b"));
    CHECK_FALSE(admits(p, 10, {"a", "c"}, "b"));
    CHECK(admits(p, 10, {"a", "b"}, "b"));  // it has the taint
    open(p, true);
    CHECK_FALSE(admits(p, 10, {}, "b"));
    p.status.admitted.push_back(text("b"));
    CHECK(admits(p, 10, {"a", "c", "d"}, "b"));
}

TEST_CASE("it opens by a held case, and closes when ill nodes are within the limit for the window") {
    healing_policy p;
    breaker_facts seen;
    seen.now = start;
    seen.nodes = 10;
    seen.ill = {"a", "b", "c"};
    seen.tainted = {"a", "b"};
    CHECK_FALSE(decide_breaker(p, seen).opened);
    seen.held = {"c"};
    CHECK(decide_breaker(p, seen).opened);
    open(p, true);
    auto made = decide_breaker(p, seen);
    CHECK((!made.opened && !made.closed && !made.wake));
    seen.ill = {"a", "b"};
    seen.held = {};
    made = decide_breaker(p, seen);
    CHECK((!made.closed && made.wake && *made.wake == start + 300s));
    p.status = made.next;
    seen.now += 299s;
    CHECK_FALSE(decide_breaker(p, seen).closed);
    seen.now += 1s;
    CHECK(decide_breaker(p, seen).closed);
    seen.ill = {"a", "b", "c"};  // ill again: the window begins anew
    made = decide_breaker(p, seen);
    CHECK((!made.closed && !made.next.calm_time.present()));
}

TEST_CASE("a reset admits one more limit of held nodes, once, and is removed") {
    healing_policy p;
    open(p, true);
    breaker_facts seen;
    seen.now = start;
    seen.nodes = 10;
    seen.ill = {"a", "b", "c", "d", "e"};
    seen.tainted = {"a", "b"};
    seen.held = {"c", "d", "e"};
    seen.reset = "yes";
    auto made = decide_breaker(p, seen);
    CHECK(made.forgets_reset);
    CHECK(made.next.admitted.size() == 2);
    p.status = made.next;  // and the process ends before the annotation is removed
    seen.tainted = {"a", "b", "c", "d"};
    seen.held = {"e"};
    made = decide_breaker(p, seen);
    CHECK((made.forgets_reset && made.next.admitted.size() == 2));
    seen.reset = "";
    p.status = decide_breaker(p, seen).next;
    seen.reset = "yes";
    CHECK(decide_breaker(p, seen).next.admitted.size() == 3);
    seen.reset = "";
    seen.tainted = {"a"};
    seen.held = {};
    CHECK(decide_breaker(p, seen).next.admitted.empty());
}

TEST_CASE("three faults within ten seconds have a common cause, which is told once") {
    CHECK_FALSE(common_cause({start, start + 1s}, std::nullopt));
    CHECK_FALSE(common_cause({start, start + 1s, start + 11s}, std::nullopt));
    CHECK(common_cause({start + 10s, start, start + 1s}, std::nullopt) == start + 10s);
    CHECK_FALSE(common_cause({start, start + 1s, start + 10s, start + 12s, start + 13s, start + 14s}, start + 10s));
    CHECK(common_cause({start + 71s, start + 72s, start + 73s}, start + 10s) == start + 73s);
}
