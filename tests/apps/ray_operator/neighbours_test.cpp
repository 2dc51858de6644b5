// What clusters have to do with others: gangs for schedulers, queues of Kueue, and the Redis of fault tolerant ones.
#include "ray_world.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

class neighbour_world : public ray_world {
public:
    void serve_groups(const std::string& group, const std::string& version) {
        world.register_resource({group, version, "PodGroup", "podgroups"});
    }
    std::vector<json::value> groups(const std::string& group) { return server.api().list({group, "podgroups"}); }
    json::value pod(const std::string& name) { return server.api().get(pods_id, {"default", name}).value(); }
    std::set<std::string> of_workers(std::initializer_list<std::string_view> path) {
        std::set<std::string> out;
        for (const auto& name : names("worker")) out.emplace(json::get_string(pod(name), path));
        return out;
    }
    bool is_gated(const std::string& name) { return json::find(pod(name), {"spec", "schedulingGates"}) != nullptr; }
    /// As Kueue does: a Workload of that name, or of that pod, says why it waits.
    void say(const std::string& name, const std::string& uid, const std::string& words) {
        const json::value quota{{"type", "QuotaReserved"}, {"status", "False"}, {"message", words}};
        const json::object labels{{"kueue.x-k8s.io/job-uid", uid}};
        (void)server.api()
            .create({{"apiVersion", "kueue.x-k8s.io/v1beta1"},
                     {"kind", "Workload"},
                     {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", labels}}}})
            .value();
        const json::object said{{"status", {{"conditions", json::array{quota}}}}};
        (void)server.api().patch(workloads_id, {"default", name}, said, "status").value();
    }
    /// As its webhook does: no pod goes without it; and as the API server does.
    void hold_pods() {
        const json::value gated{{"type", "PodScheduled"},
                                {"status", "False"},
                                {"reason", "SchedulingGated"},
                                {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                                {"lastTransitionTime", now()}};
        for (const auto& name : names("worker")) {
            patch_pod(name, {{"metadata", {{"finalizers", json::array{"kueue.x-k8s.io/managed"}}}}}, "");
            patch_pod(name, {{"status", {{"conditions", json::array{gated}}}}});
        }
    }
    void let_go() {
        for (const auto& name : names("worker")) patch_pod(name, {{"metadata", {{"finalizers", nullptr}}}}, "");
        settle();
    }
    void remove_cluster() {
        (void)server.api().remove(clusters_id, {"default", "small"}).has_value();
        settle();
    }
    std::size_t workloads() { return server.api().list(workloads_id).size(); }

    const testing::group_resource workloads_id{"kueue.x-k8s.io", "workloads"};
};

const json::object scaling{{"enableInTreeAutoscaling", true}};
const json::object queued{{"kueue.x-k8s.io/queue-name", "team-a"}};
const json::object fault_tolerant{{"gcsFaultToleranceOptions", {{"redisAddress", "redis:6379"}}}};

}  // namespace

TEST_CASE_FIXTURE(neighbour_world,
                  "a gang is one PodGroup of the head and minReplicas, another one after a suspension") {
    serve_groups("scheduling.k8s.io", "v1alpha2");
    serve_groups("scheduling.x-k8s.io", "v1alpha1");
    add_cluster(
        spec({group_of("a", 3, {{"minReplicas", 2}}), group_of("b", 1, {{"minReplicas", 1}, {"numOfHosts", 2}})}),
        "small", {{gang_label, ""}});
    REQUIRE(groups("scheduling.k8s.io").size() == 1);
    CHECK(groups("scheduling.x-k8s.io").empty());
    const auto first = groups("scheduling.k8s.io")[0];
    CHECK(json::serialize(first.at("spec")) == R"({"schedulingPolicy":{"gang":{"minCount":5}}})");
    CHECK(json::get_string(first.at("metadata").at("ownerReferences").at(0), {"kind"}) == "RayCluster");
    const std::string name(json::get_string(first, {"metadata", "name"}));
    CHECK(of_workers({"spec", "schedulingGroup", "podGroupName"}) == std::set<std::string>{name});
    CHECK(json::get_string(pod(names("head").front()), {"spec", "schedulingGroup", "podGroupName"}) == name);
    kubelet();
    // One pod more joins the group that is there.
    fail_pod(names("worker").front());
    kubelet();
    CHECK(of_workers({"spec", "schedulingGroup", "podGroupName"}) == std::set<std::string>{name});
    REQUIRE(groups("scheduling.k8s.io").size() == 1);
    set_spec({{"suspend", true}});
    kubelet();
    set_spec({{"suspend", false}});
    kubelet();
    REQUIRE(groups("scheduling.k8s.io").size() == 1);
    CHECK(json::get_string(groups("scheduling.k8s.io")[0], {"metadata", "name"}) != name);
    CHECK(cluster()->status.state == "ready");
}

TEST_CASE_FIXTURE(neighbour_world,
                  "Volcano's pods are a gang of its own kind; others are none without KubeRay's label") {
    serve_groups("scheduling.x-k8s.io", "v1alpha1");
    serve_groups("scheduling.volcano.sh", "v1beta1");
    add_cluster(spec({group_of("a", 1)}), "plain");
    CHECK(groups("scheduling.x-k8s.io").empty());
    CHECK(summary("plain") == "1+1");
    json::object by_volcano = spec({group_of("a", 1)});
    by_volcano["headGroupSpec"].as_object()["template"].as_object()["spec"].as_object()["schedulerName"] = "volcano";
    add_cluster(by_volcano);
    CHECK(groups("scheduling.x-k8s.io").empty());
    REQUIRE(groups("scheduling.volcano.sh").size() == 1);
    CHECK(groups("scheduling.volcano.sh")[0].at("spec").at("minMember") == 1);
    // Labelled, on a server that has no such kind for its scheduler: pods without a group.
    add_cluster(spec({group_of("a", 1)}), "labelled", {{gang_label, "true"}});
    CHECK(groups("scheduling.x-k8s.io").size() == 1);
}

TEST_CASE_FIXTURE(neighbour_world, "Kueue #7569: workers wait in the queue, each by itself, and the head does not") {
    world.register_resource({"kueue.x-k8s.io", "v1beta1", "Workload", "workloads"});
    add_cluster(spec({group_of("a", 2)}, scaling), "small", queued);
    CHECK(summary() == "1+2");
    CHECK_FALSE(is_gated(names("head").front()));
    CHECK(json::find(pod(names("head").front()), {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) == nullptr);
    CHECK(of_workers({"metadata", "labels", "kueue.x-k8s.io/queue-name"}) == std::set<std::string>{"team-a"});
    for (const auto& worker : names("worker")) CHECK(is_gated(worker));
    hold_pods();
    for (const auto& worker : names("worker"))
        say("pod-" + worker, std::string(json::get_string(pod(worker), {"metadata", "uid"})), "1 more GPU needed");
    settle(50s);
    CHECK(condition("ResourcesAvailable") == "none");
    settle(15s);
    CHECK(condition("ResourcesAvailable") == "False PodsHeldBack: a: 1 more GPU needed");
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    for (const auto& worker : names("worker")) patch_pod(worker, {{"spec", {{"schedulingGates", nullptr}}}}, "");
    kubelet();
    CHECK(condition("ResourcesAvailable") == "True NoProblem");
    const std::string head = names("head").front();
    // Preempted: Kueue deletes a worker. The head stays, and another worker waits.
    let_go();
    (void)server.api().remove(pods_id, {"default", names("worker").front()}).has_value();
    settle();
    kubelet();
    CHECK(names("head").front() == head);
    CHECK(names("worker").size() == 2);
}

TEST_CASE_FIXTURE(neighbour_world, "a replica of several hosts is a group of Kueue, which ends with it") {
    world.register_resource({"kueue.x-k8s.io", "v1beta1", "Workload", "workloads"});
    add_cluster(spec({group_of("a", 1, {{"numOfHosts", 2}})}, scaling), "small", queued);
    const auto group = of_workers({"metadata", "labels", "kueue.x-k8s.io/pod-group-name"});
    REQUIRE(group.size() == 1);
    CHECK(of_workers({"metadata", "annotations", "kueue.x-k8s.io/pod-group-total-count"}) ==
          std::set<std::string>{"2"});
    CHECK(cluster()->metadata.finalizers.size() == 1);
    hold_pods();
    say(*group.begin(), "", "no quota");
    settle(65s);
    CHECK(condition("ResourcesAvailable") == "False PodsHeldBack: a: no quota");
    SUBCASE("scaled down") {
        json::object a = group_of("a", 0, {{"numOfHosts", 2}});
        a["scaleStrategy"] = json::object{{"workersToDelete", json::array{json::value(names("worker").front())}}};
        set_spec({{"workerGroupSpecs", {a}}});
        CHECK(workloads() == 0);
        let_go();
        kubelet();
        CHECK(summary() == "1+0");
    }
    SUBCASE("deleted") {
        remove_cluster();
        settle();
        CHECK(workloads() == 0);
        CHECK(cluster() != nullptr);
        let_go();
        kubelet();
        CHECK(cluster() == nullptr);
        kubelet();
        CHECK(summary() == "0+0");
    }
}

TEST_CASE_FIXTURE(neighbour_world, "Kueue's suspension and its elastic clusters are Kueue's: no gate of ours") {
    add_cluster(spec({group_of("a", 1)}), "small", queued);
    CHECK_FALSE(is_gated(names("worker").front()));
    add_cluster(spec({group_of("a", 1)}, {{"suspend", true}}), "waits", queued);
    CHECK(summary("waits") == "0+0");
    CHECK(cluster("waits")->status.state == "suspended");
    set_spec({{"suspend", false}}, "waits");
    CHECK(summary("waits") == "1+1");
}

TEST_CASE_FIXTURE(neighbour_world, "a fault tolerant cluster goes once its Redis is emptied, by one Job") {
    add_cluster(spec({group_of("a", 1)}, fault_tolerant));
    REQUIRE(cluster()->metadata.finalizers.size() == 1);
    CHECK(cluster()->metadata.finalizers[0] == redis_finalizer);
    CHECK(events("CreatedRedisCleanupJob") == 0);
    kubelet();
    CHECK(cluster()->status.state == "ready");
    remove_cluster();
    CHECK(summary() == "0+0 -2");
    CHECK(server.api().list(submitters_id).empty());  // the head may write to it still
    stop(), start();
    kubelet();
    REQUIRE(server.api().list(submitters_id).size() == 1);
    const auto job = server.api().list(submitters_id)[0];
    CHECK(json::get_string(job, {"metadata", "name"}) == "small-redis-cleanup");
    CHECK(json::get_string(job, {"metadata", "labels", node_type_label}) == "redis-cleanup");
    CHECK(job.at("spec").at("backoffLimit") == 0);
    const auto& pod = job.at("spec").at("template").at("spec");
    CHECK(pod.at("restartPolicy") == "Never");
    CHECK(pod.at("containers").as_array().size() == 1);
    CHECK(std::string(pod.at("containers").at(0).at("args").at(0).as_string()).find("cleanup_redis_storage") !=
          std::string::npos);
    settle(1min);
    CHECK(cluster() != nullptr);
    CHECK(events("CreatedRedisCleanupJob") == 1);
    std::string end = "Complete";
    SUBCASE("it succeeds") {}
    SUBCASE("it fails: nobody waits for ever") { end = "Failed"; }
    const json::value condition{{"type", end}, {"status", "True"}, {"lastTransitionTime", now()}};
    (void)server.api()
        .patch(submitters_id, {"default", "small-redis-cleanup"},
               {{"status", {{"conditions", json::array{condition}}}}}, "status")
        .value();
    settle();
    CHECK(cluster() == nullptr);
}

TEST_CASE_FIXTURE(neighbour_world, "a cluster that is not fault tolerant any more, or invalid, goes without a Job") {
    add_cluster(spec({group_of("a", 1)}, fault_tolerant));
    kubelet();
    SUBCASE("not fault tolerant") { set_spec({{"gcsFaultToleranceOptions", nullptr}}); }
    SUBCASE("invalid") { set_spec({{"workerGroupSpecs", {group_of("a", -1)}}}); }
    remove_cluster();
    kubelet();
    CHECK(cluster() == nullptr);
    CHECK(server.api().list(submitters_id).empty());
}
