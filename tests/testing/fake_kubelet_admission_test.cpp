// Kubelets of a fake_cluster refuse what is beyond allocatable, as those of Kubernetes 1.36 do, and no_overcommit finds
// what they would refuse.
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/no_overcommit.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace std::chrono_literals;
using testing::group_resource;

namespace {

const group_resource pods("", "pods"), nodes("", "nodes"), events("", "events");

class fixture {
public:
    json::value parsed(const std::string& text) { return json::parse(text).value(); }
    void add_node(const std::string& name, const std::string& allocatable) {
        REQUIRE(api.create(parsed(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                                  R"("},"status":{"allocatable":{)" + allocatable + "}}}")));
    }
    /// A pod that another scheduler, which looks at nothing, has bound to node a.
    void bind_pod(const std::string& name, const std::string& requests, const std::string& life = "forever") {
        const auto made = api.create(parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                                            R"(","annotations":{"sim/run-ms":")" + life +
                                            R"("}},"spec":{"nodeName":"a","restartPolicy":"Never","schedulerName":"x",)"
                                            R"("containers":[{"name":"c","image":"i","resources":)" +
                                            requests + "}]}}"));
        REQUIRE_MESSAGE(made, made.error().message());
    }
    std::string text_of(const std::string& pod, std::initializer_list<std::string_view> path) {
        return std::string(json::get_string(api.get(pods, {"default", pod}).value(), path));
    }
    std::string phase(const std::string& pod) { return text_of(pod, {"status", "phase"}); }
    std::string reason(const std::string& pod) { return text_of(pod, {"status", "reason"}); }
    std::string message(const std::string& pod) { return text_of(pod, {"status", "message"}); }
    std::string event_about(const std::string& pod) {
        for (const auto& one : api.list(events)) {
            if (json::get_string(one, {"involvedObject", "name"}) != pod) continue;
            return std::string(json::get_string(one, {"type"})) + " " + std::string(json::get_string(one, {"reason"})) +
                   " of " + std::string(json::get_string(one, {"source", "component"})) + ": " +
                   std::string(json::get_string(one, {"message"}));
        }
        return "none";
    }

    testing::sim_world world;
    testing::sim_server& server =
        world.add_server("cluster", testing::api_server_options().default_and_validate(true).collect_garbage(true));
    testing::api_server& api = server.api();
    testing::fake_cluster fakes{world, server, testing::fake_cluster_options().nodes(0)};
};

const std::string small = R"("cpu":"4","memory":"8Gi","ephemeral-storage":"10Gi","pods":"3","nvidia.com/gpu":"2")";

}  // namespace

TEST_CASE("a kubelet refuses the pod that is beyond allocatable, in the words of a real one") {
    struct row {
        const char* what;
        const char* first;   // resources of the pod that is there
        const char* second;  // of the one that comes
        const char* reason;  // empty: it runs
        const char* message;
    };
    const row table[] = {
        {"it fits exactly", R"({"requests":{"cpu":"3","memory":"4Gi"}})", R"({"requests":{"cpu":"1","memory":"4Gi"}})",
         "", ""},
        {"cpu, in thousandths", R"({"requests":{"cpu":"3"}})", R"({"requests":{"cpu":"1001m"}})", "OutOfcpu",
         "Node didn't have enough resource: cpu, requested: 1001, used: 3000, capacity: 4000"},
        {"memory, in bytes", R"({"requests":{"memory":"8Gi"}})", R"({"requests":{"memory":"1"}})", "OutOfmemory",
         "Node didn't have enough resource: memory, requested: 1, used: 8589934592, capacity: 8589934592"},
        {"a disk", "{}", R"({"requests":{"ephemeral-storage":"11Gi"}})", "OutOfephemeral-storage",
         "Node didn't have enough resource: ephemeral-storage, requested: 11811160064, used: 0, capacity: 10737418240"},
        {"devices", R"({"limits":{"nvidia.com/gpu":"1"}})", R"({"limits":{"nvidia.com/gpu":"2"}})",
         "OutOfnvidia.com/gpu", "Node didn't have enough resource: nvidia.com/gpu, requested: 2, used: 1, capacity: 2"},
        {"devices that the node does not have are not asked for", "{}", R"({"limits":{"example.com/fpga":"1"}})", "",
         ""},
        {"huge pages that the node does not have", "{}",
         R"({"requests":{"cpu":"1"},"limits":{"cpu":"1","hugepages-2Mi":"2Mi"}})", "OutOfhugepages-2Mi",
         "Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0"},
        {"of several shortages the cpu's is named", R"({"limits":{"cpu":"4","memory":"8Gi","nvidia.com/gpu":"2"}})",
         R"({"limits":{"cpu":"4","memory":"8Gi","nvidia.com/gpu":"2"}})", "OutOfcpu",
         "Node didn't have enough resource: cpu, requested: 4000, used: 4000, capacity: 4000"},
    };
    for (const row& one : table) {
        CAPTURE(one.what);
        fixture f;
        f.add_node("a", small);
        f.bind_pod("first", one.first);
        f.world.run_for(1s);
        CHECK(f.phase("first") == "Running");
        CHECK(f.message("first").empty());
        const bool refused = *one.reason != '\0';
        f.bind_pod("second", one.second);
        f.world.run_for(1min);
        CHECK(f.phase("second") == (refused ? "Failed" : "Running"));
        CHECK(f.reason("second") == one.reason);
        CHECK(f.message("second") == (refused ? "Pod was rejected: " + std::string(one.message) : std::string()));
        CHECK(f.event_about("second") ==
              (refused ? "Warning " + std::string(one.reason) + " of kubelet: " + one.message : std::string("none")));
        CHECK(f.phase("first") == "Running");
        CHECK(f.fakes.idle());
    }
}

TEST_CASE("a kubelet refuses a pod more than the node has places") {
    fixture f;
    f.add_node("a", small);
    for (const char* name : {"p1", "p2", "p3", "p4"}) f.bind_pod(name, "{}");
    f.world.run_for(1s);
    CHECK(f.phase("p3") == "Running");
    CHECK(f.reason("p4") == "OutOfpods");
    CHECK(f.message("p4") ==
          "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
}

TEST_CASE("a refused pod holds nothing, and one that ends makes room for those that come later") {
    fixture f;
    f.add_node("a", small);
    f.bind_pod("short", R"({"requests":{"cpu":"3"}})", "10000");
    f.bind_pod("large", R"({"requests":{"cpu":"4"}})");
    f.world.run_for(1s);
    CHECK(f.reason("large") == "OutOfcpu");
    f.bind_pod("beside", R"({"requests":{"cpu":"1"}})");
    f.world.run_for(1s);
    CHECK(f.phase("beside") == "Running");
    f.world.run_for(10s);
    CHECK(f.phase("short") == "Succeeded");
    f.bind_pod("later", R"({"requests":{"cpu":"3"}})");
    f.world.run_for(1s);
    CHECK(f.phase("later") == "Running");
    CHECK(f.reason("large") == "OutOfcpu");
}

TEST_CASE("the kubelet of a lost node refuses when it is back, and none refuses on a node that says nothing") {
    fixture f;
    f.add_node("a", small);
    f.world.run_for(1s);
    f.fakes.lose_node("a");
    f.bind_pod("large", R"({"requests":{"cpu":"5"}})");
    f.world.run_for(10s);
    CHECK(f.phase("large") == "Pending");
    f.fakes.restore_node("a");
    f.world.run_for(1s);
    CHECK(f.reason("large") == "OutOfcpu");
    REQUIRE(f.api.patch(nodes, {"", "a"}, f.parsed(R"({"status":{"allocatable":null}})"), "status"));
    f.bind_pod("larger", R"({"requests":{"cpu":"50"}})");
    f.world.run_for(1s);
    CHECK(f.phase("larger") == "Running");
}

TEST_CASE("pods that run already when a fake_cluster begins are admitted, and count") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {  // whichever is looked at first
        CAPTURE(seed);
        testing::sim_world world(seed);
        auto& server = world.add_server("cluster", testing::api_server_options().default_and_validate(true));
        const auto options = testing::fake_cluster_options().nodes(1);
        const auto create = [&server](const std::string& name) {
            REQUIRE(server.api().create(
                json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                            R"("},"spec":{"nodeName":"node-0","containers":[{"name":"c","image":"i",)"
                            R"("resources":{"requests":{"cpu":"40"}}}]}})")
                    .value()));
        };
        {
            testing::fake_cluster before(world, server, options);
            create("old");
            world.run_for(1s);
        }
        create("new");
        testing::fake_cluster after(world, server, options);
        world.run_for(1s);
        const auto read = [&server](const char* name, const char* field) {
            return std::string(json::get_string(server.api().get(pods, {"default", name}).value(), {"status", field}));
        };
        CHECK(read("old", "phase") == "Running");
        CHECK(read("new", "reason") == "OutOfcpu");
    }
}

TEST_CASE("no_overcommit says which node holds more than it has, whoever bound the pods") {
    struct row {
        const char* what;
        std::vector<const char*> requests;  // of the pods on node a
        const char* problem;
    };
    const row table[] = {
        {"nothing", {}, ""},
        {"exactly all", {R"({"requests":{"cpu":"3"}})", R"({"requests":{"cpu":"1"}})"}, ""},
        {"cpu",
         {R"({"requests":{"cpu":"3"}})", R"({"requests":{"cpu":"1500m"}})"},
         "node a is over-committed: its pods request 4500m of 4 cpu"},
        {"pods", {"{}", "{}", "{}", "{}"}, "node a is over-committed: its pods request 4 of 3 pods"},
        {"a device that it does not have",
         {R"({"limits":{"example.com/fpga":"1"}})"},
         "node a is over-committed: its pods request 1 of 0 example.com/fpga"},
    };
    for (const row& one : table) {
        CAPTURE(one.what);
        fixture f;
        f.add_node("a", small);
        int number = 0;
        for (const char* requests : one.requests) f.bind_pod("p" + std::to_string(++number), requests);
        CHECK(testing::no_overcommit(f.api) == one.problem);  // no kubelet has seen them
    }
    fixture f;
    f.add_node("b", small);
    f.bind_pod("large", R"({"requests":{"cpu":"5"}})");  // on node a, which is not there
    CHECK(testing::no_overcommit(f.api).empty());
    f.add_node("a", small);
    CHECK_FALSE(testing::no_overcommit(f.api).empty());
    f.world.run_for(1s);
    CHECK(f.phase("large") == "Failed");
    CHECK(testing::no_overcommit(f.api).empty());  // it has ended
}
