// A gang that lost a node, beside a scheduler that keeps places: its other ranks come back to their nodes, although
// other pods wait for these.
#include <kcontrol/scheduling/scheduler.hpp>
#include <kcontrol/testing/fake_cluster.hpp>

#include "operator_world.hpp"

#include <map>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

/// Four nodes of 8 GPUs; rivals may not be on node-3.
class scheduled_world : public operator_world {
public:
    static constexpr int nodes = 4, rivals = 6;
    testing::fake_cluster kubelets{world, server, testing::fake_cluster_options().nodes(nodes)};
    manager placing{world.env(), world.get_executor(), world.connect(server)};

    explicit scheduled_world(bool has_groups) {
        if (has_groups) world.register_resource({"scheduling.k8s.io", "v1alpha2", "PodGroup", "podgroups"});
        patch_node("n0", {{"spec", {{"unschedulable", true}}}});
        for (int i = 0; i < nodes; ++i) {
            const auto name = "node-" + std::to_string(i);
            patch_node(name, {{"metadata", {{"labels", {{"pool", i < 3 ? "a" : "b"}}}}},
                              {"spec", {{"unschedulable", i == 3}}}});
            patch_node(name, {{"status", {{"allocatable", {{"nvidia.com/gpu", "8"}, {"cpu", "64"}, {"pods", "20"}}}}}},
                       "status");
        }
        REQUIRE(scheduling::scheduler::add_to(placing, scheduling::scheduler_options("gpus")));
        placing.start();
        settle();
    }
    ~scheduled_world() {
        world.run(placing.stop());
        stop();
        settle(5min);
    }
    void patch_node(const std::string& name, const json::object& change, const std::string& subresource = "") {
        (void)server.api().patch({"", "nodes"}, {"", name}, change, subresource).value();
    }
    static json::value pod_template(const json::object& more = {}) {
        json::object spec = more;
        spec["schedulerName"] = "gpus";
        const json::value limits{{"nvidia.com/gpu", "8"}};
        spec["containers"] = json::array{
            {{"name", "c"}, {"image", "bert:1"}, {"resources", {{"limits", limits}, {"requests", limits}}}}};
        return {{"metadata", {{"annotations", {{"sim/run-ms", "forever"}}}}}, {"spec", spec}};
    }
    void add_rivals() {
        for (int i = 0; i < rivals; ++i) {
            auto pod = pod_template({{"nodeSelector", {{"pool", "a"}}}}).as_object();
            pod["apiVersion"] = "v1";
            pod["kind"] = "Pod";
            pod["metadata"].as_object()["name"] = "rival-" + std::to_string(i);
            (void)server.api().create(pod).value();
        }
        settle(10s);
    }
    /// Nodes by pods, of those that have one.
    std::map<std::string, std::string> places() {
        std::map<std::string, std::string> out;
        for (const auto& pod : server.api().list(pods_id)) {
            const std::string node(json::get_string(pod, {"spec", "nodeName"}));
            if (!node.empty()) out.emplace(json::get_string(pod, {"metadata", "name"}), node);
        }
        return out;
    }
    bool until_running(int attempt) {
        return world.run_until([&] { return job()->status.phase == "Running" && job()->status.attempt == attempt; },
                               5min);
    }
};

}  // namespace

TEST_CASE("a gang that lost a node: its other ranks come back to their nodes, although other pods want them") {
    for (const bool has_groups : {false, true}) {
        CAPTURE(has_groups);
        scheduled_world w(has_groups);
        w.add_job({{"workers", 3}, {"accelerator", {{"perWorker", 8}}}, {"template", w.pod_template()}});
        REQUIRE(w.until_running(1));
        const auto before = w.places();
        REQUIRE(before.size() == 3);
        w.add_rivals();
        REQUIRE(w.places() == before);
        w.patch_node("node-3", {{"spec", {{"unschedulable", false}}}});
        const auto lost = before.at("bert-1");
        w.kubelets.lose_node(lost);
        const json::object taint{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoSchedule"}};
        w.patch_node(lost, {{"spec", {{"taints", json::array{taint}}}}});
        REQUIRE(w.until_running(2));
        auto after = before;
        after["bert-1"] = "node-3";
        CHECK(w.places() == after);
        // A job that does not come again keeps nothing for long.
        w.remove_job();
        w.settle(30s);
        CHECK(w.places().empty());
        w.settle(1min);
        const auto then = w.places();
        CHECK(then.size() == 2);
        for (const auto& [pod, node] : then) CHECK((pod.starts_with("rival-") && node != lost && node != "node-3"));
    }
}
