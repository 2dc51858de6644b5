// The operator in a simulated cluster: clusters come up, are scaled, suspended, edited and lose what they have.
#include "ray_world.hpp"
#include "support/lagging_watches.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

TEST_CASE_FIXTURE(ray_world, "a cluster comes up, and nothing is written any more") {
    add_cluster(spec({group_of("a", 2)}));
    CHECK(summary() == "1+2");
    CHECK(condition("RayClusterProvisioned") ==
          "False RayClusterPodsProvisioning: RayCluster Pods are being provisioned for first time");
    CHECK(condition("HeadPodReady") == "False Unknown");
    CHECK(cluster()->status.phase == "Provisioning");
    kubelet();
    CHECK(condition("RayClusterProvisioned") ==
          "True AllPodRunningAndReadyFirstTime: All Ray Pods are ready for the first time");
    CHECK(condition("HeadPodReady") == "True HeadPodRunningAndReady");
    CHECK(condition("SpecValid") == "True Valid");
    CHECK(condition("ReplicaFailure") == "none");
    const auto s = cluster()->status;
    CHECK(s.state == "ready");
    CHECK(s.phase == "Running");
    CHECK(s.ready_worker_replicas == 2);
    CHECK(s.available_worker_replicas == 2);
    CHECK(s.desired_worker_replicas == 2);
    CHECK(s.min_worker_replicas == 0);
    CHECK(s.max_worker_replicas == 2147483647);
    CHECK(s.head.pod_ip == "10.0.0.7");
    CHECK(s.head.service_ip == "10.0.0.7");
    CHECK(s.head.service_name == "small-head-svc");
    CHECK(s.endpoints.at("dashboard") == "8265");
    CHECK(s.state_transition_times.contains("ready"));
    CHECK(s.observed_generation == 1);
    CHECK(events("CreatedHeadPod") == 1);
    CHECK(events("CreatedWorkerPod") >= 1);
    CHECK(events("CreatedService") == 1);
    settle(1min);
    const auto before = writes(), lists = server.api().request_log().count("list");
    settle(2h);
    CHECK(writes() == before);
    CHECK(server.api().request_log().count("list") == lists);
    stop(), start();
    settle(1min);
    CHECK(writes() == before);
}

TEST_CASE_FIXTURE(ray_world, "scaling, suspension and deletion") {
    add_cluster(spec({group_of("a", 1)}));
    kubelet();
    set_spec({{"workerGroupSpecs", {group_of("a", 3)}}});
    CHECK(summary() == "1+3");
    kubelet();
    set_spec({{"workerGroupSpecs", {group_of("a", 2)}}});
    CHECK(summary() == "1+2 -1");
    kubelet();
    set_spec({{"suspend", true}});
    CHECK(condition("RayClusterSuspending") == "True RayClusterSuspending");
    CHECK(summary() == "0+0 -3");
    // It is finished, whatever the specification says meanwhile.
    set_spec({{"suspend", false}});
    CHECK(condition("RayClusterSuspended") == "False RayClusterSuspended");
    client c = world.connect(server);
    for (const auto& pod : server.api().list(pods_id)) {
        const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
        CHECK(cluster()->status.state != "suspended");
        REQUIRE(world.run(c.delete_<ray_pod>(key, delete_options().grace_period(0s))));
    }
    CHECK(world.run_until([this] { return cluster()->status.state == "suspended"; }, 5s));
    settle();
    CHECK(summary() == "1+2");
    kubelet();
    CHECK(cluster()->status.state == "ready");
    (void)server.api().remove(clusters_id, {"default", "small"}).has_value();
    settle();
    kubelet();
    CHECK(summary() == "0+0");
    CHECK(server.api().list(services_id).empty());
}

TEST_CASE_FIXTURE(ray_world, "#4974: an invalid specification changes nothing but a condition, until it is corrected") {
    add_cluster(spec({group_of("a", 1)}));
    kubelet();
    set_spec({{"workerGroupSpecs", {group_of("a", 5, {{"minReplicas", 7}, {"maxReplicas", 6}})}}});
    CHECK(condition("SpecValid") ==
          "False InvalidSpec: spec.workerGroupSpecs[0].minReplicas: 7: give at most maxReplicas, 6");
    CHECK(summary() == "1+1");
    CHECK(cluster()->status.phase == "Failed");
    CHECK(events("InvalidRayClusterSpec") == 1);
    fail_pod(names("worker").front());
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    set_spec({{"workerGroupSpecs", {group_of("a", 2)}}});
    CHECK(condition("SpecValid") == "True Valid");
    kubelet();
    CHECK(cluster()->status.phase == "Running");
    add_cluster(spec({}), std::string(54, 'a'));
    CHECK(summary(std::string(54, 'a')) == "0+0");
    CHECK(events("InvalidRayClusterMetadata") == 1);
}

TEST_CASE_FIXTURE(ray_world, "a dead node: its pods are replaced after a minute, also while their objects hang") {
    add_cluster(spec({group_of("a", 2)}));
    kubelet();
    settle(10s);
    const auto before = names("worker");
    SUBCASE("they go with their objects, at once") {
        set_ready("n0", "Unknown");
        settle(58s);
        CHECK(names("worker") == before);
        settle(4s);
        CHECK(summary() == "1+2");
        CHECK(names("worker") != before);
        CHECK(events("DeletedWorkerPod") >= 1);
        return;
    }
    SUBCASE("finalizers keep the objects") {}
    for (const char* type : {"head", "worker"}) {
        for (const auto& name : names(type))
            patch_pod(name, {{"metadata", {{"finalizers", json::array{"example.com/hangs"}}}}}, "");
    }
    set_ready("n0", "Unknown");
    settle(58s);
    CHECK(summary() == "1+2");
    settle(4s);
    CHECK(summary() == "1+2 -3");
    (void)server.api().remove(nodes_id, {"", "n0"}).has_value();
    settle(10s);
    CHECK(summary() == "1+2 -3");
    // A node that the cache does not have yet: the server is asked.
    CHECK(names("worker").size() == 4);
}

TEST_CASE_FIXTURE(ray_world, "a pod that has ended is deleted and replaced, and a head deletes no worker") {
    add_cluster(spec({group_of("a", 2)}));
    kubelet();
    const auto workers = names("worker");
    const auto head = names("head").front();
    fail_pod(head);
    kubelet();
    CHECK(names("worker") == workers);
    CHECK(names("head").size() == 1);
    CHECK(names("head").front() != head);
    CHECK(events("DeletedHeadPod") == 1);
    fail_pod(workers[0]);
    kubelet();
    CHECK(summary() == "1+2");
    CHECK(events("DeletedWorkerPod") == 1);
}

TEST_CASE_FIXTURE(ray_world, "ray#58933: while the server does not answer lists, nothing is deleted or made") {
    add_cluster(spec({group_of("a", 3)}));
    kubelet();
    server.api().set_faults([](const http::server_request& r) {
        testing::fault out;
        const bool lists = r.method == "GET" && r.target.find("/pods?") != std::string::npos &&
                           r.target.find("watch=") == std::string::npos;
        if (lists) out.status(500, "InternalError", "the test says so");
        return out;
    });
    stop(), start();
    settle(40s);
    CHECK(summary() == "1+3");
    set_spec({{"workerGroupSpecs", {group_of("a", 1)}}});
    settle(20s);
    CHECK(summary() == "1+3");
    server.api().set_faults({});
    settle(2min);
    CHECK(summary() == "1+1 -2");
}

TEST_CASE_FIXTURE(ray_world, "#715, #2566: with watches that lag 5 s exactly as many pods are made") {
    {
        test::lagging_watches lag(world, server.api(), 5s);
        add_cluster(spec({group_of("a", 7)}));
        for (int i = 0; i < 20; ++i) {
            (void)server.api()
                .patch(clusters_id, {"default", "small"}, {{"metadata", {{"annotations", {{"n", std::to_string(i)}}}}}})
                .value();
            settle(1s);
            CHECK(names("worker").size() <= 7);
            CHECK(names("head").size() <= 1);
        }
        set_spec({{"workerGroupSpecs", {group_of("a", 4)}}});
        settle(10s);
        CHECK(summary() == "1+4");
    }
    settle(30s);
    CHECK(summary() == "1+4");
}

TEST_CASE_FIXTURE(ray_world, "#3909: while one cluster grows by 500 pods, another one's change is acted on") {
    add_cluster(spec({group_of("a", 0)}), "big");
    add_cluster(spec({group_of("a", 0)}));
    (void)server.api()
        .patch(clusters_id, {"default", "big"}, {{"spec", {{"workerGroupSpecs", {group_of("a", 500)}}}}})
        .value();
    (void)server.api()
        .patch(clusters_id, {"default", "small"}, {{"spec", {{"workerGroupSpecs", {group_of("a", 1)}}}}})
        .value();
    settle(2s);
    CHECK(pods().workers == 1);
    settle(1min);
    CHECK(pods("big").workers == 500);
}

TEST_CASE_FIXTURE(ray_world, "what others own is left alone") {
    add_cluster(spec({group_of("a", 1)}, {{"managedBy", "kueue.x-k8s.io/multikueue"}}), "others");
    CHECK(summary("others") == "0+0");
    CHECK(cluster("others")->status.conditions.empty());
    add_cluster(spec({group_of("a", 1)}, {{"managedBy", "ray.io/kuberay-operator"}}), "ours");
    CHECK(summary("ours") == "1+1");
    stop();
    only_label = "team=ours";
    start();
    add_cluster(spec({}), "unlabelled");
    add_cluster(spec({}), "labelled", {{"team", "ours"}});
    CHECK(summary("unlabelled") == "0+0");
    CHECK(summary("labelled") == "1+0");
}

TEST_CASE_FIXTURE(ray_world, "the autoscaler has its account, its rights, and the say in what is deleted") {
    json::object a = group_of("a", 2);
    add_cluster(spec({a}, {{"enableInTreeAutoscaling", true}}));
    kubelet();
    CHECK(server.api().get({"", "serviceaccounts"}, {"default", "small"}).has_value());
    CHECK(server.api().get({"rbac.authorization.k8s.io", "roles"}, {"default", "small"}).has_value());
    CHECK(server.api().get({"rbac.authorization.k8s.io", "rolebindings"}, {"default", "small"}).has_value());
    const auto workers = names("worker");
    a["replicas"] = 1;
    set_spec({{"workerGroupSpecs", {a}}});
    CHECK(summary() == "1+2");
    a["scaleStrategy"] = json::object{{"workersToDelete", json::array{json::value(workers[1])}}};
    set_spec({{"workerGroupSpecs", {a}}});
    kubelet();
    CHECK(names("worker") == std::vector<std::string>{workers[0]});
}

TEST_CASE_FIXTURE(ray_world, "pods that are held back, and GPUs that no node has, are conditions") {
    add_node("gpu", {{"nvidia.com/gpu", "4"}});
    json::object a = group_of("a", 1);
    a["template"] = pod_template({{"limits", {{"nvidia.com/gpu", "8"}}}});
    add_cluster(spec({a}));
    CHECK(condition("GpuPlacement") ==
          "False NoSuitableNode: worker group a: a pod needs 8 of nvidia.com/gpu, and no node has more than 4");
    const json::value held{{"type", "PodScheduled"},
                           {"status", "False"},
                           {"reason", "Unschedulable"},
                           {"message", "0/2 nodes are available"},
                           {"lastTransitionTime", now()}};
    patch_pod(names("worker").front(), {{"status", {{"conditions", json::array{held}}}}});
    settle(50s);
    CHECK(condition("ResourcesAvailable") == "none");
    settle(15s);
    CHECK(condition("ResourcesAvailable") == "False PodsHeldBack: a: Unschedulable: 0/2 nodes are available");
    a["template"] = pod_template({{"limits", {{"nvidia.com/gpu", "4"}}}});
    set_spec({{"workerGroupSpecs", {a}}});
    CHECK(condition("GpuPlacement") == "True NoProblem");
    kubelet();
    CHECK(condition("ResourcesAvailable") == "True NoProblem");
}

TEST_CASE_FIXTURE(ray_world, "a refused creation is told, and made up for") {
    bool refuses = true;
    server.api().set_faults([&refuses](const http::server_request& r) {
        testing::fault out;
        if (refuses && r.method == "POST" && r.target.find("/pods?") != std::string::npos &&
            r.body.find("-worker-") != std::string::npos)
            out.status(403, "Forbidden", "exceeded quota: small");
        return out;
    });
    add_cluster(spec({group_of("a", 2)}));
    CHECK(summary() == "1+0");
    CHECK(condition("ReplicaFailure").starts_with("True FailedCreateWorkerPod: "));
    CHECK(condition("ReplicaFailure").find("exceeded quota") != std::string::npos);
    CHECK(events("FailedToCreateWorkerPod") >= 1);
    refuses = false;
    settle(2min);
    CHECK(summary() == "1+2");
    CHECK(condition("ReplicaFailure") == "none");
    server.api().set_faults({});
}

TEST_CASE_FIXTURE(ray_world, "metrics by KubeRay's names") {
    add_cluster(spec({group_of("a", 1)}));
    kubelet();
    const std::string text = m->metrics().text();
    for (const char* part : {"kuberay_cluster_info{name=\"small\",namespace=\"default\",owner_kind=\"None\",uid=",
                             "kuberay_cluster_condition_provisioned{condition=\"true\",name=\"small\"",
                             "kuberay_cluster_provisioned_duration_seconds{name=\"small\""})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}
