// /api/v1/nodes: a node of a simulated cluster, and the pods and jobs there.
#include "web/node_answer.hpp"

#include "simulated_monitor.hpp"
#include "support/fake_responder.hpp"
#include "usage/labelers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;

namespace {

constexpr const char* ready_node =
    R"({"allocatable":{"nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady",)"
    R"("message":"fine","lastTransitionTime":"2026-11-20T00:00:00Z"}]})";

struct node_world : simulated_monitor {
    kcontrol::http::router routes;
    std::unique_ptr<kcontrol::test::fake_responder> out;

    void start_serving(const options& how = {}, kcontrol::http::transport_factory by = {}) {
        start(how, std::move(by));
        add_node_route(routes, *watched);
    }
    void ask(const std::string& path, kcontrol::test::fake_responder& to) {
        kcontrol::http::server_request request(kcontrol::http::request("GET", "/api/v1/nodes/" + path));
        boost::asio::co_spawn(world.get_executor(), routes.handler()(std::move(request), to), boost::asio::detached);
    }
    int get(const std::string& path, std::chrono::seconds patience = 1s) {
        out = std::make_unique<kcontrol::test::fake_responder>(world.env());
        ask(path, *out);
        world.run_for(patience);
        return out->head.status;
    }
    void says(const std::string& part) const {
        CAPTURE(out->body);
        CHECK_MESSAGE(out->body.find(part) != std::string::npos, part);
    }
};

}  // namespace

TEST_CASE("node: ready, its GPUs, the pods of jobs there and no others") {
    node_world f;
    f.make_node("n1", ready_node);
    f.make_job();
    f.make_pod("train-a", "n1", R"({"phase":"Running"})");
    f.make_pod("train-b", "n2", R"({"phase":"Running"})");
    f.set_job(R"({"active":2,"ready":2,"startTime":"2026-11-21T09:00:00Z"})");
    f.start_serving();
    REQUIRE(f.get("a/n1") == 200);
    f.says(R"({"cluster":"a","node":"n1","state":"known","reason":"","unschedulable":false,"gpusAllocatable":8,)"
           R"("fault":null,"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"fine",)"
           R"("since":"2026-11-20T00:00:00Z"}],"taints":[],"gpus":[],"pods":[{"pod":"train-a","namespace":"default",)"
           R"("phase":"Running","terminating":false,"restarts":0,"gpus":8,"type":"Pod","index":null,)"
           R"("job":{"cluster":"a","namespace":"default","name":"train","kind":"Job",)");
    f.says(R"("state":"Running","why":""}}],"missingRights":[]})");
    CHECK(f.out->body.find("train-b") == std::string::npos);
}

TEST_CASE("node: cordoned, tainted, and with a fault of a GPU") {
    node_world f;
    f.make_node("n1",
                R"({"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady"},)"
                R"({"type":"kcontrol.dev/GPUHealthy","status":"False","reason":"GPUFailed",)"
                R"("message":"GPU 3 (GPU-a): XID 79: off the bus"}]})",
                R"({"unschedulable":true,"taints":[{"key":"gpu","value":"bad","effect":"NoExecute",)"
                R"("timeAdded":"2026-11-21T09:00:00Z"}]})");
    f.start_serving();
    REQUIRE(f.get("a/n1") == 200);
    f.says(R"("unschedulable":true,"gpusAllocatable":0,"fault":"XID 79 of GPU 3",)");
    f.says(R"({"type":"Ready","status":"False","reason":"KubeletNotReady","message":"","since":null})");
    f.says(R"("taints":[{"key":"gpu","value":"bad","effect":"NoExecute","since":"2026-11-21T09:00:00Z"})");
}

TEST_CASE("node: one that is not there is not found, unless pods are known of it") {
    node_world f;
    f.make_job();
    f.make_pod("train-a", "n9", R"({"phase":"Running"})");
    f.start_serving();
    CHECK(f.get("a/n1") == 404);
    f.says("the cluster has no node n1");
    CHECK(f.get("b/n1") == 503);
    f.says("the cluster is not there at present");
    CHECK(f.get("a/n9?x=1") == 400);
    REQUIRE(f.get("a/n9") == 200);
    f.says(R"("node":"n9","state":"gone","reason":"","gpus":[],"pods":[{"pod":"train-a",)");
}

TEST_CASE("node: without the right to list nodes the pods are told, and the right") {
    node_world f;
    f.make_node("n1", ready_node);
    f.make_job();
    f.make_pod("train-a", "n1", R"({"phase":"Running"})");
    f.start_serving();
    f.server.api().access().forbid({"*", "list", "nodes"});
    REQUIRE(f.get("a/n1") == 200);
    f.says(R"("state":"forbidden","reason":"","gpus":[],"pods":[{"pod":"train-a",)");
    f.says(R"("missingRights":["grant list on nodes to see )");
}

TEST_CASE("node: a server that does not answer is given five seconds, and the pods are told") {
    node_world f;
    f.make_node("n1", ready_node);
    f.make_job();
    f.make_pod("train-a", "n1", R"({"phase":"Running"})");
    f.start_serving();
    f.server.api().set_faults([](const kcontrol::http::server_request& r) {
        const bool of_nodes = r.target.find("/nodes") != std::string::npos;
        return of_nodes ? kcontrol::testing::fault().hang() : kcontrol::testing::fault();
    });
    CHECK(f.get("a/n1", 4s) == 0);
    f.world.run_for(3s);
    REQUIRE(f.out->head.status == 200);
    f.says(R"("state":"failed","reason":")");
    f.says(R"("pods":[{"pod":"train-a",)");
    CHECK(f.out->body.find(R"("reason":"","gpus")") == std::string::npos);
}

TEST_CASE("node: four are asked for at the same time, and no more") {
    node_world f;
    f.make_node("n1", ready_node);
    f.start_serving();
    std::vector<std::unique_ptr<kcontrol::test::fake_responder>> all;
    for (int i = 0; i < 5; ++i)
        f.ask("a/n1", *all.emplace_back(std::make_unique<kcontrol::test::fake_responder>(f.world.env())));
    f.world.run_for(1s);
    std::vector<int> found;
    for (const auto& one : all) found.push_back(one->head.status);
    CHECK(found == std::vector{200, 200, 200, 200, 429});
    CHECK(f.get("a/n1") == 200);
}

TEST_CASE("node: that somebody looks has its labeler asked") {
    node_world f;
    played_labelers labelers;
    labelers.set("labeler-1", "[" + gpu_item(0, "3", "failed") + "]");
    f.make_node("n1", ready_node);
    f.create(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"gpu-labeler"}})");
    f.create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"labeler-1","namespace":"gpu-labeler",)"
             R"("labels":{"app.kubernetes.io/name":"gpu-labeler"}},"spec":{"nodeName":"n1",)"
             R"("containers":[{"name":"main","image":"x"}]}})");
    f.set_status("", "pods", {"gpu-labeler", "labeler-1"}, R"({"phase":"Running"})");
    f.start_serving(options().usage(usage_options().on(true).asked_for(true)),
                    labelers.before(f.world.network().factory()));
    CHECK(labelers.asked.empty());
    REQUIRE(f.get("a/n1") == 200);
    f.says(R"("gpus":[],)");
    f.world.run_for(3s);
    REQUIRE(f.get("a/n1") == 200);
    f.says(R"("gpus":[{"index":0,"product":"H100","health":"failed",)");
}
