// Executors that leave it to another controller to make the pods: a Job of Kubernetes' own, and a PyTorchJob, whose
// controller is played here, on a small definition of our own.
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/idempotence.hpp>

#include "operator_world.hpp"
#include "support/how_much.hpp"
#include "support/sanitizers.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

const testing::group_resource batch_jobs{"batch", "jobs"}, pytorch_jobs{"kubeflow.org", "pytorchjobs"};

std::string attempt_of(const json::value& object) {
    return std::string(json::get_string(object, {"metadata", "labels", attempt_label}));
}

// In its first attempt a rank is killed, and the others run on; in later ones all end well. Unless the pod says how.
testing::pod_behavior two_attempts(const json::value& pod, std::size_t run) {
    if (json::find(pod, {"metadata", "annotations", "sim/run-ms"}) != nullptr)
        return testing::pod_behavior_of(pod, run);
    const bool first = attempt_of(pod) == "1";
    const auto index = json::get_string(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"});
    testing::pod_behavior out;
    out.run_for(first && index != "1" ? 60s : 5s).exit_code(first ? 137 : 0);
    return out;
}
testing::fake_cluster_options fakes() { return testing::fake_cluster_options().pod_behavior(two_attempts); }

class fake_world : public operator_world {
public:
    testing::fake_cluster kubelets{world, server, fakes()};
    bool goes_to(const std::string& phase, duration within = 2min) {
        return world.run_until([&] { return this->phase() == phase; }, within);
    }
    json::value holder() {
        const auto found = server.api().get(batch_jobs, {"default", "bert"});
        return found ? *found : json::value();
    }
};

}  // namespace

TEST_CASE_FIXTURE(fake_world, "batch-job: an Indexed Job for each attempt, whose index is the rank") {
    add_job({{"executor", "batch-job"}, {"accelerator", {{"perWorker", 2}}}});
    REQUIRE(goes_to("Running"));
    const auto job = holder();
    CHECK(json::get_string(job, {"spec", "completionMode"}) == "Indexed");
    CHECK(job.at("spec").at("completions") == 2);
    CHECK(job.at("spec").at("parallelism") == 2);
    CHECK(job.at("spec").at("backoffLimit") == 0);
    CHECK(attempt_of(job) == "1");
    CHECK(told() == "Running, attempt 1, 2/2, Running: all ranks run");
    const std::string spec = json::serialize(job.at("spec"));
    CHECK(spec.find(R"("name":"MASTER_ADDR","value":"bert-0.bert")") != std::string::npos);
    CHECK(spec.find(R"(metadata.labels['batch.kubernetes.io/job-completion-index'])") != std::string::npos);
    CHECK(spec.find(R"("name":"PET_NPROC_PER_NODE","value":"2")") != std::string::npos);
    REQUIRE(server.api().get({"", "services"}, {"default", "bert"}));

    REQUIRE(goes_to("Restarting"));
    CHECK(told().find("RankFailed: rank 1 exited with code 137; attempt 1 ends") != std::string::npos);
    REQUIRE(goes_to("Running"));
    CHECK(this->job()->status.attempt == 2);
    CHECK(attempt_of(holder()) == "2");
    CHECK(json::get_string(holder(), {"metadata", "uid"}) != json::get_string(job, {"metadata", "uid"}));
    REQUIRE(goes_to("Succeeded"));
    settle(10s);
    CHECK(holder().is_object());  // for its pods' logs
    remove_job();
    settle(10s);
    CHECK(phase() == "gone");
    CHECK(holder().is_null());
    CHECK(pods() == "");
}

TEST_CASE_FIXTURE(fake_world, "batch-job: suspended, resized and deleted in the middle; an idle hour writes nothing") {
    const json::object trainer{{"name", "trainer"}, {"image", "bert:1"}};
    add_job({{"executor", "batch-job"},
             {"template",
              {{"metadata", {{"annotations", {{"sim/run-ms", "forever"}}}}},
               {"spec", {{"containers", json::array{trainer}}}}}}});
    REQUIRE(goes_to("Running"));
    set_spec({{"suspend", true}});
    REQUIRE(goes_to("Suspended"));
    settle(10s);
    CHECK(holder().is_null());
    CHECK(pods() == "");
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    set_spec({{"suspend", false}});
    REQUIRE(goes_to("Running"));
    set_spec({{"workers", 3}});
    REQUIRE(world.run_until([&] { return told().starts_with("Running, attempt 1, 3/3"); }, 1min));
    CHECK(holder().at("spec").at("completions") == 3);
    remove_job();
    settle(10s);
    CHECK(phase() == "gone");
    CHECK(holder().is_null());
    CHECK(pods() == "");
}

TEST_CASE_FIXTURE(fake_world, "batch-job: with a queue the Job is suspended until it is admitted, and may be again") {
    job_labels = queue();
    add_job({{"executor", "batch-job"}});
    CHECK(phase() == "Queued");
    CHECK(holder().at("spec").at("suspend") == true);
    CHECK(json::get_string(holder(), {"metadata", "labels", kueue::queue_label}) == "team-a");
    CHECK(pods() == "");
    settle(20min);  // no start is missed
    CHECK(phase() == "Queued");
    CHECK(job()->status.start_time.present() == false);
    const auto admit = [&](bool yes) {
        (void)server.api().patch(batch_jobs, {"default", "bert"}, {{"spec", {{"suspend", !yes}}}}).value();
    };
    admit(true);
    REQUIRE(goes_to("Running"));
    admit(false);
    REQUIRE(goes_to("Queued"));
    CHECK(job()->status.attempt == 2);
    settle(10s);
    CHECK(events("Preempted") == 1);
    CHECK(holder().at("spec").at("suspend") == true);
    admit(true);
    REQUIRE(goes_to("Succeeded"));
}

TEST_CASE_FIXTURE(operator_world,
                  "a job whose deadline passes in its queue leaves nothing that may be admitted later") {
    job_labels = queue();
    add_job({{"executor", "batch-job"}, {"workers", 2}});
    REQUIRE(phase() == "Queued");
    (void)server.api()
        .patch(jobs_id, {"default", "bert"}, {{"spec", {{"executor", "batch-job"}}}, {"status", {{"phase", "Failed"}}}},
               "status")
        .value();
    settle(10s);
    CHECK_FALSE(server.api().get(batch_jobs, {"default", "bert"}).has_value());
}

namespace {

class kubeflow_world : public operator_world {
public:
    kubeflow_world() {
        world.register_resource(testing::resource_type("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"));
    }
    json::value holder() {
        const auto found = server.api().get(pytorch_jobs, {"default", "bert"});
        return found ? *found : json::value();
    }
    // Kubeflow's part: a master and so many workers.
    void make_pods() {
        const auto job = holder();
        const json::object owner{{"apiVersion", "kubeflow.org/v1"},
                                 {"kind", "PyTorchJob"},
                                 {"name", "bert"},
                                 {"uid", json::get_string(job, {"metadata", "uid"})},
                                 {"controller", true}};
        const auto& replicas = job.at("spec").at("pytorchReplicaSpecs").as_object();
        for (const auto& [type, count] : {std::pair("Master", "master"), {"Worker", "worker"}}) {
            if (!replicas.contains(type)) continue;
            const auto& of = replicas.at(type);
            for (int i = 0; i < of.at("replicas").to_number<int>(); ++i) {
                auto metadata = of.at("template").at("metadata").as_object();
                metadata["name"] = std::string("bert-") + count + "-" + std::to_string(i);
                metadata["ownerReferences"] = json::array{owner};
                metadata["labels"].as_object()["training.kubeflow.org/replica-type"] = count;
                metadata["labels"].as_object()["training.kubeflow.org/replica-index"] = std::to_string(i);
                auto spec = of.at("template").at("spec").as_object();
                spec["nodeName"] = "n0";
                (void)server.api()
                    .create({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}, {"spec", spec}})
                    .value();
            }
        }
        settle();
    }
    void set_all(const json::object& status) {
        for (const auto& pod : server.api().list(pods_id)) {
            const namespaced_name key("default", std::string(json::get_string(pod, {"metadata", "name"})));
            (void)server.api().patch(pods_id, key, {{"status", status}}, "status").value();
        }
        settle();
    }
};

}  // namespace

TEST_CASE_FIXTURE(kubeflow_world, "pytorchjob: Kubeflow makes the pods, and its master is rank 0") {
    add_job({{"executor", "pytorchjob"}, {"workers", 3}, {"accelerator", {{"perWorker", 8}}}});
    const auto job = holder();
    REQUIRE(job.is_object());
    const auto& spec = job.at("spec");
    CHECK(json::get_string(spec, {"nprocPerNode"}) == "8");
    CHECK(spec.at("runPolicy") == json::value{{"cleanPodPolicy", "None"}});
    const auto& replicas = spec.at("pytorchReplicaSpecs");
    CHECK(replicas.at("Master").at("replicas") == 1);
    CHECK(replicas.at("Worker").at("replicas") == 2);
    CHECK(json::get_string(replicas, {"Worker", "restartPolicy"}) == "Never");
    const auto& container = replicas.at("Worker").at("template").at("spec").at("containers").at(0);
    CHECK(json::get_string(container, {"name"}) == "pytorch");
    CHECK(json::serialize(container).find("MASTER_ADDR") == std::string::npos);  // Kubeflow's own
    CHECK_FALSE(server.api().get({"", "services"}, {"default", "bert"}).has_value());

    make_pods();
    CHECK(told() == "Starting, attempt 1, 0/3, Starting: attempt 1 begins with 3 ranks");
    set_all({{"phase", "Running"}});
    CHECK(told() == "Running, attempt 1, 3/3, Running: all ranks run");
    const json::value killed{{"name", "pytorch"}, {"state", {{"terminated", {{"exitCode", 137}}}}}};
    (void)server.api()
        .patch(pods_id, {"default", "bert-worker-1"},
               {{"status", {{"phase", "Failed"}, {"containerStatuses", json::array{killed}}}}}, "status")
        .value();
    settle();
    CHECK(told().find("RankFailed: rank 2 exited with code 137; attempt 1 ends") != std::string::npos);
    let_go();
    settle(10s);
    CHECK(told().starts_with("Starting, attempt 2"));
    CHECK(attempt_of(holder()) == "2");
    CHECK(json::get_string(holder(), {"metadata", "uid"}) != json::get_string(job, {"metadata", "uid"}));
    make_pods();
    set_all({{"phase", "Succeeded"}});
    CHECK(phase() == "Succeeded");
    remove_job();
    let_go();
    settle(10s);
    CHECK(phase() == "gone");
    CHECK(holder().is_null());
}

TEST_CASE_FIXTURE(kubeflow_world, "pytorchjob: what Kubeflow refuses, and what a queue holds back") {
    job_labels = queue();
    add_job({{"executor", "pytorchjob"}, {"workers", 1}, {"backoffLimit", 0}});
    CHECK(phase() == "Queued");
    CHECK(holder().at("spec").at("runPolicy").at("suspend") == true);
    CHECK_FALSE(holder().at("spec").at("pytorchReplicaSpecs").as_object().contains("Worker"));
    (void)server.api()
        .patch(pytorch_jobs, {"default", "bert"}, {{"spec", {{"runPolicy", {{"suspend", false}}}}}})
        .value();
    make_pods();
    CHECK(phase() == "Starting");
    set_all({{"phase", "Running"}});
    CHECK(phase() == "Running");
    remove_job();
    let_go();
    settle(10s);
    CHECK(phase() == "gone");

    job_labels = {};
    add_job({{"executor", "pytorchjob"}, {"backoffLimit", 0}});
    const json::value failed{{"type", "Failed"}, {"status", "True"}, {"message", "the webhook says no"}};
    (void)server.api()
        .patch(pytorch_jobs, {"default", "bert"}, {{"status", {{"conditions", json::array{failed}}}}}, "status")
        .value();
    settle(10s);
    CHECK(told().find("BackoffLimitExceeded: no rank could be made: the webhook says no") != std::string::npos);
}

TEST_CASE_FIXTURE(operator_world, "pytorchjob: where Kubeflow is not installed the job fails, and says so") {
    add_job({{"executor", "pytorchjob"}});
    CHECK(phase() == "Failed");
    CHECK(told().find("PodRefused") != std::string::npos);
}

TEST_CASE("expect_idempotent: an executor that leaves the pods to a Job, with a rank that is killed once") {
    testing::sim_world* here = nullptr;
    testing::idempotence_options options;
    options.prepare([&here](testing::sim_world& world, testing::sim_server&) { here = &world; })
        .register_resource<training_job>()
        .server(testing::api_server_options().default_and_validate(true).collect_garbage(true))
        .manager(watched())
        .fakes(fakes())
        .idle_time(5min);
#if KCONTROL_TEST_UNDER_ASAN
    options.every(test::asked_for("KCONTROL_EVERY_CALL", 24));
#endif
    const json::value pod{{"spec", {{"containers", {{{"name", "main"}, {"image", "bert:1"}}}}}}};
    const json::value job{{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                          {"kind", "TrainingJob"},
                          {"metadata", {{"name", "bert"}, {"namespace", "default"}}},
                          {"spec", {{"workers", 2}, {"executor", "batch-job"}, {"template", pod}}}};
    const auto add = [&here](manager& m) { return set_up(m, here->network().factory()); };
    const auto report = testing::expect_idempotent(add, job, options);
    MESSAGE("runs: " << report.runs << ", calls: " << report.calls.size());
    CHECK_MESSAGE(report.ok(), report.text());
    CHECK(report.calls.size() > 20);
}
