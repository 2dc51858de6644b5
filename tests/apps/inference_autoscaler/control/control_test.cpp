// What the autoscaler writes, and what it leaves alone.
#include "scaler_world.hpp"
#include "support/how_much.hpp"

using namespace inference_autoscaler;
using namespace inference_autoscaler::tests;

namespace {

json::object zero(const json::object& more = {}) {
    json::object policy{{"wake", {{"query", "load"}}}};
    for (const auto& [key, value] : more) policy[key] = value;
    return {{"minReplicas", 0}, {"zero", policy}, {"down", {{"settleSeconds", 0}}}};
}
json::value hpa_of(const std::string& target) {
    return {{"apiVersion", "autoscaling/v2"},
            {"kind", "HorizontalPodAutoscaler"},
            {"metadata", {{"name", "old"}}},
            {"spec",
             {{"maxReplicas", 3},
              {"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", target}}}}}};
}

}  // namespace

TEST_CASE("a rule that holds adds a replica through /scale, and what was decided is told") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    w.add_scaler();
    CHECK(w.replicas() == 3);
    CHECK(w.server.api().request_log().count("update") == 1);  // of the scale
    const auto status = w.scaler().status;
    CHECK(status.decision.sentence == "busy is 2, > 1: 3 replicas instead of 2");
    CHECK((status.last_scale && status.last_scale->from == 2 && status.last_scale->to == 3));
    CHECK(status.last_scale->rule == "busy");
    CHECK(w.condition("Ready") == "Ready=True Working: ");
    CHECK(w.condition("MetricsKnown") == "MetricsKnown=True Known: ");
    CHECK(w.events("ScaledUp") == 1);
    w.busy = 0.9;
    w.settle(30);
    CHECK(w.replicas() == 3);
    CHECK(w.scaler().status.ready == 3);
    const auto metrics = w.m->metrics().text();
    CHECK(metrics.find(R"(inference_autoscaler_ready_replicas{name="llama",namespace="default"} 3)") !=
          std::string::npos);
    CHECK(metrics.find(R"(inference_autoscaler_metric_value{name="llama",namespace="default",rule="busy"} 0.9)") !=
          std::string::npos);
    CHECK(metrics.find(R"(inference_autoscaler_decisions_total{action="up",rule="busy"} 1)") != std::string::npos);
}

TEST_CASE("nothing is written in an idle hour, and looks go on") {
    scaler_world w;
    w.add_target(2);
    w.busy = 0.9;
    w.add_scaler();
    w.settle(60);
    const auto before = w.writes(), looks = w.looks;
    w.world.run_for(1h);
    w.busy = 0.95;  // another value is no news
    w.world.run_for(1min);
    CHECK(w.writes() == before);
    CHECK(w.looks - looks > 200);
}

TEST_CASE("ten minutes without metrics change nothing but a condition, and are told once") {
    scaler_world w;
    w.add_target(3);
    w.busy = 0.5;
    w.add_scaler({{"down", {{"forSeconds", 60}, {"settleSeconds", 0}}}});
    w.settle(30);
    w.busy = w.none;
    w.settle(600);
    CHECK(w.replicas() == 3);
    CHECK(w.condition("MetricsKnown") == "MetricsKnown=False NoAnswer: busy: the test says so");
    CHECK(w.events("MetricsLost") == 1);
    w.busy = 0.5;
    w.settle(30);
    CHECK(w.events("MetricsBack") == 1);
    CHECK(w.replicas() == 3);  // forSeconds begin anew
    w.settle(60);
    CHECK(w.replicas() == 2);
    CHECK(w.events("ScaledDown") == 1);
}

TEST_CASE("to zero without load, and to one within 200 ms of a wake, once for each") {
    scaler_world w;
    w.add_target(1);
    w.load = 0;
    w.busy = 0.1;
    w.add_scaler(zero({{"afterSeconds", 60}, {"listen", true}}));
    w.settle(80);
    CHECK(w.replicas() == 0);
    CHECK(w.events("ScaledToZero") == 1);
    w.answer_time = 10s;  // a server of metrics that hangs keeps none from waking
    w.settle(40);
    w.wake("2026-11-29T10:00:00Z");
    w.world.run_for(200ms);
    CHECK(w.replicas() == 1);
    CHECK(w.scaler().status.woken == "2026-11-29T10:00:00Z");
    CHECK(w.events("MetricsLost") == 0);  // a wake without a look says nothing of metrics
    w.settle(30);
    CHECK(w.events("Woken") == 1);
    w.answer_time = 0s;
    w.settle(90);
    CHECK(w.replicas() == 0);  // the same annotation wakes once
    w.load = 1;
    w.settle(20);
    CHECK(w.replicas() == 1);
}

TEST_CASE("another autoscaler of the target: nothing is written, and Conflict names it") {
    scaler_world w;
    w.add_target(2);
    (void)w.server.api().create(hpa_of("llama")).value();
    w.busy = 2;
    w.add_scaler();
    w.settle(60);
    CHECK(w.replicas() == 2);
    CHECK(w.condition("Conflict") ==
          "Conflict=True OtherAutoscaler: HorizontalPodAutoscaler old scales Deployment llama: remove one of the two");
    CHECK(w.events("Conflict") == 1);
    (void)w.server.api().remove(hpas_id, {"default", "old"}).has_value();
    w.settle(20);
    CHECK(w.replicas() == 3);
    CHECK(w.condition("Conflict") == "Conflict=False None: ");
    (void)w.server.api().create(hpa_of("other")).value();
    w.settle(20);
    CHECK(w.condition("Conflict") == "Conflict=False None: ");
    w.busy = 0.9;
    w.add_scaler({}, "younger");
    w.settle(20);
    CHECK(w.condition("Conflict", "younger").find("InferenceScaler llama scales Deployment llama") !=
          std::string::npos);
    CHECK(w.m->metrics().text().find("wanted_replicas{name=\"younger\"") == std::string::npos);
    CHECK(w.condition("Conflict") == "Conflict=False None: ");
}

TEST_CASE("another's replicas are kept as the new beginning, within the bounds; 0 turns the scaler off") {
    scaler_world w;
    w.add_target(2);
    w.busy = 0.9;
    w.add_scaler();
    w.settle(20);
    w.set_replicas(5);
    w.settle(20);
    CHECK(w.replicas() == 5);
    CHECK(w.events("ForeignScale") == 1);
    CHECK(w.scaler().status.last_scale->rule == "foreign");
    w.set_replicas(20);
    w.settle(20);
    CHECK(w.replicas() == 8);
    w.set_replicas(0);
    w.busy = 2;
    w.settle(60);
    CHECK(w.replicas() == 0);
    CHECK(w.condition("Scaling") == "Scaling=False TurnedOff: another set 0 replicas, which turns the scaler off");
    w.set_replicas(1);
    w.settle(20);
    CHECK(w.replicas() > 1);
}

TEST_CASE("the pod with the fewest requests goes first") {
    scaler_world w;
    w.add_target(3);
    w.busy = 0.1;
    w.in_flight = {{"llama-1", 4}, {"llama-2", 0}, {"llama-3", 2.4}};
    w.add_scaler({{"down", {{"forSeconds", 30}, {"settleSeconds", 0}, {"inFlight", {{"metric", "running"}}}}}});
    w.settle(50);
    CHECK(w.replicas() == 2);
    const char* cost = "controller.kubernetes.io/pod-deletion-cost";
    CHECK(json::get_string(w.pod("llama-1"), {"metadata", "annotations", cost}) == "4");
    CHECK(json::get_string(w.pod("llama-3"), {"metadata", "annotations", cost}) == "2");
    CHECK_FALSE(w.server.api().get(pods_id, {"default", "llama-2"}).has_value());
}

TEST_CASE("what keeps a scaler from working is said") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    const auto target = [](const char* version, const char* kind, const char* name) -> json::object {
        return {{"target", {{"apiVersion", version}, {"kind", kind}, {"name", name}}}};
    };
    w.add_scaler(target("apps/v1", "Deployment", "llama-70b"));
    CHECK(w.condition("Ready") ==
          "Ready=False NoTarget: Deployment llama-70b is not there, or has no scale subresource");
    w.set_spec(target("apps/v1", "Deploiment", "llama"));
    CHECK(w.condition("Ready") ==
          "Ready=False NoTarget: spec.target: the server has no kind apps/v1/Deploiment in namespaces");
    w.set_spec(target("v1", "ConfigMap", "llama"));
    CHECK(w.condition("Ready") == "Ready=False NoTarget: ConfigMap llama is not there, or has no scale subresource");
    w.set_spec({{"paused", true}});
    CHECK(w.condition("Scaling") == "Scaling=False Paused: spec.paused is true");
    json::object back = target("apps/v1", "Deployment", "llama");
    back["paused"] = false;
    back["dryRun"] = true;
    w.set_spec(back);
    CHECK(w.replicas() == 2);
    CHECK(w.condition("Scaling") == "Scaling=False DryRun: ");
    CHECK(w.scaler().status.wanted == 3);
    w.set_spec({{"dryRun", false}, {"warmUp", {{"port", 8000}, {"path", "/"}}}});
    CHECK(w.replicas() == 3);
    CHECK(w.condition("Ready").find("Ready=False NoReadinessGate: pods need readinessGates") == 0);
}

TEST_CASE("while replicas load nothing more is asked for, until they have failed") {
    scaler_world w;
    w.add_target(1);
    w.busy = 5;
    w.ready = false;
    w.add_scaler();
    CHECK(w.replicas() == 2);
    w.settle(540);
    CHECK(w.replicas() == 2);
    CHECK(w.scaler().status.warming == 1);
    w.settle(120);  // not ready for ten minutes
    CHECK(w.replicas() == 3);
}

TEST_CASE("replicas that find no node are given back, with the scheduler's words, and asked for again after 10 min") {
    scaler_world w;
    w.add_target(1);
    (void)w.server.api()
        .patch(pods_id, {"default", "llama-1"},
               {{"metadata", {{"annotations", {{"controller.kubernetes.io/pod-deletion-cost", "5"}}}}}})
        .value();
    w.busy = 2;
    w.ready = false;
    w.add_scaler({{"capacity", {{"giveBackSeconds", 60}}}});
    REQUIRE(w.replicas() == 2);
    w.set_unschedulable("llama-2", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.");
    w.settle(50);
    CHECK(w.replicas() == 2);
    const std::string words = "Limited=True NoNode: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
    CHECK(w.condition("Limited") == words);
    w.settle(30);
    CHECK(w.replicas() == 1);
    CHECK(w.scaler().status.last_scale->rule == "giveBack");
    w.settle(9 * 60);
    CHECK(w.replicas() == 1);
    CHECK(w.condition("Limited") == "Limited=True NoNode: replicas found no node, and are asked for again later");
    w.settle(75);
    CHECK(w.replicas() == 2);
}

TEST_CASE("more than the scheduler has places for is not asked for; without its answer as much as is wanted") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    w.places = 0;
    json::object rule{{"name", "busy"}, {"query", "busy"}, {"threshold", 1}, {"action", {{"addReplicas", 3}}}};
    w.add_scaler({{"rules", {rule}}, {"capacity", {{"scheduler", "http://gpu-scheduler:8080"}}}});
    CHECK(w.replicas() == 2);
    CHECK(w.condition("Limited") == "Limited=True NoNode: the scheduler has places for 0 of 3 more");
    CHECK(w.asked_places == std::vector<std::int32_t>{3});
    w.places = 2;
    w.settle(15);
    CHECK(w.replicas() == 4);
    CHECK(w.scaler().status.decision.sentence == "busy is 2, > 1: 4 replicas instead of 2");
    w.places.reset();
    w.settle(15);
    CHECK(w.replicas() == 7);
    w.busy = 0.9;
    w.settle(20);
    CHECK(w.condition("Limited") == "Limited=False WithinLimits: ");
    CHECK(w.asked_places.size() == 3);  // only for more
}

TEST_CASE("what a dry run would do is told once, and not remembered as done") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    w.add_scaler({{"dryRun", true}});
    w.settle(120);
    CHECK(w.replicas() == 2);
    CHECK(w.events("ScaledUp") == 1);
    CHECK(w.scaler().status.wanted == 3);
    CHECK(w.shown.status.decision.sentence == "busy is 2, > 1: 3 replicas instead of 2");
    w.set_spec({{"dryRun", false}});
    w.settle(5);
    CHECK(w.replicas() == 3);
}

TEST_CASE("a scaler that was made anew by its name is another one") {
    scaler_world w;
    w.add_target(2);
    w.busy = 0.4;
    w.add_scaler();
    w.settle(20);
    (void)w.server.api().remove(scalers_id, {"default", "llama"}).has_value();
    const json::object rule{{"name", "busy"}, {"query", "busy"}, {"threshold", 0.3}, {"action", {{"addReplicas", 1}}}};
    w.add_scaler({{"rules", {rule}}});
    CHECK(w.replicas() == 3);
}

TEST_CASE("many scalers of a kind that is looked up for the first time") {
    scaler_world w;
    w.add_target(1);
    w.stop();
    for (const char* name : {"a", "b", "c", "d"}) {
        w.add_target(1, name);
        w.add_scaler({{"target", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", name}}}}, name);
    }
    w.start();
    w.settle(20);
    for (const char* name : {"a", "b", "c", "d"}) CHECK(w.condition("Ready", name) == "Ready=True Working: ");
}

TEST_CASE("a replica that is asked for comes, whichever way the write of the replicas fails") {
    const std::vector<std::function<void(testing::fault&)>> ways{
        [](testing::fault& f) { f.status(409, "Conflict", "the test says so"); },
        [](testing::fault& f) { f.status(500, "InternalError", "the test says so"); },
        [](testing::fault& f) { f.drop(); }, [](testing::fault& f) { f.drop_response(); }};
    for (const auto& way : ways) {
        scaler_world w;
        w.add_target(1);
        w.load = 0;
        w.busy = 0.1;
        w.add_scaler(zero({{"afterSeconds", 15}, {"listen", true}}));
        w.settle(40);
        REQUIRE(w.replicas() == 0);
        w.fail_next_scale(way);
        w.wake("now");
        w.settle(16);
        CHECK(w.replicas() == 1);
        CHECK(w.events("Woken") <= 1);
        CHECK(w.events("ForeignScale") == 0);
    }
}

TEST_CASE("a conflict of the replicas is no new beginning: what held for so long still does") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    json::object rule{
        {"name", "busy"}, {"query", "busy"}, {"threshold", 1}, {"forSeconds", 60}, {"action", {{"addReplicas", 1}}}};
    w.add_scaler({{"rules", {rule}}});
    w.fail_next_scale([](testing::fault& f) { f.status(409, "Conflict", "the test says so"); });
    w.settle(61 + 15);
    CHECK(w.replicas() == 3);
    CHECK(w.events("ScaledUp") == 1);
}

TEST_CASE("another scale of the API without a selector has no pods") {
    scaler_world w;
    w.add_target(2);
    w.busy = 2;
    w.server.api().set_faults([](const http::server_request& asked) {
        testing::fault out;
        if (asked.method != "GET" || !asked.target.ends_with("/scale")) return out;
        http::response answer;
        answer.status = 200;
        answer.headers.set("Content-Type", "application/json");
        answer.body = R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"llama",)"
                      R"("namespace":"default"},"spec":{"replicas":2},"status":{"replicas":2}})";
        out.answer(std::move(answer));
        return out;
    });
    w.add_scaler();
    CHECK(w.condition("Ready") ==
          "Ready=False NoSelector: Deployment llama: its scale has no selector, so it has no pods");
    CHECK(w.looks == 0);
}

TEST_CASE("the words of a server that fails are written once, though they change") {
    scaler_world w;
    w.add_target(2);
    w.busy = w.none;
    w.failure = "no answer at 1";
    w.add_scaler();
    w.settle(20);
    CHECK(w.condition("MetricsKnown") == "MetricsKnown=False NoAnswer: busy: no answer at 1");
    const auto before = w.writes();
    w.failure = "no answer at 2";
    w.settle(60);
    CHECK(w.writes() == before);
}

TEST_CASE("no wake is lost that comes while zero is written") {
    const auto races =
        static_cast<int>(kcontrol::test::asked_for("KCONTROL_SIM_SEEDS", kcontrol::test::as_many_as(20, 2)));
    scaler_world w;
    w.add_target(1);
    w.load = 0;
    w.busy = 0.1;
    w.add_scaler(zero({{"afterSeconds", 15}, {"listen", true}}));
    int zeros = 0;
    for (int i = 0; i < races; ++i) {
        w.world.run_until([&] { return w.replicas() == 1; }, 60s);
        w.settle(16);
        w.world.run_for(std::chrono::milliseconds(i * 37 % 16000));
        zeros += w.replicas() == 0 ? 1 : 0;
        const text mark = "wake " + std::to_string(i);
        w.wake(mark.str());
        w.world.run_until([&] { return w.scaler().status.woken == mark; }, 20s);
        w.world.run_for(100ms);
        INFO("race " << i);
        REQUIRE(w.scaler().status.woken == mark);
        REQUIRE(w.replicas() == 1);
        w.follow();
    }
    CHECK(zeros > 0);
}
