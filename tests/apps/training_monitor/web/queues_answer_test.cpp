// /api/v1/queues: Kueue's queues of a simulated cluster, their quota, and who waits.
#include "web/queues_answer.hpp"

#include "pods/ask_queues.hpp"
#include "simulated_monitor.hpp"
#include "support/fake_responder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <string>

using namespace training_monitor;
using namespace training_monitor::tests;
using namespace std::chrono_literals;

namespace {

std::string definition(const std::string& kind, const std::string& plural, bool namespaced) {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" +
           plural +
           R"(.kueue.x-k8s.io","annotations":{"api-approved.kubernetes.io":"https://github.com/x"}},"spec":{)"
           R"("group":"kueue.x-k8s.io","scope":")" +
           (namespaced ? "Namespaced" : "Cluster") + R"(","names":{"kind":")" + kind + R"(","plural":")" + plural +
           R"("},"versions":[{"name":"v1beta1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":)"
           R"("object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

constexpr const char* cluster_queue_text =
    R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"ClusterQueue","metadata":{"name":"gpus"},"spec":{"cohort":"all",)"
    R"("queueingStrategy":"BestEffortFIFO","stopPolicy":"None","resourceGroups":[{"coveredResources":["nvidia.com/gpu"],)"
    R"("flavors":[{"name":"h100","resources":[{"name":"nvidia.com/gpu","nominalQuota":8,"borrowingLimit":"4"}]},)"
    R"({"name":"a100","resources":[{"name":"nvidia.com/gpu","nominalQuota":"16"}]}]}]},"status":{"pendingWorkloads":2,)"
    R"("reservingWorkloads":1,"admittedWorkloads":1,"flavorsReservation":[{"name":"h100","resources":[{"name":)"
    R"("nvidia.com/gpu","total":"10","borrowed":"2"}]}],"conditions":[{"type":"Active","status":"True",)"
    R"("reason":"Ready","message":"Can admit new workloads"}]}})";

constexpr const char* local_queue_text =
    R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"LocalQueue","metadata":{"name":"team-a","namespace":"default"},)"
    R"("spec":{"clusterQueue":"gpus"},"status":{"pendingWorkloads":2,"admittedWorkloads":1,"conditions":[)"
    R"({"type":"Active","status":"False","reason":"x","message":"its ClusterQueue is gone"}]}})";

constexpr const char* waiting_text =
    R"({"kind":"PendingWorkloadsSummary","apiVersion":"visibility.kueue.x-k8s.io/v1beta1","items":[{"metadata":{"name":)"
    R"("job-train-1","namespace":"default","ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train",)"
    R"("uid":"u"}]},"priority":100,"localQueueName":"team-a","positionInClusterQueue":0,"positionInLocalQueue":0},)"
    R"({"metadata":{"name":"other","namespace":"default"},"priority":0,"localQueueName":"team-a",)"
    R"("positionInClusterQueue":1,"positionInLocalQueue":1},{"metadata":{"name":"no-position"}}]})";

struct queue_world : simulated_monitor {
    kcontrol::http::router routes;
    std::unique_ptr<kcontrol::test::fake_responder> out;

    void install() {
        create(definition("ClusterQueue", "clusterqueues", false));
        create(definition("LocalQueue", "localqueues", true));
        create(cluster_queue_text);
        create(local_queue_text);
    }
    void start_serving() {
        start();
        add_queues_route(routes, *watched);
    }
    int get(const std::string& path) {
        out = std::make_unique<kcontrol::test::fake_responder>(world.env());
        kcontrol::http::server_request request(kcontrol::http::request("GET", "/api/v1/queues/" + path));
        boost::asio::co_spawn(world.get_executor(), routes.handler()(std::move(request), *out), boost::asio::detached);
        world.run_for(1s);
        return out->head.status;
    }
    void says(const std::string& part) const {
        CAPTURE(out->body);
        CHECK_MESSAGE(out->body.find(part) != std::string::npos, part);
    }
};

}  // namespace

TEST_CASE("queues: who waits, as Kueue's visibility API tells it") {
    const auto waiting = read_waiting(waiting_text);
    REQUIRE(waiting);
    REQUIRE(waiting->size() == 2);
    CHECK(waiting->at(0) == waiting_workload{"default", "job-train-1", "team-a", "Job", "train", 100, {0, 0}});
    CHECK(waiting->at(1) == waiting_workload{"default", "other", "team-a", "", "", 0, {1, 1}});
    for (const char* broken : {"", "[]", "{}", R"({"items":{}})", "<html>"}) {
        CAPTURE(broken);
        CHECK_FALSE(read_waiting(broken));
    }
    CHECK(read_waiting(R"({"items":[7,{},{"metadata":7}]})")->empty());
}

TEST_CASE("queues: quota, used and borrowed by flavor, LocalQueues, and that who waits is not told") {
    queue_world f;
    f.install();
    f.start_serving();
    REQUIRE(f.get("a") == 200);
    f.says(
        R"({"cluster":"a","state":"known","reason":"","clusterQueues":[{"name":"gpus","cohort":"all",)"
        R"("strategy":"BestEffortFIFO","stopPolicy":"None","pending":2,"reserving":1,"admitted":1,"inactive":null,)"
        R"("flavors":[{"name":"h100","resource":"nvidia.com/gpu","nominal":"8","used":"10","borrowed":"2",)"
        R"("borrowingLimit":"4"},{"name":"a100","resource":"nvidia.com/gpu","nominal":"16","used":"0",)"
        R"("borrowed":"0","borrowingLimit":null}],"localQueues":[{"namespace":"default","name":"team-a","pending":2,)"
        R"("reserving":0,"admitted":1,"inactive":"its ClusterQueue is gone"}]}],"missingRights":[]})");
}

TEST_CASE("queues: where Kueue is not, where a right is missing, and what is asked wrongly") {
    queue_world f;
    f.start_serving();
    REQUIRE(f.get("a") == 200);
    f.says(R"("state":"not-installed","reason":"","clusterQueues":[])");
    f.install();
    f.server.api().access().forbid({"*", "list", "localqueues"});
    REQUIRE(f.get("a") == 200);
    f.says(R"("state":"known")");
    f.says(R"("missingRights":["grant list on localqueues.kueue.x-k8s.io to see the queues of namespaces"])");
    f.server.api().access().forbid({"*", "list", "clusterqueues"});
    REQUIRE(f.get("a") == 200);
    f.says(R"("state":"forbidden","reason":"","clusterQueues":[])");
    f.says("grant list on clusterqueues.kueue.x-k8s.io to see queues");
    CHECK(f.get("b") == 503);
    CHECK(f.get("a?x=1") == 400);
}
