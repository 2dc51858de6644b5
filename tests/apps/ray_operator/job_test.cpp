// RayJobs in a simulated cluster, with a scripted dashboard.
#include "ray_world.hpp"

using namespace ray_operator;
using namespace ray_operator::tests;

namespace {

const json::object by_http{{"submissionMode", "HTTPMode"}};

json::object with(const json::object& a, const json::object& b) {
    json::object out = a;
    for (const auto& [key, value] : b) out[key] = value;
    return out;
}

}  // namespace

TEST_CASE_FIXTURE(ray_world, "HTTPMode: a job runs once, and ends as its dashboard says") {
    add_job(by_http);
    const auto first = job();
    CHECK(first->status.job_deployment_status == "Initializing");
    CHECK(first->status.job_id.view().starts_with("count-"));
    const std::string name = first->status.ray_cluster_name;
    REQUIRE(cluster(name));
    CHECK(cluster(name)->metadata.labels.at(origin_kind_label) == "RayJob");
    const auto stored = server.api().get(clusters_id, {"default", name}).value();
    CHECK(json::get_string(stored, {"spec", "unknownField"}) == "kept");
    serve_dashboard();
    kubelet();
    settle(10s);
    const std::string id = job()->status.job_id;
    CHECK(dashboard.posts == std::vector<std::string>{id});
    CHECK(told_of_job() == "Running PENDING");
    CHECK(server.api().get(services_id, {"default", "count-head-svc"}).has_value());
    dashboard.jobs[id] = "RUNNING";
    settle(4s);
    CHECK(told_of_job() == "Running RUNNING");
    CHECK(job()->status.ray_job_info.start_time.present());
    dashboard.jobs[id] = "SUCCEEDED";
    settle(4s);
    CHECK(told_of_job() == "Complete SUCCEEDED");
    CHECK(job()->status.succeeded == 1);
    CHECK(job()->status.end_time.present());
    settle(1min);
    const auto before = writes();
    const auto asked = dashboard.requests;
    settle(1h);
    CHECK(writes() == before);
    CHECK(dashboard.requests == asked);
    CHECK(dashboard.posts.size() == 1);
}

TEST_CASE_FIXTURE(ray_world, "HTTPMode: a lost answer of the POST leaves one job") {
    dashboard.loses_answer = true;
    start_job(by_http);
    settle(30s);
    CHECK(dashboard.jobs.size() == 1);
    CHECK(told_of_job() == "Running PENDING");
    CHECK(dashboard.posts.size() <= 2);
}

TEST_CASE_FIXTURE(ray_world, "HTTPMode: a job that was there and is not any more has failed") {
    start_job(by_http);
    dashboard.jobs.clear();
    settle(10s);
    CHECK(told_of_job().starts_with("Failed PENDING AppFailed: The Ray job count-"));
    CHECK(dashboard.posts.size() == 1);
}

TEST_CASE_FIXTURE(ray_world, "a dashboard that hangs, sends too much, no JSON, another job's state or a redirect") {
    start_job(by_http);
    REQUIRE(told_of_job() == "Running PENDING");
    http::response redirect(302);
    redirect.headers.set("Location", "http://169.254.169.254/latest");
    const http::response rows[] = {
        http::response(200, "application/json", std::string(2 << 20, ' ')),
        http::response(200, "text/html", "<html>"),
        http::response(200, "application/json", R"({"submission_id":"other","status":"FAILED"})"),
        http::response(200, "application/json", R"({"status":7})"),
        redirect,
        http::response(503)};
    const auto before = writes();
    for (const auto& answer : rows) {
        dashboard.instead = answer;
        settle(1min);
        CHECK(told_of_job() == "Running PENDING");
    }
    dashboard.instead.reset();
    world.network().set_link(dashboard_host(), testing::link_state::black_hole);
    settle(1min);
    CHECK(writes() == before);
    CHECK(dashboard.posts.size() == 1);
    world.network().set_link(dashboard_host(), testing::link_state::up);
    dashboard.jobs.begin()->second = "SUCCEEDED";
    settle(1min);
    CHECK(told_of_job() == "Complete SUCCEEDED");
}

TEST_CASE_FIXTURE(ray_world, "deletion before the end stops the Ray job") {
    start_job(by_http);
    const std::string id = job()->status.job_id;
    (void)server.api().remove(jobs_id, {"default", "count"}).has_value();
    settle(5s);
    CHECK(dashboard.stopped == std::vector<std::string>{id});
    CHECK(told_of_job() == "gone");
}

TEST_CASE_FIXTURE(ray_world, "deletion goes on where the dashboard does not answer") {
    start_job(by_http);
    world.network().set_link(dashboard_host(), testing::link_state::refused);
    (void)server.api().remove(jobs_id, {"default", "count"}).has_value();
    settle(10s);
    CHECK(told_of_job() == "gone");
}

TEST_CASE_FIXTURE(ray_world, "a retry makes another cluster, as often as backoffLimit says") {
    start_job(with(by_http, {{"backoffLimit", 1}}));
    const std::string first = job()->status.ray_cluster_name, id = job()->status.job_id;
    dashboard.jobs[id] = "FAILED";
    settle(5s);
    kubelet();
    settle(5s);
    const auto again = job();
    CHECK(again->status.failed == 1);
    CHECK(again->status.ray_cluster_name != first);
    CHECK(again->status.job_id != id);
    CHECK_FALSE(cluster(first));
    serve_dashboard();
    kubelet();
    settle(10s);
    CHECK(dashboard.posts.size() == 2);
    dashboard.jobs[job()->status.job_id.str()] = "FAILED";
    settle(10s);
    CHECK(told_of_job().starts_with("Failed FAILED AppFailed: of count-"));
    CHECK(job()->status.failed == 2);
}

TEST_CASE_FIXTURE(ray_world, "#4971: by the annotation a retry goes to the same cluster, with another id") {
    start_job(with(by_http, {{"backoffLimit", 1}}), {{retry_annotation, "same-cluster"}});
    const std::string first = job()->status.ray_cluster_name, id = job()->status.job_id;
    dashboard.jobs[id] = "FAILED";
    settle(15s);
    CHECK(job()->status.ray_cluster_name == first);
    CHECK(job()->status.job_id != id);
    CHECK(dashboard.posts.size() == 2);
    CHECK(told_of_job() == "Running PENDING");
}

TEST_CASE_FIXTURE(ray_world, "suspension gives the cluster back, and is finished once begun") {
    start_job(with(by_http, {{"suspend", false}, {"shutdownAfterJobFinishes", true}}));
    const std::string first = job()->status.ray_cluster_name;
    (void)server.api().patch(jobs_id, {"default", "count"}, {{"spec", {{"suspend", true}}}}).value();
    settle(5s);
    CHECK(told_of_job() == "Suspended");
    CHECK_FALSE(cluster(first));
    CHECK(job()->status.job_id.empty());
    kubelet();
    (void)server.api().patch(jobs_id, {"default", "count"}, {{"spec", {{"suspend", false}}}}).value();
    settle(5s);
    CHECK(told_of_job() == "Initializing");
    CHECK(job()->status.ray_cluster_name != first);
}

TEST_CASE_FIXTURE(ray_world, "activeDeadlineSeconds, and no retry after it") {
    start_job(with(by_http, {{"activeDeadlineSeconds", 60}, {"backoffLimit", 3}}));
    settle(40s);
    CHECK(told_of_job() == "Running PENDING");
    settle(20s);
    CHECK(told_of_job().starts_with("Failed PENDING DeadlineExceeded: "));
    settle(1min);
    CHECK(told_of_job().starts_with("Failed PENDING DeadlineExceeded: "));
}

TEST_CASE_FIXTURE(ray_world, "what is deleted after the end, and when") {
    start_job(with(by_http, {{"shutdownAfterJobFinishes", true}, {"ttlSecondsAfterFinished", 30}}));
    const std::string name = job()->status.ray_cluster_name;
    dashboard.jobs.begin()->second = "SUCCEEDED";
    settle(20s);
    CHECK(told_of_job() == "Complete SUCCEEDED");
    CHECK(cluster(name));
    settle(30s);
    CHECK_FALSE(cluster(name));
    CHECK(job());
}

TEST_CASE_FIXTURE(ray_world, "deletion rules: workers first, then the cluster, then the job") {
    const auto rule = [](const char* policy, int ttl) {
        return json::object{{"policy", policy}, {"condition", {{"jobStatus", "SUCCEEDED"}, {"ttlSeconds", ttl}}}};
    };
    start_job(with(by_http, {{"deletionStrategy",
                              {{"deletionRules", json::array{rule("DeleteWorkers", 10), rule("DeleteCluster", 30),
                                                             rule("DeleteSelf", 60)}}}}}));
    const std::string name = job()->status.ray_cluster_name;
    dashboard.jobs.begin()->second = "SUCCEEDED";
    settle(8s);
    CHECK(pods(name).workers == 1);
    settle(10s);
    kubelet();
    CHECK(summary(name) == "1+0");
    CHECK(cluster(name)->spec.worker_group_specs[0].suspend == true);
    settle(15s);
    CHECK_FALSE(cluster(name));
    CHECK(job());
    settle(35s);
    CHECK_FALSE(job());
}

TEST_CASE_FIXTURE(ray_world, "K8sJobMode: a Kubernetes Job submits, and its end counts") {
    start_job({});
    const auto submitter = server.api().get(submitters_id, {"default", "count"});
    REQUIRE(submitter);
    const std::string id = job()->status.job_id;
    CHECK(dashboard.posts.empty());
    const auto& container = json::find(*submitter, {"spec", "template", "spec", "containers"})->as_array()[0];
    CHECK(json::find(container, {"args"})->as_array()[0].as_string().find("--submission-id " + id) !=
          std::string::npos);
    dashboard.jobs[id] = "SUCCEEDED";
    settle(5s);
    CHECK(told_of_job() == "Running SUCCEEDED");
    const json::value complete{{"type", "Complete"}, {"status", "True"}, {"lastTransitionTime", now()}};
    (void)server.api()
        .patch(submitters_id, {"default", "count"}, {{"status", {{"conditions", json::array{complete}}}}}, "status")
        .value();
    settle(5s);
    CHECK(told_of_job() == "Complete SUCCEEDED");
}

TEST_CASE_FIXTURE(ray_world, "K8sJobMode: a submitter that fails, and one that ends without a job") {
    start_job({});
    const json::value failed{{"type", "Failed"},
                             {"status", "True"},
                             {"reason", "BackoffLimitExceeded"},
                             {"message", "too often"},
                             {"lastTransitionTime", now()}};
    (void)server.api()
        .patch(submitters_id, {"default", "count"}, {{"status", {{"conditions", json::array{failed}}}}}, "status")
        .value();
    settle(5s);
    CHECK(told_of_job() ==
          "Failed SubmissionFailed: Job submission has failed. Reason: BackoffLimitExceeded. Message: too often");
}

TEST_CASE_FIXTURE(ray_world, "clusterSelector: a job on a cluster that is there, which is never deleted") {
    add_cluster(spec({group_of("a", 1)}));
    kubelet();
    add_job({{"submissionMode", "HTTPMode"},
             {"rayClusterSpec", nullptr},
             {"clusterSelector", {{"ray.io/cluster", "small"}}},
             {"backoffLimit", 1}});
    serve_dashboard();
    settle(10s);
    CHECK(told_of_job() == "Running PENDING");
    CHECK(events("RayClusterNotFound") == 0);
    dashboard.jobs[job()->status.job_id.str()] = "FAILED";
    settle(15s);
    CHECK(cluster());
    CHECK(dashboard.posts.size() == 2);
    CHECK(summary() == "1+1");
}

TEST_CASE_FIXTURE(ray_world, "an invalid job says why, and is served once it is corrected") {
    add_job({{"submissionMode", "SidecarMode"}});
    CHECK(job()->status.job_deployment_status == "ValidationFailed");
    CHECK(job()->status.reason == "ValidationFailed");
    CHECK(job()->status.message ==
          "spec.submissionMode: \"SidecarMode\": give K8sJobMode or HTTPMode: others are not built");
    CHECK(events("InvalidRayJobSpec") == 1);
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    (void)server.api().patch(jobs_id, {"default", "count"}, {{"spec", {{"submissionMode", "HTTPMode"}}}}).value();
    settle();
    CHECK(told_of_job() == "Initializing");
}

TEST_CASE_FIXTURE(ray_world, "the operator is restarted at any moment of a job") {
    add_job(by_http);
    stop(), start();
    serve_dashboard();
    kubelet();
    stop(), start();
    settle(10s);
    stop(), start();
    settle(10s);
    CHECK(dashboard.posts.size() == 1);
    dashboard.jobs.begin()->second = "STOPPED";
    settle(5s);
    CHECK(told_of_job() == "Complete STOPPED");
}

TEST_CASE("through the API server's proxy of Services") {
    ray_world w;
    w.proxied = true;
    w.stop(), w.start();
    w.add_job(by_http);
    w.kubelet();
    bool asked = false;
    w.server.api().set_faults([&](const http::server_request& r) {
        testing::fault out;
        const std::string path = "/api/v1/namespaces/default/services/" + w.job()->status.ray_cluster_name.str() +
                                 "-head-svc:dashboard/proxy/api/jobs/" + w.job()->status.job_id.str();
        if (r.target != path) return out;
        asked = true;
        return out.answer(http::response(200, "application/json", R"({"status":"RUNNING"})"));
    });
    w.settle(10s);
    CHECK(asked);
    CHECK(w.told_of_job() == "Running RUNNING");
    w.server.api().set_faults({});
}

TEST_CASE("through the proxy: a job that the dashboard does not know is submitted, and a missing Service ends none") {
    ray_world w;
    w.proxied = true;
    w.stop(), w.start();
    w.add_job(by_http);
    w.kubelet();
    int posts = 0;
    bool is_gone = false;
    w.server.api().set_faults([&](const http::server_request& r) {
        testing::fault out;
        if (r.target.find("/proxy/api/jobs/") == std::string::npos) return out;
        if (is_gone)
            return out.answer(http::response(
                404, "application/json", R"({"kind":"Status","code":404,"reason":"NotFound","message":"no service"})"));
        if (r.method == "POST") return ++posts, out.answer(http::response(200, "application/json", "{}"));
        if (posts == 0) return out.answer(http::response(404, "text/plain", "Job count-1 does not exist"));
        return out.answer(http::response(200, "application/json", R"({"status":"RUNNING"})"));
    });
    w.settle(10s);
    CHECK(posts == 1);
    CHECK(w.told_of_job() == "Running RUNNING");
    is_gone = true;
    w.settle(30s);
    CHECK(w.told_of_job() == "Running RUNNING");
    w.server.api().set_faults({});
}
