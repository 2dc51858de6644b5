// What is decided and can't be written: a case counts as what it was and as what it becomes until the write succeeds.
#include "decide/phases.hpp"
#include "heal_world.hpp"

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

// Refuses each write of a node's case while it is in that phase.
void refuse(heal_world& w, const std::string& node, const std::string& phase) {
    w.server.api().set_faults([&w, node, phase](const http::server_request& asked) {
        testing::fault out;
        const bool of_case =
            asked.method == "PATCH" && asked.target.find("/noderepairs/" + node + "-") != std::string::npos;
        if (of_case && w.phase(node) == phase) out.status(500, "InternalError", "the test says so");
        return out;
    });
}

// Both conditions of a node; a second policy may have one of them.
void set_both(heal_world& w, const std::string& node, bool gpu, bool other) {
    const std::string now = format_time(w.world.env().wall_now());
    json::array conditions{{{"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", now}}};
    const auto add = [&](const char* type, bool well) {
        conditions.push_back({{"type", type},
                              {"status", well ? "True" : "False"},
                              {"reason", well ? "AllHealthy" : "GPUFailed"},
                              {"lastTransitionTime", now}});
    };
    add("kcontrol.dev/GPUHealthy", gpu);
    add("example.com/Other", other);
    (void)w.server.api().patch(nodes_id, {"", node}, {{"status", {{"conditions", conditions}}}}, "status").value();
}

// Each second somebody else writes on the Node, so that all its cases and policies are looked at.
void look_for(heal_world& w, const std::string& node, std::chrono::seconds how_long,
              const std::function<void()>& check) {
    for (int i = 0; i < how_long / 1s; ++i) {
        w.annotate_node(node, "touched", json::value(std::to_string(i)));
        w.world.run_for(1s);
        check();
    }
}

}  // namespace

TEST_CASE("a slot is free when the end of the step is written, not when it is decided") {
    heal_world w;
    w.add_nodes(20);
    w.add_policy();
    bool running = true;
    w.steps->outcome = [&](const step_request&) {
        return step_outcome(running ? step_outcome::state::running : step_outcome::state::succeeded, "words");
    };
    w.fail("n0");
    w.settle(3s);
    REQUIRE(w.phase("n0") == "Repairing");
    w.fail("n1");
    w.settle(3s);
    REQUIRE(w.phase("n1") == "Quarantined");
    refuse(w, "n0", "Repairing");
    running = false;
    look_for(w, "n1", 20s, [&] {
        CHECK(w.phase("n0") == "Repairing");
        CHECK(w.phase("n1") == "Quarantined");
    });
    w.server.api().set_faults({});
    w.settle(2min);
    CHECK(w.phase("n0") == "Verifying");
    CHECK(w.phase("n1") == "Verifying");
    CHECK(w.steps->begun.size() == 2);
}

TEST_CASE("a slot is taken when a drain is decided, and given to another where that comes to nothing") {
    heal_world w;
    w.add_nodes(20);
    w.add_policy();
    refuse(w, "n0", "Quarantined");
    w.fail("n0");
    w.settle(1s);
    REQUIRE(w.phase("n0") == "Quarantined");
    w.fail("n1");
    w.settle(5s);
    CHECK(w.phase("n1") == "Quarantined");
    CHECK(w.steps->begun.empty());
    w.heal("n0");
    w.settle(1s);
    w.server.api().set_faults({});
    w.settle(40s);
    CHECK(w.phase("n0") == "Verifying");
    CHECK(w.phase("n1") == "Verifying");
    CHECK(w.steps->begun.size() == 1);
}

TEST_CASE("the breaker's limit counts a taint until the end of its case is written") {
    heal_world w;
    w.add_nodes(10);
    w.add_policy({{"verify", {{"holdSeconds", 5}}}});
    for (const char* node : {"n0", "n1", "n2"}) {
        w.fail(node);
        w.settle(5s);
    }
    REQUIRE(w.tainted() == 2);
    REQUIRE(w.phase("n2") == "Held BreakerOpen");
    w.heal("n0");
    w.settle(2s);
    refuse(w, "n0", "Verifying");
    look_for(w, "n2", 20s, [&] {
        CHECK(w.phase("n0") == "Verifying");
        CHECK(w.phase("n2") == "Held BreakerOpen");
    });
    CHECK(w.tainted() == 2);
    w.server.api().set_faults({});
    w.settle(10min);
    CHECK(w.phase("n0") == "Released");
    CHECK(w.phase("n2") == "Verifying");
    CHECK(w.tainted() == 2);
}

TEST_CASE("BreakerOpened names cases that are Held, not such as will perhaps be") {
    heal_world w;
    w.add_nodes(10);
    w.add_policy();
    for (const char* node : {"n0", "n1"}) {
        w.fail(node);
        w.settle(5s);
    }
    refuse(w, "n2", "");
    w.fail("n2");
    look_for(w, "n2", 10s, [&] { CHECK(w.phase("n2").empty()); });
    w.heal("n2");
    w.settle(1min);
    w.server.api().set_faults({});
    w.settle(11min);
    CHECK(w.phase("n2") == "Cancelled Recovered");
    CHECK(w.events("BreakerOpened") == 0);
    CHECK(w.condition("BreakerOpen") == "False ");
}

TEST_CASE("no other policy opens a case on a node before the end of the present one is written: its cooldown counts") {
    heal_world w;
    w.add_nodes(10);
    set_both(w, "n0", true, true);
    w.add_policy({{"verify", {{"holdSeconds", 5}}}});
    w.add_policy({{"triggers", {{{"condition", {{"type", "example.com/Other"}, {"status", "False"}}}}}},
                  {"taint", {{"key", "example.com/other"}}}},
                 "others");
    set_both(w, "n0", false, true);
    w.settle(5s);
    REQUIRE(w.steps->begun.size() == 1);
    set_both(w, "n0", true, true);
    w.settle(2s);
    refuse(w, "n0", "Verifying");
    set_both(w, "n0", true, false);
    look_for(w, "n0", 20s, [&] {
        CHECK(w.repairs("n0").size() == 1);
        CHECK(w.phase("n0") == "Verifying");
    });
    w.server.api().set_faults({});
    w.settle(10min);
    CHECK(w.repairs("n0").size() == 2);
    CHECK(w.steps->begun.size() == 1);  // an hour after the release
    w.settle(1h);
    CHECK(w.steps->begun.size() == 2);
}

TEST_CASE("of two cases that both have tainted a node the older one goes on") {
    heal_world w;
    w.add_nodes(10);
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}, {"repairs", json::array{}}});
    w.fail("n0");
    w.settle(5s);
    REQUIRE(w.repairs("n0").size() == 1);
    w.stop();
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}, {"repairs", json::array{}}}, "others");
    // As another replica would have written it.
    const node_repair first = w.repairs("n0").at(0);
    const json::object trigger{{"type", "kcontrol.dev/GPUHealthy"}, {"status", "False"}, {"reason", "GPUFailed"}};
    (void)w.server.api()
        .create({{"apiVersion", "healing.kcontrol.dev/v1alpha1"},
                 {"kind", "NodeRepair"},
                 {"metadata", {{"name", "second"}, {"finalizers", {std::string(taint_finalizer)}}}},
                 {"spec", {{"node", "n0"}, {"policy", "others"}, {"trigger", trigger}}}})
        .value();
    const auto status = json::parse(to_json(first.status)).value();
    (void)w.server.api().patch(repairs_id, {"", "second"}, {{"status", status}}, "status").value();
    w.start();
    w.settle(5s);
    int open = 0;
    for (const auto& each : w.repairs("n0")) {
        const bool older = each.metadata.name != "second";
        open += older && is_quarantined(each.status.phase) ? 1 : 0;
        if (!older) CHECK(each.status.reason == "Busy");
    }
    CHECK(open == 1);
}
