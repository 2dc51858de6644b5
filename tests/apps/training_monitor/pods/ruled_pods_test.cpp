// Pods of the kinds that are read by rules: by the labels that the rules name.
#include "jobs/ruled_kinds.hpp"
#include "pods.hpp"
#include "pods/pod_table.hpp"

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

training_pod labelled(const std::string& labels) {
    return pod_from(R"({"metadata":{"name":"p","namespace":"ml","uid":"u","labels":{)" + labels + "}}}");
}

}  // namespace

TEST_CASE("ruled pods: whose they are, and which of them") {
    using jobs = std::vector<job_ref>;
    const auto ray = labelled(R"("ray.io/cluster":"r","ray.io/group":"big")");
    CHECK(jobs_of(ray, "a") == jobs{{"a", "ml", "RayCluster", "r"}});
    CHECK(row_of(ray).type == "big");
    CHECK_FALSE(row_of(ray).index.has_value());
    const auto lws =
        labelled(R"("leaderworkerset.sigs.k8s.io/name":"s","leaderworkerset.sigs.k8s.io/worker-index":"3")");
    CHECK(jobs_of(lws, "a") == jobs{{"a", "ml", "LeaderWorkerSet", "s"}});
    CHECK(row_of(lws).type == "Pod");
    CHECK(row_of(lws).index == 3);
    const auto set = labelled(R"("jobset.sigs.k8s.io/jobset-name":"t","jobset.sigs.k8s.io/replicatedjob-name":"node")");
    CHECK(row_of(set).type == "node");
    // The operator's label says no more than for its other kinds.
    auto tf = labelled(R"("training.kubeflow.org/job-name":"m","training.kubeflow.org/replica-type":"ps")");
    CHECK(jobs_of(tf, "a").empty());
    CHECK(row_of(tf).type == "Ps");
}

TEST_CASE("ruled pods: the pods of a TFJob are its own by their owner") {
    const auto pod = pod_from(R"({"metadata":{"name":"p","namespace":"ml","labels":{)"
                              R"("training.kubeflow.org/job-name":"m"},"ownerReferences":[{)"
                              R"("apiVersion":"kubeflow.org/v1","kind":"TFJob","name":"m","uid":"1",)"
                              R"("controller":true}]}})");
    CHECK(jobs_of(pod, "a") == std::vector<job_ref>{{"a", "ml", "TFJob", "m"}});
}

TEST_CASE("ruled pods: what is watched follows the kinds") {
    using selectors = std::vector<std::string>;
    CHECK(pod_selectors({"JobSet"}) == selectors{"jobset.sigs.k8s.io/jobset-name"});
    CHECK(pod_selectors({"PyTorchJob", "TFJob", "JAXJob"}) == selectors{"training.kubeflow.org/job-name"});
    CHECK(pod_selectors({"RayJob"}).empty());
    CHECK(pod_selectors({"RayJob", "RayCluster"}) == selectors{"ray.io/cluster"});
}

TEST_CASE("ruled pods: only those of watched kinds are kept") {
    pod_table table({}, {"JobSet"});
    const auto pod = labelled(R"("jobset.sigs.k8s.io/jobset-name":"t","batch.kubernetes.io/job-name":"t-0")");
    CHECK(table.set("a", pod) == std::vector<job_ref>{{"a", "ml", "JobSet", "t"}});
    CHECK(table.size() == 1);
    CHECK(table.remove("a", pod).size() == 1);
    CHECK(table.size() == 0);
}

TEST_CASE("ruled pods: an ended job shows what its pods came to, but where its numbers are not of pods") {
    const auto count = [](std::string_view kind) {
        job_view job;
        job.kind = kind;
        job.state = job_state::failed;
        job.replicas = {{"node", 2, 2, 0, 0}};
        pod_row pod;
        pod.type = "node";
        pod.phase = "Failed";
        return correct_replicas(job, job_evidence{{pod}, {}, {}, {}});
    };
    CHECK(count("TFJob"));
    CHECK_FALSE(count("JobSet"));
}
