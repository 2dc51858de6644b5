// The scheduler of a fake_cluster: whose pods it binds, what fits where, and what it says. As kube-scheduler 1.36 does.
#include <kcontrol/testing/fake_cluster.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::group_resource;

namespace {

const group_resource pods("", "pods"), nodes("", "nodes"), events("", "events"), jobs("batch", "jobs");

class fixture {
public:
    json::value parsed(const std::string& text) { return json::parse(text).value(); }
    void add_node(const std::string& name, const std::string& allocatable, const std::string& spec = "{}") {
        const auto made =
            api.create(parsed(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("},"spec":)" +
                              spec + R"(,"status":{"allocatable":{)" + allocatable + "}}}"));
        REQUIRE(made);
    }
    /// `requests`: of its container, `spec`: what there is beside that, with a comma before it.
    void add_pod(const std::string& name, const std::string& requests, const std::string& spec = {}) {
        const auto made =
            api.create(parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                              R"(","annotations":{"sim/run-ms":"forever"}},"spec":{"containers":[{"name":"c",)"
                              R"("image":"i","resources":{"requests":{)" +
                              requests + "}}}]" + spec + "}}"));
        INFO((made ? std::string() : made.error().message()));
        REQUIRE(made);
    }
    json::value pod(const std::string& name) { return api.get(pods, {"default", name}).value(); }
    std::string node_of(const std::string& name) {
        return std::string(json::get_string(pod(name), {"spec", "nodeName"}));
    }
    /// The condition PodScheduled: status, reason and message.
    std::string scheduled(const std::string& name) {
        const json::value whole = pod(name);
        const json::value* all = json::find(whole, {"status", "conditions"});
        if (all == nullptr) return "none";
        for (const auto& one : all->as_array()) {
            if (json::get_string(one, {"type"}) != "PodScheduled") continue;
            std::string out(json::get_string(one, {"status"}));
            for (const std::string_view part : {"reason", "message"}) {
                const auto text = json::get_string(one, {part});
                if (!text.empty()) out += " " + std::string(text);
            }
            return out;
        }
        return "none";
    }
    std::string reasons_about(const std::string& name) {
        std::string out;
        for (const auto& one : api.list(events)) {
            if (json::get_string(one, {"involvedObject", "name"}) != name) continue;
            out += std::string(json::get_string(one, {"type"})) + " " + std::string(json::get_string(one, {"reason"})) +
                   ": " + std::string(json::get_string(one, {"message"})) + "\n";
        }
        return out;
    }

    testing::sim_world world;
    testing::sim_server& server =
        world.add_server("cluster", testing::api_server_options().default_and_validate(true).collect_garbage(true));
    testing::api_server& api = server.api();
    testing::fake_cluster fakes{world, server, testing::fake_cluster_options().nodes(0)};
};

const std::string room = R"("cpu":"4","memory":"8Gi","pods":"10")";

}  // namespace

TEST_CASE("pods of another scheduler are left alone, and gated ones wait whoever's they are") {
    fixture f;
    f.add_node("a", room);
    f.add_pod("own", "", R"(,"schedulerName":"default-scheduler")");
    f.add_pod("other", "", R"(,"schedulerName":"gang")");
    f.add_pod("gated", "", R"(,"schedulerName":"gang","schedulingGates":[{"name":"g"}])");
    f.world.run_for(10s);
    CHECK(f.node_of("own") == "a");
    CHECK(f.scheduled("own") == "True");
    CHECK(f.node_of("other").empty());
    CHECK(f.scheduled("other") == "none");
    CHECK(json::get_string(f.pod("other"), {"status", "phase"}) == "Pending");
    CHECK(f.reasons_about("other").empty());
    CHECK(f.scheduled("gated") == "False SchedulingGated Scheduling is blocked due to non-empty scheduling gates");
    json::value bound = f.parsed(R"({"spec":{"nodeName":"a"}})");  // as its scheduler does
    REQUIRE(f.api.patch(pods, {"default", "other"}, bound, "binding"));
    f.world.run_for(10s);
    CHECK(json::get_string(f.pod("other"), {"status", "phase"}) == "Running");
}

TEST_CASE("a node takes no more than it has, and a pod that fits nowhere says why") {
    fixture f;
    f.add_node("a", room);
    f.add_pod("first", R"("cpu":"3","memory":"1Gi")");
    f.world.run_for(1s);
    f.add_pod("second", R"("cpu":"1500m","memory":"7.5Gi")");
    f.add_pod("huge", R"("cpu":"5")");
    f.add_pod("small", R"("cpu":"1")");
    f.world.run_for(1s);
    CHECK(f.node_of("first") == "a");
    CHECK(f.node_of("small") == "a");
    CHECK(f.node_of("second").empty());
    const std::string unschedulable = "False Unschedulable ", none = "0/1 nodes are available: ";
    CHECK(f.scheduled("second") ==
          unschedulable + none +
              "1 Insufficient cpu, 1 Insufficient memory. no new claims to deallocate, "
              "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming "
              "pod.");
    CHECK(f.scheduled("huge") == unschedulable + none +
                                     "1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are "
                                     "available: 1 Preemption is not helpful for scheduling.");
    CHECK(json::get_string(f.pod("second"), {"status", "phase"}) == "Pending");
    CHECK(f.fakes.idle());

    SUBCASE("it is bound when a pod is deleted") {
        REQUIRE(f.api.remove(pods, {"default", "first"}));
        REQUIRE(f.api.remove(pods, {"default", "small"}));
        f.world.run_for(1min);
        CHECK(f.node_of("second") == "a");
        CHECK(f.scheduled("second") == "True");
        CHECK(f.node_of("huge").empty());
    }
    SUBCASE("it is bound when a pod has ended") {
        REQUIRE(f.fakes.end_pod({"default", "first"}));
        f.world.run_for(1s);
        CHECK(f.node_of("second").empty());  // it starts again: it still holds what it had
        f.world.run_for(15s);
        REQUIRE(f.fakes.evict_pod({"default", "first"}));
        f.world.run_for(1s);
        CHECK(f.node_of("second") == "a");
    }
    SUBCASE("it is bound when a node comes") {
        f.add_node("b", room);
        f.world.run_for(1s);
        CHECK(f.node_of("second") == "b");
        CHECK(f.reasons_about("second").find("Normal Scheduled: Successfully assigned default/second to b\n") !=
              std::string::npos);
    }
}

TEST_CASE("each node is counted with the first thing that is in the way") {
    fixture f;
    f.add_node("full", R"("cpu":"4","pods":"1")");
    f.add_node("closed", room, R"({"unschedulable":true})");
    f.add_pod("first", "");
    f.world.run_for(1s);
    CHECK(f.node_of("first") == "full");
    f.add_pod("second", "");
    f.add_pod("picky", "", R"(,"nodeSelector":{"gpu":"yes"})");
    f.world.run_for(1s);
    CHECK(
        f.scheduled("second") ==
        "False Unschedulable 0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. no new claims to "
        "deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption "
        "is not helpful for scheduling.");
    CHECK(f.scheduled("picky").find(
              "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable") !=
          std::string::npos);
    CHECK(f.reasons_about("second").starts_with("Warning FailedScheduling: 0/2 nodes are available: "));
}

TEST_CASE("a pod is bound to a node that it requires by labels or by name") {
    struct row {
        const char* what;
        const char* terms;     // of the required node affinity; null: it has none
        const char* selector;  // nodeSelector
        const char* node;      // empty: no node fits
    };
    const row table[] = {
        {"a label among several", R"({"matchExpressions":[{"key":"zone","operator":"In","values":["z2","z3"]}]})", "{}",
         "b"},
        {"a label that is not there", R"({"matchExpressions":[{"key":"gpus","operator":"DoesNotExist"}]})", "{}", "a"},
        {"NotIn holds for an absent label",
         R"({"matchExpressions":[{"key":"gpus","operator":"NotIn","values":["8"]}]})", "{}", "a"},
        {"more than a number", R"({"matchExpressions":[{"key":"gpus","operator":"Gt","values":["4"]}]})", "{}", "b"},
        {"not more than its own number", R"({"matchExpressions":[{"key":"gpus","operator":"Gt","values":["8"]}]})",
         "{}", ""},
        {"a name", R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]})", "{}", "b"},
        {"all expressions of a term",
         R"({"matchExpressions":[{"key":"gpus","operator":"Exists"},{"key":"zone","operator":"In","values":["z1"]}]})",
         "{}", ""},
        {"one of several terms",
         R"({"matchExpressions":[{"key":"zone","operator":"In","values":["z9"]}]},
            {"matchExpressions":[{"key":"gpus","operator":"Exists"}]})",
         "{}", "b"},
        {"the affinity and the selector", R"({"matchExpressions":[{"key":"gpus","operator":"Exists"}]})",
         R"({"zone":"z1"})", ""},
        {"the selector alone", nullptr, R"({"zone":"z2"})", "b"},
        {"a wrong term beside one that fits",
         R"({"matchExpressions":[{"key":"zone","operator":"Gt","values":["z"]}]},
            {"matchExpressions":[{"key":"gpus","operator":"Exists"}]})",
         "{}", "b"},
        {"a wrong term alone", R"({"matchExpressions":[{"key":"zone","operator":"Gt","values":["z"]}]})", "{}", ""},
        {"an empty term", "{}", "{}", ""},
    };
    for (const row& one : table) {
        CAPTURE(one.what);
        fixture f;
        f.add_node("a", room);
        f.add_node("b", room);
        REQUIRE(f.api.patch(nodes, {"", "a"}, f.parsed(R"({"metadata":{"labels":{"zone":"z1"}}})")));
        REQUIRE(f.api.patch(nodes, {"", "b"}, f.parsed(R"({"metadata":{"labels":{"zone":"z2","gpus":"8"}}})")));
        std::string spec = std::string(R"(,"nodeSelector":)") + one.selector;
        if (one.terms != nullptr) {
            spec += R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
                    R"("nodeSelectorTerms":[)" +
                    std::string(one.terms) + "]}}}";
        }
        f.add_pod("p", "", spec);
        f.world.run_for(1s);
        CHECK(f.node_of("p") == one.node);
        const std::string refused = "2 node(s) didn't match Pod's node affinity/selector";
        CHECK((f.scheduled("p").find(refused) != std::string::npos) == std::string_view(one.node).empty());
    }
}

TEST_CASE("preferred node affinity keeps a pod from no node") {
    fixture f;
    f.add_node("a", room);
    f.add_pod("p", "", R"(,"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
        "preference":{"matchExpressions":[{"key":"zone","operator":"In","values":["z9"]}]}}]}})");
    f.world.run_for(1s);
    CHECK(f.node_of("p") == "a");
}

TEST_CASE("without nodes no pod is bound") {
    fixture f;
    f.add_pod("p", "");
    f.world.run_for(1s);
    CHECK(f.scheduled("p") == "False Unschedulable no nodes available to schedule pods");
}

TEST_CASE("init containers, sidecars, overhead and limits count as in Kubernetes") {
    // A container: its name, what it requests of the CPU, and what there is beside that.
    const auto container = [](const std::string& name, const std::string& cpu, const std::string& more = {}) {
        return R"({"name":")" + name + R"(","image":"i","resources":{"requests":{"cpu":")" + cpu + "\"}}" + more + "}";
    };
    const std::string always = R"(,"restartPolicy":"Always")", main = R"("containers":[)" + container("c", "1") + "]";
    struct row {
        const char* what;
        std::string spec;
        const char* cpu;  // what the pod needs, and a little less
        const char* less;
    };
    const row table[] = {
        {"the sum of its containers", R"("containers":[)" + container("a", "1") + "," + container("b", "500m") + "]",
         "1500m", "1499m"},
        {"a limit without a request", R"("containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2"}}}])",
         "2", "1999m"},
        {"a large init container", main + R"(,"initContainers":[)" + container("i", "3") + "]", "3", "2999m"},
        {"a small init container", main + R"(,"initContainers":[)" + container("i", "500m") + "]", "1", "999m"},
        {"a sidecar", main + R"(,"initContainers":[)" + container("s", "1", always) + "]", "2", "1999m"},
        {"an init container behind a sidecar",
         main + R"(,"initContainers":[)" + container("s", "1", always) + "," + container("i", "2") + "]", "3", "2999m"},
        {"requests of the pod itself", main + R"(,"resources":{"requests":{"cpu":"4"}})", "4", "3999m"},
    };
    for (const auto& one : table) {
        for (const bool enough : {true, false}) {
            CAPTURE(one.what);
            CAPTURE(enough);
            fixture f;
            f.add_node("a", R"("pods":"10","cpu":")" + std::string(enough ? one.cpu : one.less) + "\"");
            const auto made = f.api.create(
                f.parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)" + one.spec + "}}"));
            INFO((made ? std::string() : made.error().message()));
            REQUIRE(made);
            f.world.run_for(1s);
            CHECK((f.node_of("p") == "a") == enough);
        }
    }
}

TEST_CASE("the controllers of a fake cluster say in Events what they do") {
    fixture f;
    f.add_node("a", room);
    REQUIRE(f.api.create(f.parsed(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{
        "metadata":{"annotations":{"sim/run-ms":"1000"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})")));
    REQUIRE(f.api.create(f.parsed(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{
        "replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
        "spec":{"containers":[{"name":"c","image":"i"}]}}}})")));
    f.world.run_for(1min);
    const std::string job = f.reasons_about("j"), deployment = f.reasons_about("d");
    CHECK(job.find("Normal SuccessfulCreate: Created pod: j-") != std::string::npos);
    CHECK(job.find("Normal Completed: Job completed\n") != std::string::npos);
    CHECK(deployment.starts_with("Normal ScalingReplicaSet: Scaled up replica set d-"));
    CHECK(deployment.find(" from 0 to 2\n") != std::string::npos);
    for (const auto& one : f.api.list(events)) {
        CHECK(json::get_string(one, {"metadata", "namespace"}) == "default");
        CHECK_FALSE(json::get_string(one, {"reportingComponent"}).empty());
    }
}
