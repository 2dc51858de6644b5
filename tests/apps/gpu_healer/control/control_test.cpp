// What the healer writes, and what it leaves alone.
#include <kcontrol/codec/dynamic_object.hpp>

#include "heal_world.hpp"

using namespace gpu_healer;
using namespace gpu_healer::tests;

namespace {

const char* const our_taint = "kcontrol.dev/gpu-unhealthy=GPUFailed:NoSchedule";

}  // namespace

TEST_CASE("a fault is tainted within 2 s, repaired, verified and released holdSeconds after it is healthy") {
    heal_world w;
    w.add_nodes(3);
    w.edit_node("n0", {{"spec", {{"taints", {{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}}}}}});
    w.add_policy();
    w.fail("n0");
    w.world.run_for(2s);
    CHECK(w.taints("n0") == std::string("nvidia.com/gpu=:NoSchedule,") + our_taint);
    CHECK(w.phase("n0") == "Verifying");  // nothing ran there, and the step is done
    REQUIRE(w.steps->begun.size() == 1);
    CHECK(w.steps->last.node == "n0");
    CHECK(w.steps->last.reason == "GPUFailed");
    CHECK(w.steps->last.gpus == std::vector<std::string>{"GPU-11111111-2222-3333-4444-555555555555"});
    w.world.run_for(30s);
    w.heal("n0");
    w.world.run_for(118s);
    CHECK(w.taints("n0").find(our_taint) != std::string::npos);
    w.world.run_for(5s);
    CHECK(w.taints("n0") == "nvidia.com/gpu=:NoSchedule");
    CHECK(w.phase("n0") == "Released");
    CHECK(w.tainted() == 1);
    const auto of = w.repairs().at(0);
    CHECK(of.metadata.finalizers.empty());
    CHECK(is_true(of.status.conditions, "Complete"));
    CHECK(of.status.timeline.size() >= 6);
    w.world.run_for(5s);
    for (const char* reason :
         {"Quarantined", "Draining", "Repairing", "RepairStarted", "RepairSucceeded", "Verifying", "Released"}) {
        CAPTURE(reason);
        CHECK(w.events(reason, "Node") == 1);
        CHECK(w.events(reason, "NodeRepair") == 1);
    }
    const auto metrics = w.m->metrics().text();
    CHECK(metrics.find(R"(gpu_healer_repairs_total{policy="gpus",result="Released"} 1)") != std::string::npos);
    CHECK(metrics.find(R"(gpu_healer_nodes{phase="Released"} 1)") != std::string::npos);
    CHECK(metrics.find(R"(gpu_healer_breaker_open{policy="gpus"} 0)") != std::string::npos);
}

TEST_CASE("an idle hour writes nothing") {
    heal_world w;
    w.add_nodes(4);
    w.add_policy();
    w.fail("n1");
    w.settle(30s);
    const auto before = w.writes();
    w.world.run_for(1h - 45s);  // the last verification is over after 30 minutes
    CHECK(w.writes() - before < 20);
    w.heal("n1");
    w.world.run_for(10min);
    const auto idle = w.writes();
    w.world.run_for(1h);
    CHECK(w.writes() == idle);
}

TEST_CASE("30 of 50 nodes ill at once: 5 are tainted, one BreakerOpened; afterwards nothing is left") {
    heal_world w;
    w.add_nodes(50);
    w.add_policy();
    for (int i = 0; i < 30; ++i) w.fail("n" + std::to_string(i));
    int most = 0;
    for (int i = 0; i < 60; ++i) {
        w.world.run_for(1s);
        most = std::max(most, w.tainted());
    }
    CHECK(most == 5);
    CHECK(w.condition("BreakerOpen") == "True at most 5 nodes are tainted");
    CHECK(w.events("BreakerOpened") == 1);
    CHECK(w.events("CommonCause") == 1);
    for (int i = 0; i < 30; ++i) w.heal("n" + std::to_string(i));
    w.world.run_for(10min);
    CHECK(w.tainted() == 0);
    CHECK(w.condition("BreakerOpen") == "False ");
    CHECK(w.events("BreakerOpened") == 1);
    CHECK(w.events("BreakerClosed") == 1);
}

TEST_CASE("reset-breaker admits one more limit of ill nodes, and is removed") {
    heal_world w;
    w.add_nodes(10);
    w.add_policy();
    for (int i = 0; i < 6; ++i) w.fail("n" + std::to_string(i));
    w.settle(10s);
    CHECK(w.tainted() == 2);
    (void)w.server.api()
        .patch(policies_id, {"", "gpus"}, {{"metadata", {{"annotations", json::object{{reset_annotation, "me"}}}}}})
        .value();
    w.settle(10s);
    CHECK(w.tainted() == 4);
    const auto found = w.server.api().get(policies_id, {"", "gpus"}).value();
    CHECK(json::get_string(found, {"metadata", "annotations", std::string(reset_annotation)}).empty());
}

TEST_CASE("a condition that changes every 20 s for an hour: one case, which needs a human") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    for (int i = 0; i < 90; ++i) {
        w.fail("n0");
        w.world.run_for(20s);
        w.heal("n0");
        w.world.run_for(20s);
    }
    w.fail("n0");
    w.world.run_for(10min);
    CHECK(w.repairs("n0").size() == 1);
    CHECK(w.phase("n0").find("NeedsHuman") == 0);
    CHECK(w.repairs("n0").at(0).status.timeline.size() <= 50);
}

TEST_CASE("a human wins within 2 s") {
    heal_world w;
    w.add_nodes(3);
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}});
    w.fail("n0");
    w.settle();
    REQUIRE(w.taints("n0") == our_taint);

    SUBCASE("the taint is removed: the condition opens no case until it was healthy once (NVSentinel 141)") {
        w.edit_node("n0", {{"spec", {{"taints", nullptr}}}});
        w.world.run_for(2s);
        CHECK(w.phase("n0") == "Cancelled TaintRemoved");
        CHECK(w.annotation("n0", overridden_annotation) == "kcontrol.dev/GPUHealthy");
        w.world.run_for(1h);
        CHECK(w.taints("n0").empty());
        w.heal("n0");
        w.settle();
        CHECK(w.annotation("n0", overridden_annotation).empty());
        w.fail("n0");
        w.settle();
        CHECK(w.taints("n0") == our_taint);
        CHECK(w.repairs("n0").size() == 2);
    }
    SUBCASE("the taint is removed, and the annotation that says so takes its time: no case is opened meanwhile") {
        w.server.api().set_faults([](const http::server_request& asked) {
            testing::fault out;
            if (asked.method == "PATCH" && asked.target.starts_with("/api/v1/nodes/")) out.delay(500ms);
            return out;
        });
        w.edit_node("n0", {{"spec", {{"taints", nullptr}}}});
        // The Node changes again while the case is being ended.
        w.world.run_for(200ms);
        w.edit_node("n0", {{"metadata", {{"annotations", {{"other", "x"}}}}}});
        w.set_health("n0", "False", "GPUFailed", false);
        w.world.run_for(1min);
        CHECK(w.repairs("n0").size() == 1);
        CHECK(w.taints("n0").empty());
    }
    SUBCASE("uncordoned") {
        w.edit_node("n0", {{"spec", {{"unschedulable", true}}}});
        w.settle();
        w.edit_node("n0", {{"spec", {{"unschedulable", nullptr}}}});
        w.world.run_for(2s);
        CHECK(w.phase("n0") == "Cancelled Uncordoned");
        CHECK(w.taints("n0").empty());
        CHECK(w.annotation("n0", overridden_annotation) == "kcontrol.dev/GPUHealthy");
    }
    SUBCASE("another's cordon stays (NVSentinel 1424)") {
        w.edit_node("n0", {{"spec", {{"unschedulable", true}}}});
        w.settle();
        w.heal("n0");
        w.world.run_for(3min);
        CHECK(w.phase("n0") == "Released");
        const auto found = w.server.api().get(nodes_id, {"", "n0"}).value();
        CHECK(json::find(found, {"spec", "unschedulable"})->as_bool());
    }
    SUBCASE("the case is deleted") {
        (void)w.server.api().remove(repairs_id, {"", w.repairs("n0").at(0).metadata.name.str()}).has_value();
        w.world.run_for(2s);
        CHECK(w.taints("n0").empty());
        CHECK(w.repairs("n0").empty());
        CHECK(w.annotation("n0", overridden_annotation) == "kcontrol.dev/GPUHealthy");
    }
    SUBCASE("hold: the taint stays; without it an ill node gets a new case, a healthy one loses the taint") {
        w.annotate_node("n0", hold_annotation, "mine");
        w.world.run_for(2s);
        CHECK(w.phase("n0") == "Cancelled HumanHold");
        w.world.run_for(10min);
        CHECK(w.taints("n0") == our_taint);
        CHECK(w.repairs("n0").size() == 1);
        w.annotate_node("n0", hold_annotation, nullptr);
        w.settle(5s);
        CHECK(w.taints("n0") == our_taint);
        REQUIRE(w.repairs("n0").size() == 2);
        w.annotate_node("n0", hold_annotation, "mine");
        w.settle(5s);
        w.heal("n0");
        w.settle(5s);
        CHECK(w.taints("n0") == our_taint);
        w.annotate_node("n0", hold_annotation, nullptr);
        w.settle(5s);
        CHECK(w.taints("n0").empty());
        for (const auto& each : w.repairs("n0")) CHECK(is_true(each.status.conditions, "Complete"));
    }
    SUBCASE("exempt") {
        w.annotate_node("n0", exempt_annotation, "true");
        w.world.run_for(2s);
        CHECK(w.phase("n0") == "Cancelled Exempt");
        CHECK(w.taints("n0").empty());
        w.annotate_node("n0", exempt_annotation, nullptr);
        w.settle();
        CHECK(w.taints("n0") == our_taint);
    }
}

TEST_CASE("a policy that is edited or deleted takes its taints with it") {
    heal_world w;
    w.add_nodes(3);
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}});
    w.fail("n0");
    w.settle();
    REQUIRE(w.taints("n0") == our_taint);
    SUBCASE("deleted") { (void)w.server.api().remove(policies_id, {"", "gpus"}).has_value(); }
    SUBCASE("another selector") { w.edit_policy({{"nodeSelector", {{"matchLabels", {{"gpu", "false"}}}}}}); }
    SUBCASE("dry run") { w.edit_policy({{"dryRun", true}}); }
    w.settle(5s);
    CHECK(w.taints("n0").empty());
    bool done = false;
    for (const auto& each : w.repairs("n0")) done = done || each.status.phase == "Cancelled";
    CHECK(done);
}

TEST_CASE("a policy that is edited or deleted in any phase: its taint goes, its case ends, no step is begun twice") {
    for (const std::string phase :
         {"Suspected", "Held", "Quarantined", "Draining", "Repairing", "Verifying", "NeedsHuman"}) {
        for (const std::string change : {"deleted", "another selector", "other triggers", "dry run"}) {
            CAPTURE(phase);
            CAPTURE(change);
            heal_world w;
            w.add_nodes(3);
            json::object spec{{"verify", {{"timeoutSeconds", 86400}}}};
            const json::object condition{{"type", "kcontrol.dev/GPUHealthy"}, {"status", "False"}};
            if (phase == "Suspected") spec["triggers"] = {{{"condition", condition}, {"forSeconds", 600}}};
            if (phase == "Held") spec["breaker"] = {{"minNodes", 1}, {"maxPercent", 1}};
            if (phase == "Quarantined") spec["repairs"] = json::array{};
            if (phase == "Draining") w.add_pod("train", "n0");
            w.add_policy(spec);
            w.steps->outcome = [&](const step_request&) {
                return step_outcome(phase == "Repairing"    ? step_outcome::state::running
                                    : phase == "NeedsHuman" ? step_outcome::state::failed
                                                            : step_outcome::state::succeeded,
                                    "words");
            };
            if (phase == "Held") w.fail("n1"), w.settle(5s);
            w.fail("n0");
            w.settle(5s);
            REQUIRE(w.phase("n0").starts_with(phase));
            const auto name = w.repairs("n0").at(0).metadata.name;
            if (change == "deleted") (void)w.server.api().remove(policies_id, {"", "gpus"}).has_value();
            if (change == "another selector") w.edit_policy({{"nodeSelector", {{"matchLabels", {{"gpu", "false"}}}}}});
            if (change == "other triggers")
                w.edit_policy({{"triggers", {{{"condition", {{"type", "example.com/Other"}, {"status", "False"}}}}}}});
            if (change == "dry run") w.edit_policy({{"dryRun", true}});
            w.settle(10s);
            CHECK(w.tainted() == 0);
            CHECK(w.steps->begun.size() <= (phase == "Held" ? 2 : 1));
            const bool stays = phase == "Suspected" && change == "dry run";
            const std::string reason = change == "deleted"            ? "PolicyDeleted"
                                       : change == "another selector" ? "NotSelected"
                                                                      : "PolicyChanged";
            for (const auto& each : w.repairs("n0")) {
                if (each.metadata.name != name) continue;
                CHECK(each.status.phase == (stays ? "Suspected" : "Cancelled"));
                CHECK(is_true(each.status.conditions, "Complete") == !stays);
                if (!stays) CHECK(each.status.reason.view() == reason);
            }
        }
    }
}

TEST_CASE("a dry run writes only cases, which stay Suspected") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy({{"dryRun", true}});
    w.fail("n0");
    w.settle(1min);
    CHECK(w.phase("n0") == "Suspected");
    CHECK(is_true(w.repairs("n0").at(0).status.conditions, "DryRun"));
    CHECK(w.taints("n0").empty());
    w.heal("n0");
    w.settle(11min);
    CHECK(w.phase("n0") == "Cancelled Recovered");
}

TEST_CASE("a Node that is made anew, deleted, not Ready, or without the condition") {
    heal_world w;
    w.add_nodes(3);
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}});
    w.fail("n0");
    w.settle();
    SUBCASE("made anew") {
        (void)w.server.api().remove(nodes_id, {"", "n0"}).has_value();
        w.add_node("n0");
        w.settle();
        CHECK((w.phase("n0") == "Cancelled NodeReplaced" || w.phase("n0") == "Cancelled NodeGone"));
        CHECK(w.taints("n0").empty());
    }
    SUBCASE("not Ready") {
        w.heal("n0");
        w.settle(10s);
        w.set_health("n0", "True", "AllHealthy", false);
        w.settle(10min);
        CHECK(w.phase("n0") == "Verifying");
        w.heal("n0");
        w.settle(123s);
        CHECK(w.phase("n0") == "Released");
    }
    SUBCASE("without the condition") {
        w.set_health("n0", "", "");
        w.settle(10min);
        CHECK(w.phase("n0") == "Verifying");
        CHECK(w.taints("n0") == our_taint);
    }
}

TEST_CASE("a Node that was made anew while nobody looked: NodeReplaced, no step, no taint on the new one") {
    for (const std::string phase : {"Quarantined", "Draining", "Verifying"}) {
        CAPTURE(phase);
        heal_world w;
        w.add_nodes(3);
        json::object spec{{"verify", {{"timeoutSeconds", 86400}}}};
        if (phase == "Quarantined") spec["repairs"] = json::array{};
        if (phase == "Draining") w.add_pod("train", "n0");
        w.add_policy(spec);
        w.fail("n0");
        w.settle(5s);
        REQUIRE(w.phase("n0") == phase);
        const auto steps = w.steps->begun.size();
        w.stop();
        (void)w.server.api().remove(nodes_id, {"", "n0"}).has_value();
        w.add_node("n0");
        w.edit_node(
            "n0", {{"spec",
                    {{"taints",
                      {{{"key", "kcontrol.dev/gpu-unhealthy"}, {"value", "GPUFailed"}, {"effect", "NoSchedule"}}}}}}});
        (void)w.server.api().patch(pods_id, {"default", "train"}, {{"status", {{"phase", "Succeeded"}}}}, "status");
        w.start();
        w.settle(10s);
        CHECK(w.phase("n0") == "Cancelled NodeReplaced");
        CHECK(w.taints("n0") == our_taint);  // another's, whatever it says
        CHECK(w.steps->begun.size() == steps);
    }
}

TEST_CASE("two policies on a node: one case works, and a person's second one is Busy") {
    heal_world w;
    w.add_nodes(3);
    w.add_policy({{"verify", {{"timeoutSeconds", 86400}}}});
    w.add_policy({{"taint", {{"key", "example.com/broken"}}}}, "others");
    w.fail("n0");
    w.settle(10s);
    int open = 0;
    for (const auto& each : w.repairs("n0")) open += each.status.phase == "Cancelled" ? 0 : 1;
    CHECK(open == 1);
    CHECK(w.tainted() == 1);
    CHECK(w.taints("n0").find(',') == std::string::npos);
    (void)w.server.api()
        .create({{"apiVersion", "healing.kcontrol.dev/v1alpha1"},
                 {"kind", "NodeRepair"},
                 {"metadata", {{"name", "by-hand"}}},
                 {"spec", {{"node", "n0"}, {"policy", "gpus"}}}})
        .value();
    w.settle();
    for (const auto& each : w.repairs("n0")) {
        if (each.metadata.name == "by-hand") CHECK(each.status.reason == "Busy");
    }
}

TEST_CASE("a person's case runs the steps on a healthy node, and is released") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    (void)w.server.api()
        .create({{"apiVersion", "healing.kcontrol.dev/v1alpha1"},
                 {"kind", "NodeRepair"},
                 {"metadata", {{"name", "by-hand"}}},
                 {"spec", {{"node", "n1"}, {"policy", "gpus"}}}})
        .value();
    w.settle();
    CHECK(w.taints("n1") == "kcontrol.dev/gpu-unhealthy=Requested:NoSchedule");
    CHECK(w.steps->begun.size() == 1);
    w.settle(123s);
    CHECK(w.phase("n1") == "Released");
    CHECK(w.taints("n1").empty());
}

TEST_CASE("pods with GPUs end before a step, or are evicted; others stay") {
    heal_world w;
    w.add_nodes(2);
    SUBCASE("WaitForCompletion") {
        w.add_policy();
        w.add_pod("train", "n0");
        w.fail("n0");
        w.settle(1min);
        CHECK(w.phase("n0") == "Draining");
        (void)w.server.api().patch(pods_id, {"default", "train"}, {{"status", {{"phase", "Succeeded"}}}}, "status");
        w.settle(6s);
        CHECK(w.phase("n0") == "Verifying");
    }
    SUBCASE("Evict") {
        w.add_policy({{"drain", {{"mode", "Evict"}}}});
        w.add_pod("train", "n0");
        w.add_pod("elsewhere", "n1");
        w.fail("n0");
        w.settle(10s);
        CHECK(w.phase("n0") == "Draining");
        CHECK(w.end_pods() == 1);
        CHECK(w.server.api().get(pods_id, {"default", "elsewhere"}).has_value());
        w.settle(6s);
        CHECK(w.phase("n0") == "Verifying");
    }
    SUBCASE("a timeout needs a human") {
        w.add_policy({{"drain", {{"timeoutSeconds", 60}}}});
        w.add_pod("train", "n0");
        w.fail("n0");
        w.settle(70s);
        CHECK(w.phase("n0") == "NeedsHuman DrainTimeout");
        CHECK(w.steps->begun.empty());
    }
}

TEST_CASE("drain mode Jobs: a TrainingJob gets the annotation once, other pods are evicted") {
    heal_world w;
    const auto jobs =
        dynamic_resource(group_version_kind("ai.kcontrol.dev", "v1alpha1", "TrainingJob"), "trainingjobs");
    const testing::group_resource jobs_id{"ai.kcontrol.dev", "trainingjobs"};
    w.world.register_resource(testing::resource_type_of(jobs));
    (void)w.server.api()
        .create({{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                 {"kind", "TrainingJob"},
                 {"metadata", {{"name", "bert"}, {"namespace", "default"}}}})
        .value();
    w.add_nodes(2);
    w.add_policy({{"drain", {{"mode", "Jobs"}}}});
    const json::object of_job{{"ai.kcontrol.dev/job", "bert"}};
    w.add_pod("rank-0", "n0", of_job);
    w.add_pod("rank-1", "n0", of_job);
    w.add_pod("elsewhere", "n1", of_job);
    w.add_pod("notebook", "n0");
    w.fail("n0");
    w.settle(10s);
    CHECK(w.phase("n0") == "Draining");
    CHECK(w.end_pods() == 1);  // the notebook's eviction
    const auto token = [&] {
        const auto found = w.server.api().get(jobs_id, {"default", "bert"}).value();
        return std::string(json::get_string(found, {"metadata", "annotations", std::string(restart_annotation)}));
    };
    const auto first = token();
    CHECK(first == w.repairs("n0").at(0).metadata.uid.str() + "-1");
    w.stop();
    w.start();
    w.settle(20s);
    CHECK(token() == first);  // again, after a restart, but the same: it restarts no gang
    CHECK(w.server.api().request_log().count("patch", "trainingjobs") == 2);
    for (const char* rank : {"rank-0", "rank-1"}) {
        CHECK(w.server.api().get(pods_id, {"default", rank}).has_value());
        (void)w.server.api().remove(pods_id, {"default", rank}).has_value();  // the operator's part
    }
    (void)w.end_pods();
    w.settle(6s);
    CHECK(w.phase("n0") == "Verifying");
    CHECK(w.server.api().get(pods_id, {"default", "elsewhere"}).has_value());
}

TEST_CASE("a failed step is not running (NVSentinel 1808), and a lost one needs a human") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    bool lost = false;
    SUBCASE("failed") {}
    SUBCASE("lost") { lost = true; }
    w.steps->outcome = [lost](const step_request&) {
        return step_outcome(lost ? step_outcome::state::lost : step_outcome::state::failed, "the server says so");
    };
    w.fail("n0");
    w.settle(10s);
    CHECK(w.phase("n0") == (lost ? "NeedsHuman AnswerLost" : "NeedsHuman StepFailed"));
    CHECK(w.steps->begun.size() == 1);
}

TEST_CASE("a fault right after the release waits for the cooldown before the next step (NVSentinel 1451, 1543)") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    w.fail("n0");
    w.settle(5s);
    w.heal("n0");
    w.settle(125s);
    REQUIRE(w.phase("n0") == "Released");
    w.fail("n0");
    w.settle(30min);
    CHECK(w.phase("n0") == "Quarantined");
    CHECK(w.steps->begun.size() == 1);
    w.settle(31min);
    CHECK(w.steps->begun.size() == 2);
}

TEST_CASE("a restart in the middle of a step asks, and does not begin it again (NVSentinel 1280)") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy();
    bool running = true;
    w.steps->outcome = [&running](const step_request&) {
        return step_outcome(running ? step_outcome::state::running : step_outcome::state::succeeded, "reboot");
    };
    w.fail("n0");
    w.settle(5s);
    REQUIRE(w.phase("n0") == "Repairing");
    for (int i = 0; i < 3; ++i) {
        w.stop();
        w.start();
        w.settle(20s);
    }
    running = false;
    w.settle(10s);
    CHECK(w.phase("n0") == "Verifying");
    CHECK(w.steps->begun == std::map<std::string, int>{{w.repairs("n0").at(0).status.token.str(), 1}});
}

TEST_CASE("history is pruned, and old faults after a reset open nothing (NVSentinel 450)") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy({{"historySeconds", 3600}});
    w.fail("n0");
    w.settle(5s);
    w.heal("n0");
    w.settle(125s);
    REQUIRE(w.phase("n0") == "Released");
    w.stop();
    w.start();
    w.settle(30min);
    CHECK(w.repairs().size() == 1);
    w.settle(31min);
    CHECK(w.repairs().empty());
}

TEST_CASE("a policy that can't be served says why") {
    heal_world w;
    w.add_nodes(2);
    w.add_policy({{"triggers", {{{"condition", {{"type", "T"}, {"status", "True"}}}, {"repair", "none"}}}}});
    CHECK(w.condition("Ready") == "False spec.triggers.repair: none: name one of spec.repairs");
    w.edit_policy({{"triggers", nullptr}});
    CHECK(w.condition("Ready") == "True ");
}
