// The table of the decision: docs/inference_autoscaler.md has the same rows.
#include "api/validation.hpp"
#include "decide/decision.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace inference_autoscaler;
using std::chrono::seconds;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();  // the value is missing

scaling_rule rule(std::string_view name, double threshold, std::int32_t for_seconds = 0) {
    scaling_rule out;
    out.name = name;
    out.query = name;
    out.threshold = threshold;
    out.for_seconds = for_seconds;
    out.action.add_replicas = 1;
    return out;
}

// A scaler of 1 to 8 replicas, its target, and looks every 15 s. All replicas are warm unless a row says otherwise.
class world {
public:
    world() {
        spec.max_replicas = 8;
        spec.metrics.prometheus.emplace();
        now.replicas = now.warm = 2;
    }
    explicit world(std::vector<scaling_rule> own) : world() { rules = std::move(own); }

    // One look, `after` seconds later; what it wants is there and warm at once.
    decision& look(double after, const std::vector<double>& values) {
        ask(after, values);
        kept = last.next;
        now.replicas = now.warm = last.wanted;
        return last;
    }
    // The same; what it wants has to load.
    decision& look_loading(double after, const std::vector<double>& values) {
        ask(after, values);
        kept = last.next;
        now.replicas = last.wanted;
        return last;
    }
    decision& ask(double after, const std::vector<double>& values) {
        now.now += std::chrono::duration_cast<duration>(std::chrono::duration<double>(after));
        now.values.rules.clear();
        for (const double v : values) {
            const bool gone = std::isnan(v);
            now.values.rules.push_back(
                {gone ? missing_at(now.now, missing_reason::no_answer) : reading{now.now, v}, {}});
        }
        last = decide(spec, rules, kept, now);
        return last;
    }
    void wake_query(double v) {
        now.values.wake = std::isnan(v) ? missing_at(now.now, missing_reason::no_answer) : reading{now.now, v};
    }

    inference_scaler_spec spec;
    std::vector<scaling_rule> rules;
    memory kept;
    facts now;
    decision last;
};

world of_the_flow() {
    world out;
    out.rules = rules_of(out.spec);
    return out;
}

}  // namespace

TEST_CASE("the flow: memory for 3 minutes, else P95, else nothing") {
    world w = of_the_flow();
    for (int at = 0; at <= 179; at += 1) {
        w.look(at == 0 ? 0 : 1, {0.921, 0.1, 0});
        REQUIRE(w.last.wanted == 2);
    }
    w.look(1, {0.921, 0.9, 0});  // both hold: the first decides
    CHECK(w.last.wanted == 3);
    CHECK(w.last.rule == "gpu-memory");
    CHECK(w.last.sentence == "gpu-memory is 0.921, > 0.92 for 180 s: 3 replicas instead of 2");

    world p95 = of_the_flow();
    CHECK(p95.look(0, {0.92, 0.8, 5}).kind == verdict::steady);  // none is above
    CHECK(p95.look(15, {0.921, 0.801, 0}).wanted == 3);          // ceil(2 x 0.801 / 0.8); memory has to hold longer
    CHECK(p95.last.rule == "p95");
    CHECK(p95.look(15, {0.5, 0.5, 5.1}).rule == "waiting");
}

TEST_CASE("a rule decides again after forSeconds, and a look without its value decides nothing") {
    world w({rule("busy", 1, 60)});
    CHECK(w.look(0, {2}).wanted == 2);
    CHECK(w.look(45, {2}).wanted == 2);
    CHECK(w.look(15, {none}).wanted == 2);
    CHECK(w.look(15, {2}).wanted == 3);
    CHECK(w.look(45, {1.9}).wanted == 3);
    CHECK(w.look(15, {1.9}).wanted == 4);
    CHECK(w.look(15, {1}).wanted == 4);  // it holds no more, and begins anew
    CHECK(w.look(15, {2}).wanted == 4);
    CHECK(w.look(59, {2}).wanted == 4);
    CHECK(w.look(1, {2}).wanted == 5);
}

TEST_CASE("operators and actions") {
    struct row {
        std::string_view op;
        double value;
        scale_action action;
        std::int32_t wanted;
    };
    const auto action = [](int replicas, int percent, bool proportional) {
        scale_action out;
        if (replicas > 0) out.add_replicas = replicas;
        if (percent > 0) out.add_percent = percent;
        if (proportional) out.proportional = true;
        return out;
    };
    const row rows[] = {
        {">", 10, action(1, 0, false), 4},  {">", 10.1, action(1, 0, false), 5}, {">=", 10, action(2, 0, false), 6},
        {"<", 10, action(1, 0, false), 4},  {"<", 9.9, action(1, 0, false), 5},  {"<=", 10, action(1, 0, false), 5},
        {">", 11, action(0, 30, false), 6}, {">", 11, action(0, 0, true), 5},    {">", 10.0001, action(0, 0, true), 5},
        {">=", 10, action(0, 0, true), 4},  {">", 1e300, action(0, 0, true), 8}, {">", 12.5, action(0, 0, true), 5},
    };
    for (const row& each : rows) {
        CAPTURE(each.op);
        CAPTURE(each.value);
        world w({rule("r", 10)});
        w.rules[0].op = each.op;
        w.rules[0].action = each.action;
        w.now.replicas = w.now.warm = 4;
        CHECK(w.look(0, {each.value}).wanted == each.wanted);
    }
}

TEST_CASE("an up is limited: by maxStep or maxPercent a look, by maxReplicas, by settleSeconds") {
    world w({rule("r", 1)});
    w.spec.max_replicas = 30;
    w.rules[0].action = {};
    w.rules[0].action.proportional = true;
    CHECK(w.look(0, {100}).wanted == 6);   // 4 more
    CHECK(w.look(15, {99}).wanted == 12);  // twice as many
    CHECK(w.look(15, {98}).wanted == 24);
    CHECK(w.last.limit.empty());
    CHECK(w.look(15, {97}).wanted == 30);
    CHECK(w.last.limit == "AtMaximum");
    CHECK(w.look(15, {96}).kind == verdict::limited);
    w.spec.max_replicas = 60;
    w.spec.up.settle_seconds = 60;
    CHECK(w.look(15, {95}).wanted == 30);  // 30 s after the last one
    CHECK(w.look(30, {95}).wanted == 60);
}

TEST_CASE("while replicas load nothing more is asked for, unless they fail") {
    world w({rule("r", 1)});
    CHECK(w.look_loading(0, {5}).wanted == 3);
    for (int i = 0; i < 20; ++i) {
        REQUIRE(w.look_loading(15, {9}).wanted == 3);
        REQUIRE(w.last.kind == verdict::loads);
    }
    w.now.failed = 1;
    CHECK(w.look_loading(15, {4}).wanted == 4);
}

TEST_CASE("a down: each rule with down is known and far below, for long, one by one, settled") {
    world w({rule("a", 10), rule("b", 10), rule("memory", 10)});
    w.rules[1].op = "<";      // low: above 10 / 0.7
    w.rules[2].down = false;  // engines keep their memory
    w.now.replicas = w.now.warm = 5;
    w.look(0, {6.9, 14.3, 9.9});
    CHECK(w.look(299, {6.9, 14.3, 9.9}).wanted == 5);
    CHECK(w.look(1, {6.9, 14.3, 9.9}).wanted == 4);
    CHECK(w.last.kind == verdict::down);
    CHECK(w.last.sentence == "each rule is below 70 % of its threshold for 300 s: 4 replicas instead of 5");
    w.look(1, {6, 15, 9});
    CHECK(w.look(598, {6, 15, none}).wanted == 4);  // a rule without `down` may be missing
    CHECK(w.look(1, {6, 15, 9}).wanted == 3);       // 600 s after the change
    for (const auto& each : {std::pair(std::vector<double>{7, 15, 9}, "not below 70 %"),
                             std::pair(std::vector<double>{6, 14.2, 9}, "not above 10 / 0.7"),
                             std::pair(std::vector<double>{6, none, 9}, "missing"),
                             std::pair(std::vector<double>{6, 15, 11}, "a rule without down decides")}) {
        const auto& [values, why] = each;
        CAPTURE(each.second);
        w.look(15, {6, 15, 9});
        w.now.replicas = w.now.warm = 3;
        w.kept.replicas = 3;
        w.look(3600, values);
        CHECK(w.last.wanted >= 3);
        w.look(15, {6, 15, 9});
        CHECK(w.last.wanted >= 3);  // forSeconds begin anew
        w.now.replicas = w.now.warm = 3;
        w.kept.replicas = 3;
    }
}

TEST_CASE("a down never goes below minReplicas, and none where no rule says so") {
    world w({rule("a", 10)});
    w.spec.min_replicas = 2;
    w.spec.down.for_seconds = w.spec.down.settle_seconds = 0;
    w.spec.down.max_step = 5;
    w.now.replicas = w.now.warm = 4;
    CHECK(w.look(0, {1}).wanted == 2);
    CHECK(w.look(15, {1}).wanted == 2);
    w.rules[0].down = false;
    w.now.replicas = w.now.warm = 4;
    w.kept.replicas = 4;
    CHECK(w.look(15, {1}).wanted == 4);
}

TEST_CASE("a mean stays below its threshold with the rest, or fewer go") {
    world w({rule("a", 10)});
    w.rules[0].query = "";
    w.rules[0].pods.emplace();  // of: Mean
    w.spec.down.for_seconds = w.spec.down.settle_seconds = 0;
    w.spec.down.max_step = 3;
    w.now.replicas = w.now.warm = 4;
    CHECK(w.look(0, {6}).wanted == 3);     // 6 x 4 / 3 is 8; with 2 replicas it is 12
    CHECK(w.look(15, {6.7}).wanted == 3);  // 6.7 x 3 / 2 is above 10
    w.rules[0].pods->of = "Max";
    CHECK(w.look(15, {6}).wanted == 1);
}

TEST_CASE("to zero and back") {
    world w({rule("a", 10)});
    w.spec.min_replicas = 0;
    w.spec.zero.emplace();
    w.spec.zero->wake.emplace();
    w.spec.zero->wake->above = 2;
    w.now.replicas = w.now.warm = 1;
    w.wake_query(2);
    w.look(0, {1});
    CHECK(w.look(599, {1}).wanted == 1);
    CHECK(w.look(1, {1}).wanted == 0);
    CHECK(w.last.kind == verdict::zero);
    CHECK(w.look(15, {}).wanted == 0);
    CHECK(w.last.sentence == "no load");
    CHECK(w.last.lost.empty());  // no pod can be asked
    w.wake_query(none);
    CHECK(w.look(15, {}).wanted == 0);  // missing is not load
    REQUIRE(w.last.lost.size() == 1);
    CHECK(w.last.lost[0].rule == "wake");
    w.wake_query(2.1);
    CHECK(w.look(15, {}).wanted == 1);
    CHECK(w.last.kind == verdict::wake);

    w.wake_query(0);
    w.look(15, {1});
    w.wake_query(none);
    w.look(400, {1});
    w.wake_query(0);
    w.look(15, {1});
    CHECK(w.look(599, {1}).wanted == 1);  // the look without a value began it anew
    w.now.woken = true;
    CHECK(w.look(15, {1}).wanted == 1);  // and so did the request
    w.now.woken = false;
    w.look(15, {1});
    CHECK(w.look(599, {1}).wanted == 1);
    CHECK(w.look(1, {1}).wanted == 0);
    w.now.woken = true;
    CHECK(w.look(0, {}).wanted == 1);
    CHECK(w.last.sentence == "a request for a replica");
}

TEST_CASE("no circle: a down that an up undoes is not tried again until the values are below 90 % of those of then") {
    world w({rule("a", 10)});
    w.spec.down.for_seconds = 0;
    w.now.replicas = w.now.warm = 3;
    CHECK(w.look(0, {6}).wanted == 2);
    CHECK(w.look(30, {11}).wanted == 3);  // within settleSeconds
    for (int i = 0; i < 10; ++i) REQUIRE(w.look(600, {5.5}).wanted == 3);
    CHECK(w.look(600, {5.4}).wanted == 2);
    CHECK(w.look(601, {11}).wanted == 3);  // after settleSeconds: no circle
    CHECK(w.look(600, {6}).wanted == 2);
    CHECK(w.look(30, {11}).wanted == 3);
    CHECK(w.look(30, {11}).wanted == 4);
    CHECK(w.look(600, {6}).wanted == 3);  // another down, from 4
    CHECK(w.look(600, {6}).wanted == 3);
}

TEST_CASE("no circle: what counts is the worst value while all are low, then and now") {
    world w({rule("a", 10)});
    w.now.replicas = w.now.warm = 3;
    for (const double value : {6., 2., 1.}) w.look(150, {value});
    CHECK(w.last.wanted == 2);  // 6 is what it came to
    CHECK(w.look(30, {11}).wanted == 3);
    for (const double value : {5., 5.5, 5.5, 1., 5.5, 1.}) REQUIRE(w.look(300, {value}).wanted == 3);
    w.look(300, {5.3});  // 5.5 is 300 s ago
    w.look(150, {1});
    CHECK(w.look(150, {1}).wanted == 2);
}

TEST_CASE("no circle: an up that up.settleSeconds puts off undoes the down as well") {
    world w({rule("a", 10)});
    w.spec.down.for_seconds = 0;
    w.spec.down.settle_seconds = 60;
    w.spec.up.settle_seconds = 120;
    w.now.replicas = w.now.warm = 3;
    CHECK(w.look(0, {6}).wanted == 2);
    CHECK(w.look(30, {11}).wanted == 2);
    CHECK(w.look(90, {11}).wanted == 3);
    CHECK(w.look(600, {6}).wanted == 3);
}

TEST_CASE("no down that, by what the last one did to a value, would bring it beyond its threshold") {
    const auto downs = [](std::string_view op, std::vector<double> values, std::int32_t step = 1) {
        world w({rule("a", 10)});
        w.rules[0].op = op;
        w.spec.down.for_seconds = 0;
        w.spec.down.max_step = step;
        w.now.replicas = w.now.warm = 8;
        for (const double value : values) w.look(600, {value});
        return w.last.wanted;
    };
    CHECK(downs(">", {4, 5}) == 6);         // 5 x 1.25^3 is 9.8
    CHECK(downs(">", {4, 5.1}) == 7);       // 5.1 x 1.275^3 is 10.6
    CHECK(downs(">", {4, 5.1, 5.0}) == 6);  // the next look is a new one
    CHECK(downs(">", {4, 3, 5.1}) == 6);    // 3 came after the first down
    CHECK(downs(">", {0, 0.1}) == 7);       // it was 0 before: replicas are busy now
    CHECK(downs(">", {0, 0}) == 6);
    CHECK(downs("<", {25, 20}) == 6);  // 20 / 1.25^3 is 10.2
    CHECK(downs("<", {25.1, 19.9}) == 7);
    CHECK(downs(">", {4, 4.9}, 2) == 4);
    CHECK(downs(">", {4, 5.1}, 2) == 5);  // one goes where two would be too many
}

TEST_CASE("a rule whose value does not fall after two scale-ups is ineffective until it is below its threshold once") {
    world w({rule("pegged", 90), rule("other", 1)});
    CHECK(w.look(0, {100, 0}).wanted == 3);
    CHECK(w.look(15, {100, 0}).wanted == 4);
    CHECK(w.look(15, {100, 0}).wanted == 4);
    CHECK(w.last.next.rules[0].ineffective);
    CHECK(w.last.sentence.find("it did not fall after two scale-ups") != std::string::npos);
    CHECK(w.look(15, {100, 0}).kind == verdict::steady);
    CHECK(w.look(15, {100, 2}).rule == "other");
    CHECK(w.look(15, {80, 0}).wanted == 5);
    CHECK_FALSE(w.last.next.rules[0].ineffective);
    CHECK(w.look(15, {100, 0}).wanted == 6);

    world falls({rule("a", 90)});
    double value = 100;
    for (int want = 3; want <= 8; ++want) CHECK(falls.look(15, {value -= 1}).wanted == want);

    world fails({rule("a", 90)});  // no scale-up reaches the target
    for (int i = 0; i < 5; ++i) {
        CHECK(fails.ask(15, {100}).wanted == 3);
        fails.kept = fails.last.next;
    }
}

TEST_CASE("missing is not zero: it is told, forbids a down, and onMissing never lowers") {
    world w({rule("a", 10), rule("b", 10)});
    w.spec.down.for_seconds = w.spec.down.settle_seconds = 0;
    CHECK(w.look(0, {none, none}).wanted == 2);
    REQUIRE(w.last.lost.size() == 2);
    CHECK(w.last.lost[0].rule == "a");
    CHECK(w.last.sentence == "a has no value: NoAnswer");
    CHECK(w.look(15, {1, none}).wanted == 2);
    CHECK(w.look(15, {none, 11}).wanted == 3);  // the other one decides
    w.spec.on_missing.mode = "Replicas";
    w.spec.on_missing.replicas = 5;
    CHECK(w.look(15, {1, none}).wanted == 3);  // one is known
    CHECK(w.look(15, {none, none}).wanted == 5);
    CHECK(w.last.kind == verdict::on_missing);
    w.spec.on_missing.replicas = 4;
    CHECK(w.look(15, {none, none}).wanted == 5);
    w.spec.on_missing.mode = "Max";
    CHECK(w.look(15, {none, none}).wanted == 8);
    CHECK(w.look(15, {1, 1}).kind == verdict::down);
}

TEST_CASE("NaN of a query is no load only where idleQuery says 0, and an infinity is no value") {
    const time_point at{};
    rule_reading read{missing_at(at, missing_reason::not_a_number), {}};
    CHECK(value_of(read) == std::nullopt);
    read.idle = reading{at, 0.0};
    CHECK(value_of(read) == 0.0);
    read.idle = reading{at, 1.0};
    CHECK(value_of(read) == std::nullopt);
    read.idle = missing_at(at, missing_reason::empty);
    CHECK(value_of(read) == std::nullopt);
    read = {missing_at(at, missing_reason::empty), reading{at, 0.0}};
    CHECK(value_of(read) == std::nullopt);
    read.value = reading{at, std::numeric_limits<double>::infinity()};
    CHECK(value_of(read) == std::nullopt);
}

TEST_CASE("what no node takes is given back, and asked for again later") {
    world w({rule("r", 1)});
    w.spec.capacity.emplace();
    w.spec.down.settle_seconds = 0;
    w.look_loading(0, {5});
    w.now.unplaced = 1;
    w.now.words = "0/3 nodes are available";
    CHECK(w.look_loading(599, {9}).wanted == 3);
    CHECK(w.last.limit == "NoNode");
    for (const int minutes : {10, 20, 40, 60, 60}) {
        CAPTURE(minutes);
        w.now.overdue = 1;
        CHECK(w.look_loading(1, {9}).wanted == 2);
        CHECK(w.last.kind == verdict::give_back);
        CHECK(w.last.sentence == "1 replica found no node for 600 s: asked for again in " + std::to_string(minutes) +
                                     " min: 0/3 nodes are available");
        w.now.unplaced = w.now.overdue = 0;
        CHECK(w.look_loading(minutes * 60 - 1, {9}).wanted == 2);
        CHECK(w.last.limit == "NoNode");
        w.kept.rules[0] = {};
        CHECK(w.look_loading(1, {9}).wanted == 3);
        w.now.unplaced = 1;
    }
    w.now.unplaced = 0;
    w.now.warm = 3;  // it found a node
    w.look_loading(15, {0.9});
    CHECK(w.last.next.ceiling_minutes == 0);
    w.now.overdue = w.now.replicas = 3;
    w.now.warm = 0;
    CHECK(w.look(15, {0.9}).wanted == 1);  // never to zero
    w.spec.capacity.reset();
    w.now.replicas = w.kept.replicas.emplace(3);
    w.now.warm = 1;
    w.now.overdue = 2;
    CHECK(w.look_loading(15, {9}).wanted == 3);  // without capacity they wait
}

TEST_CASE("another's change is the new beginning, within the bounds; 0 turns the scaler off") {
    world w({rule("a", 10)});
    w.spec.down.for_seconds = 0;
    w.look(0, {8});
    CHECK_FALSE(w.last.foreign);
    w.now.replicas = w.now.warm = 6;
    CHECK(w.look(3600, {1}).wanted == 6);  // settleSeconds count from it
    CHECK(w.last.foreign);
    CHECK(w.look(599, {1}).wanted == 6);
    CHECK_FALSE(w.last.foreign);
    CHECK(w.look(1, {1}).wanted == 5);
    w.now.replicas = w.now.warm = 20;
    CHECK(w.look(15, {8}).wanted == 8);
    CHECK(w.last.foreign);
    CHECK(w.last.kind == verdict::bounds);
    w.spec.min_replicas = 3;
    w.now.replicas = w.now.warm = 1;
    CHECK(w.look(15, {8}).wanted == 3);
    w.now.replicas = w.now.warm = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK(w.look(15, {}).wanted == 0);
        CHECK(w.last.kind == verdict::off);
    }
    w.now.woken = true;
    CHECK(w.look(15, {}).wanted == 0);
    w.now.replicas = w.now.warm = 2;
    CHECK(w.look(15, {8}).wanted == 3);  // on again
}

TEST_CASE("a scaler that may be at zero no more gets its replicas") {
    world w({rule("a", 10)});
    w.spec.min_replicas = 0;
    w.spec.zero.emplace();
    w.spec.zero->wake.emplace();
    w.now.replicas = w.now.warm = 1;
    w.wake_query(0);
    w.look(0, {1});
    CHECK(w.look(600, {1}).wanted == 0);
    w.spec.min_replicas = 2;
    w.spec.zero.reset();
    CHECK(w.look(15, {}).wanted == 2);
    CHECK(w.last.kind == verdict::bounds);
}
