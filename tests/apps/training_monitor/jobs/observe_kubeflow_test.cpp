// PyTorchJob and MPIJob: each row and each trap of what their operators are known to write.
#include "support.hpp"

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

job_view pytorch(std::string_view conditions, std::string_view status = "", std::string_view spec = "") {
    return observed<pytorch_job>(spec, conditions, status).view;
}

job_view mpi(std::string_view conditions, std::string_view status = "") {
    return observed<mpi_job_v2beta1>("", conditions, status).view;
}

const std::string created = condition("Created", "True", "PyTorchJobCreated");
const char* started = R"("startTime":"2026-11-21T06:30:00Z")";

}  // namespace

TEST_CASE("kubeflow: what identifies a job") {
    const auto seen = observed<pytorch_job>("", "", "", R"("ownerReferences":[
        {"apiVersion":"v1","kind":"Other","name":"x","uid":"1"},
        {"apiVersion":"kubeflow.org/v1beta1","kind":"Trial","name":"t1","uid":"2","controller":true}])");
    CHECK(seen.view.cluster == "a");
    CHECK(seen.view.namespace_ == "ml");
    CHECK(seen.view.name == "j");
    CHECK(seen.view.uid == "u1");
    CHECK(seen.view.kind == "PyTorchJob");
    CHECK(seen.view.api_version == "kubeflow.org/v1");
    CHECK(seen.resource_version == "7");
    REQUIRE(seen.owner.has_value());
    CHECK(seen.owner->group == "kubeflow.org");
    CHECK(seen.owner->kind == "Trial");
    CHECK(seen.owner->name == "t1");
    CHECK(observed<mpi_job_v1>("", "").view.api_version == "kubeflow.org/v1");
    CHECK(observed<mpi_job_v2beta1>("", "").view.api_version == "kubeflow.org/v2beta1");
}

TEST_CASE("kubeflow: the life of a PyTorchJob") {
    const std::string ran_once = condition("Running", "False", "PyTorchJobRunning");
    struct row {
        std::string conditions;
        const char* status;
        job_state state;
        const char* reason;
    };
    const row rows[] = {
        {created, "", job_state::created, "PyTorchJobCreated"},
        {created, started, job_state::pending, "PyTorchJobCreated"},
        {created + "," + condition("Running", "True", "PyTorchJobRunning"), started, job_state::running,
         "PyTorchJobRunning"},
        {created + "," + condition("Restarting", "True", "PyTorchJobRestarting"), started, job_state::restarting,
         "PyTorchJobRestarting"},
        {created + "," + ran_once + "," + condition("Succeeded", "True", "PyTorchJobSucceeded"), started,
         job_state::succeeded, "PyTorchJobSucceeded"},
        {created + "," + ran_once + "," + condition("Failed", "True", "PyTorchJobFailed"), started, job_state::failed,
         "PyTorchJobFailed"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.conditions);
        const auto job = pytorch(r.conditions, r.status);
        CHECK(job.state == r.state);
        CHECK(job.reason == r.reason);
        CHECK(job.message == "because");
    }
}

TEST_CASE("kubeflow: a condition counts by its type and only with status True, wherever it stands") {
    const std::string succeeded = condition("Succeeded", "True");
    const std::string not_running = condition("Running", "False");
    CHECK(pytorch(succeeded + "," + not_running + "," + created).state == job_state::succeeded);
    CHECK(pytorch(condition("Failed", "False") + "," + condition("Running", "True")).state == job_state::running);
    CHECK(pytorch(created + "," + condition("Succeeded", "Unknown"), started).state == job_state::pending);
}

TEST_CASE("kubeflow: an MPIJob never seen running gets Running=False appended after Succeeded, and has succeeded") {
    const auto job =
        mpi(condition("Created", "True", "MPIJobCreated") + "," + condition("Succeeded", "True", "MPIJobSucceeded") +
            "," + condition("Running", "False", "MPIJobSucceeded"));
    CHECK(job.state == job_state::succeeded);
    CHECK(job.reason == "MPIJobSucceeded");
}

TEST_CASE("kubeflow: MPIJob failures keep the operators' own reasons") {
    CHECK(mpi(condition("Failed", "True", "MPIJobEvicted")).reason == "MPIJobEvicted");
    const auto doubled = observed<mpi_job_v1>("", condition("Failed", "True", "MPIJobMPIJobFailed")).view;
    CHECK(doubled.state == job_state::failed);
    CHECK(doubled.reason == "MPIJobMPIJobFailed");
}

TEST_CASE("kubeflow: an MPIJob whose launcher waits for its workers is pending, whatever is active") {
    const auto job = mpi(condition("Created", "True"), R"("replicaStatuses":{"Worker":{"active":1},"Launcher":{}})");
    CHECK(job.state == job_state::pending);
}

TEST_CASE("kubeflow: failed is for good, even beside Succeeded") {
    CHECK(pytorch(condition("Succeeded", "True") + "," + condition("Failed", "True")).state == job_state::failed);
}

TEST_CASE("kubeflow: queued while Kueue's queue holds it") {
    const std::string suspended = created + "," + condition("Suspended", "True", "PyTorchJobSuspended");
    const char* const queue = R"("labels":{"kueue.x-k8s.io/queue-name":"team"})";
    const char* const wish = R"("runPolicy":{"suspend":true})";
    CHECK(observed<pytorch_job>(wish, suspended, "", queue).view.state == job_state::queued);
    CHECK(observed<mpi_job_v2beta1>(wish, suspended, "", queue).view.state == job_state::queued);
    CHECK(observed<pytorch_job>("", suspended, "", queue).view.state == job_state::created);  // just admitted
}

TEST_CASE("kubeflow: suspended needs both the condition and the wish") {
    const std::string suspended = created + "," + condition("Suspended", "True", "PyTorchJobSuspended");
    const char* wish = R"("runPolicy":{"suspend":true})";
    CHECK(pytorch(suspended, "", wish).state == job_state::suspended);
    CHECK(pytorch(suspended + "," + condition("Running", "False"), "", wish).state == job_state::suspended);
    CHECK(pytorch(suspended, "", R"("runPolicy":{"suspend":false})").state == job_state::created);  // being resumed
    CHECK(pytorch(created + "," + condition("Running", "True"), started, wish).state == job_state::running);
    const std::string resumed = created + "," + condition("Suspended", "False", "PyTorchJobResumed");
    CHECK(pytorch(resumed + "," + condition("Running", "True"), started).state == job_state::running);
    CHECK(pytorch(suspended + "," + condition("Failed", "True"), "", wish).state == job_state::failed);
}

TEST_CASE("kubeflow: Created stays True beside Running, and Restarting outranks Running (trainer#1711)") {
    CHECK(pytorch(condition("Running", "True") + "," + created).state == job_state::running);
    CHECK(pytorch(condition("Running", "True") + "," + condition("Restarting", "True")).state == job_state::restarting);
    CHECK(pytorch(created + "," + condition("Running", "False"), started).state == job_state::pending);
}

TEST_CASE(
    "kubeflow: a job stuck in Restarting after a permanent exit code is shown as its operator says, with the "
    "failed replica (trainer#2044)") {
    const auto job = pytorch(created + "," + condition("Restarting", "True", "PyTorchJobRestarting"),
                             R"("replicaStatuses":{"Master":{"failed":1}})");
    CHECK(job.state == job_state::restarting);
    REQUIRE(job.replicas.size() == 1);
    CHECK(job.replicas[0].failed == 1);
    CHECK(job.replicas[0].active == 0);
}

TEST_CASE("kubeflow: no conditions at all, as when pods can't be created, is Unknown with a reason (trainer#2351)") {
    const auto job = pytorch("");
    CHECK(job.state == job_state::unknown);
    CHECK(job.reason == "NoConditions");
    CHECK(job.message == "its operator has written no condition yet");
    const auto managed = pytorch("", "", R"("runPolicy":{"managedBy":"kueue.x-k8s.io/multikueue"})");
    CHECK(managed.message == "its manager kueue.x-k8s.io/multikueue has written no condition yet");
    const auto bare = kcontrol::from_json<pytorch_job>(R"({"metadata":{"name":"j"}})");
    REQUIRE(bare.has_value());
    CHECK(observe(*bare, "a").view.state == job_state::unknown);
}

TEST_CASE("kubeflow: a replica that a scale-down removed is counted as failed and fails nothing (trainer#1593)") {
    const auto job = pytorch(created + "," + condition("Running", "True"),
                             R"("replicaStatuses":{"Worker":{"active":2,"failed":1}})");
    CHECK(job.state == job_state::running);
}

TEST_CASE("kubeflow: a job whose deletion has begun keeps its state and is terminating") {
    const auto job =
        observed<pytorch_job>("", condition("Running", "True"), "", R"("deletionTimestamp":"2026-11-21T08:00:00Z")")
            .view;
    CHECK(job.state == job_state::running);
    CHECK(job.terminating);
    CHECK_FALSE(pytorch(created).terminating);
}

TEST_CASE("kubeflow: times come from the status, and the end of a job without one from its last condition") {
    const auto running = pytorch(condition("Running", "True"), started);
    CHECK(running.start_time == parse_rfc3339_seconds("2026-11-21T06:30:00Z"));
    CHECK_FALSE(running.completion_time);
    const auto done = pytorch(condition("Succeeded", "True"),
                              R"("startTime":"2026-11-21T06:30:00Z","completionTime":"2026-11-21T06:45:00Z")");
    CHECK(done.completion_time == parse_rfc3339_seconds("2026-11-21T06:45:00Z"));
    const auto failed = mpi(condition("Failed", "True", "MPIJobEvicted", "2026-11-21T06:50:00Z"), started);
    CHECK(failed.completion_time == parse_rfc3339_seconds("2026-11-21T06:50:00Z"));
    CHECK_FALSE(pytorch(created, R"("startTime":null)").start_time);
}

TEST_CASE("kubeflow: replicas and GPUs") {
    const auto job = pytorch(created, R"("replicaStatuses":{"Worker":{"active":3,"succeeded":1,"failed":2}})", R"(
        "pytorchReplicaSpecs":{
          "Master":{"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1,"cpu":"2"}}}]}}},
          "Worker":{"replicas":4,"template":{"spec":{
             "initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}],
             "containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"},"requests":{"nvidia.com/gpu":"8"}}},
                           {"resources":{"requests":{"nvidia.com/gpu":2}}},
                           {"name":"sidecar"}]}}}})");
    REQUIRE(job.replicas.size() == 2);
    CHECK(job.replicas[0] == replica_counts{"Master", 1, 0, 0, 0});  // absent replicas are 1
    CHECK(job.replicas[1] == replica_counts{"Worker", 4, 3, 1, 2});
    CHECK(job.gpus == 1 + 4 * 10);
    const auto none = observed<mpi_job_v2beta1>(
                          R"("mpiReplicaSpecs":{"Worker":{"replicas":0,"template":{"spec":{"containers":[
           {"resources":{"limits":{"nvidia.com/gpu":"8"}}}]}}}})",
                          "")
                          .view;
    CHECK(none.replicas.at(0).desired == 0);  // and 0 is 0
    CHECK(none.gpus == 0);
}

TEST_CASE("kubeflow: wild numbers of replicas and GPUs make neither a negative nor an endless sum") {
    const auto with = [](const std::string& replicas) {
        const std::string pods = R"("template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"2G"}}},
            {"resources":{"limits":{"nvidia.com/gpu":"2G"}}}]}}})";
        const std::string specs = R"("pytorchReplicaSpecs":{"A":{"replicas":)" + replicas + "," + pods +
                                  R"(,"B":{"replicas":)" + replicas + "," + pods + "}";
        return pytorch(created, "", specs).gpus;
    };
    CHECK(with("9223372036854775807") == 1'000'000'000);
    CHECK(with("2147483647") == 1'000'000'000);
    CHECK(with("-2147483648") == 0);
    CHECK(with("0") == 0);
}
