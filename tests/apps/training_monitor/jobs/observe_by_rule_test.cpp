// The kinds that are read by rules: what the operators of those that come with the program are known to write, and a
// kind of a user's own.
#include "jobs/ruled_kinds.hpp"
#include "support.hpp"
#include "table/watched.hpp"

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

observed_job seen(std::string_view kind, std::string_view spec, std::string_view status,
                  std::string_view metadata = "") {
    const auto* ruled = find_ruled_kind(kind);
    REQUIRE(ruled);
    std::string text = R"({"metadata":{"name":"j","namespace":"ml","uid":"u1","resourceVersion":"7",)"
                       R"("creationTimestamp":"2026-11-21T06:00:00Z")";
    if (!metadata.empty()) text.append(",").append(metadata);
    text.append(R"(},"spec":{)").append(spec).append(R"(},"status":{)").append(status).append("}}");
    const auto& info = ruled->versions[0].info;
    const auto object = info.decode_text(text);
    REQUIRE_MESSAGE(object.has_value(), text);
    return observe(info, *object, "a");
}

std::string told(const replica_counts& r) {
    return r.type + ":" + std::to_string(r.desired) + "/" + std::to_string(r.active) + "/" +
           std::to_string(r.succeeded) + "/" + std::to_string(r.failed);
}

std::string replicas(const job_view& job) {
    std::string out;
    for (const auto& line : job.replicas) out += (out.empty() ? "" : " ") + told(line);
    return out;
}

std::string conditions(const std::string& list) { return R"("conditions":[)" + list + "]"; }

constexpr const char* eight_gpus =
    R"("template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":8}}}]}})";

struct row {
    std::string status;
    job_state state;
    const char* reason = "";
    std::string spec = "";
};

void check(std::string_view kind, std::initializer_list<row> rows) {
    for (const auto& r : rows) {
        CAPTURE(kind);
        CAPTURE(r.status);
        const auto job = seen(kind, r.spec, r.status).view;
        CHECK(job.state == r.state);
        CHECK(job.reason == r.reason);
    }
}

}  // namespace

TEST_CASE("ruled kinds: what identifies a job, whose it is, and its details") {
    const auto job = seen("JobSet", "", conditions(condition("Failed", "True", "FailedJobs")),
                          R"("labels":{"team":"nlp"},"deletionTimestamp":"2026-11-21T09:00:00Z","ownerReferences":[
        {"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainJob","name":"t","uid":"2","controller":true}])");
    CHECK(job.view.cluster == "a");
    CHECK(job.view.name == "j");
    CHECK(job.view.uid == "u1");
    CHECK(job.view.kind == "JobSet");
    CHECK(job.view.api_version == "jobset.x-k8s.io/v1alpha2");
    CHECK(job.view.labels.find("team") == "nlp");
    CHECK(job.view.terminating);
    CHECK(job.resource_version == "7");
    REQUIRE(job.owner.has_value());
    CHECK(job.owner->kind == "TrainJob");
    const auto details = job.source.details();
    REQUIRE(details.conditions.size() == 1);
    CHECK(details.conditions[0].reason == "FailedJobs");
}

TEST_CASE("ruled kinds: the training operator's other kinds are read as its PyTorchJob is") {
    struct kind {
        const char* name;
        const char* replicas;
    };
    const std::string created = condition("Created", "True", "JobCreated");
    const std::string started = R"(,"startTime":"2026-11-21T06:30:00Z")";
    for (const kind& k : {kind{"TFJob", "tfReplicaSpecs"}, kind{"XGBoostJob", "xgbReplicaSpecs"},
                          kind{"PaddleJob", "paddleReplicaSpecs"}, kind{"JAXJob", "jaxReplicaSpecs"}}) {
        check(k.name, {
                          {"", job_state::unknown, "NoConditions"},
                          {R"("replicaStatuses":{"Worker":{"active":1}})", job_state::pending},
                          {conditions(created), job_state::created, "JobCreated"},
                          {conditions(created) + started, job_state::pending, "JobCreated"},
                          {conditions(created + "," + condition("Running", "True", "JobRunning")), job_state::running,
                           "JobRunning"},
                          {conditions(condition("Restarting", "True", "JobRestarting") + "," + created),
                           job_state::restarting, "JobRestarting"},
                          {conditions(condition("Succeeded", "True", "JobSucceeded") + "," +
                                      condition("Running", "False", "JobRunning")),
                           job_state::succeeded, "JobSucceeded"},
                          {conditions(condition("Failed", "True", "JobFailed")), job_state::failed, "JobFailed"},
                          {conditions(condition("Suspended", "True", "JobSuspended")), job_state::suspended,
                           "JobSuspended", R"("runPolicy":{"suspend":true})"},
                          // It was resumed, and its condition lags behind.
                          {conditions(condition("Suspended", "True", "JobSuspended") + "," + created) + started,
                           job_state::pending, "JobCreated", R"("runPolicy":{"suspend":false})"},
                      });
        const auto job = seen(
            k.name, std::string("\"") + k.replicas + R"(":{"Worker":{"replicas":3,)" + eight_gpus + R"(},"PS":{}})",
            conditions(condition("Failed", "True", "JobFailed")) + started +
                R"(,"replicaStatuses":{"Worker":{"active":1,"succeeded":0,"failed":2}})");
        CHECK(job.view.gpus == 24);
        CHECK(replicas(job.view) == "PS:1/0/0/0 Worker:3/1/0/2");
        CHECK(to_rfc3339(job.view.start_time.value_or(0)) == "2026-11-21T06:30:00Z");
        CHECK(to_rfc3339(job.view.completion_time.value_or(0)) == "2026-11-21T07:00:00Z");  // of the condition
    }
}

TEST_CASE("ruled kinds: a suspended job that names a queue of Kueue is queued") {
    const auto job = seen("JobSet", R"("suspend":true)", conditions(condition("Suspended", "True", "SuspendedJobs")),
                          R"("labels":{"kueue.x-k8s.io/queue-name":"team"})");
    CHECK(job.view.state == job_state::queued);
    CHECK(job.view.message == "the queue team has not admitted it");
    CHECK_FALSE(job.view.start_time.has_value());
}

TEST_CASE("ruled kinds: JobSet, whose numbers are of Jobs") {
    const auto jobs = [](const char* counts) {
        return R"("replicatedJobsStatus":[{"name":"w",)" + std::string(counts) + "}]";
    };
    check("JobSet", {
                        {"", job_state::created},
                        {jobs(R"("ready":0,"active":2)"), job_state::pending},
                        {jobs(R"("ready":1,"active":2)"), job_state::running},
                        {jobs(R"("ready":0,"active":2)") + R"(,"restarts":1)", job_state::restarting},
                        {jobs(R"("ready":2,"active":2)") + R"(,"restarts":1)", job_state::running},
                        {jobs(R"("failed":1)"), job_state::restarting},
                        {jobs(R"("succeeded":1)"), job_state::running},
                        {conditions(condition("Completed", "True", "AllJobsCompleted")), job_state::succeeded,
                         "AllJobsCompleted"},
                        {conditions(condition("Failed", "True", "FailedJobs")) + R"(,"restarts":3)", job_state::failed,
                         "FailedJobs"},
                        {conditions(condition("Suspended", "True", "SuspendedJobs")), job_state::suspended,
                         "SuspendedJobs", R"("suspend":true)"},
                    });
    const auto job = seen("JobSet",
                          R"("replicatedJobs":[{"name":"driver"},{"name":"w","replicas":2,"template":{"spec":{)"
                          R"("parallelism":4,)" +
                              std::string(eight_gpus) + "}}}]",
                          jobs(R"("ready":2,"active":2,"succeeded":0,"failed":0)") + "," +
                              conditions(condition("Suspended", "False", "ResumeJobs")))
                         .view;
    CHECK(job.gpus == 64);
    CHECK(replicas(job) == "driver:1/0/0/0 w:2/2/0/0");
    CHECK(to_rfc3339(job.start_time.value_or(0)) == "2026-11-21T07:00:00Z");  // when it was resumed
    CHECK(to_rfc3339(seen("JobSet", "", jobs(R"("ready":1)")).view.start_time.value_or(0)) == "2026-11-21T06:00:00Z");
}

TEST_CASE("ruled kinds: times with offsets and fractions, as other languages write them, are those moments") {
    const auto job = seen("RayJob", "",
                          R"("jobDeploymentStatus":"Complete","jobStatus":"SUCCEEDED",)"
                          R"("startTime":"2026-11-27T10:00:00.250000+08:00","endTime":"2026-11-26t22:30:00.9-04:30")")
                         .view;
    CHECK(to_rfc3339(job.start_time.value_or(0)) == "2026-11-27T02:00:00Z");
    CHECK(to_rfc3339(job.completion_time.value_or(0)) == "2026-11-27T03:00:00Z");
    CHECK(duration_seconds(job, {}) == 3600);
}

TEST_CASE("ruled kinds: RayJob, whose state is told by two fields") {
    const auto both = [](std::string_view deployment, std::string_view job) {
        return R"("jobDeploymentStatus":")" + std::string(deployment) + R"(","jobStatus":")" + std::string(job) + "\"";
    };
    check("RayJob",
          {
              {"", job_state::created},
              {both("Initializing", ""), job_state::pending},
              {both("Running", "PENDING"), job_state::pending},
              {both("Running", "RUNNING"), job_state::running},
              {both("Complete", "SUCCEEDED"), job_state::succeeded},
              {both("Complete", "STOPPED"), job_state::failed},
              {both("Failed", "FAILED") + R"(,"reason":"AppFailed","message":"exit code 1")", job_state::failed,
               "AppFailed"},
              {both("Failed", "RUNNING") + R"(,"reason":"DeadlineExceeded")", job_state::failed, "DeadlineExceeded"},
              {both("Retrying", "FAILED"), job_state::restarting},
              {both("Suspended", ""), job_state::suspended, "", R"("suspend":true)"},
          });
    const auto job =
        seen("RayJob",
             R"("rayClusterSpec":{"headGroupSpec":{)" + std::string(eight_gpus) +
                 R"(},"workerGroupSpecs":[{"groupName":"a","replicas":2,"numOfHosts":3,)" + eight_gpus +
                 R"(},{"groupName":"b","replicas":1,)" + eight_gpus + "}]}",
             both("Running", "RUNNING") + R"(,"startTime":"2026-11-21T06:30:00Z","endTime":"2026-11-21T08:30:00Z",)"
                                          R"("rayClusterStatus":{"desiredWorkerReplicas":7,"readyWorkerReplicas":5})")
            .view;
    CHECK(job.gpus == 8 + 2 * 3 * 8 + 8);
    CHECK(replicas(job) == "Worker:7/5/0/0");
    CHECK(to_rfc3339(job.start_time.value_or(0)) == "2026-11-21T06:30:00Z");
    CHECK_FALSE(job.completion_time.has_value());  // it runs: that is an earlier attempt's
}

TEST_CASE("ruled kinds: RayCluster") {
    check("RayCluster",
          {
              {"", job_state::created},
              {R"("desiredWorkerReplicas":2)", job_state::pending},
              {R"("state":"ready","desiredWorkerReplicas":2)", job_state::running},
              {R"("state":"failed","reason":"image can't be pulled")", job_state::failed, "image can't be pulled"},
              {R"("state":"suspended")", job_state::suspended, "", R"("suspend":true)"},
              {conditions(condition("ReplicaFailure", "True", "FailedCreateWorkerPod")), job_state::pending,
               "FailedCreateWorkerPod"},
              {conditions(condition("RayClusterProvisioned", "False", "RayClusterPodsProvisioning")),
               job_state::pending, "RayClusterPodsProvisioning"},
              // What ray_operator says besides: what it refuses, and what waits, also of one that was ready once.
              {conditions(condition("SpecValid", "False", "InvalidSpec")), job_state::failed, "InvalidSpec"},
              {conditions(condition("SpecValid", "True", "Valid")), job_state::created},
              {conditions(condition("RayClusterProvisioned", "False", "RayClusterPodsProvisioning") + "," +
                          condition("ResourcesAvailable", "False", "PodsHeldBack")),
               job_state::pending, "PodsHeldBack"},
              {conditions(condition("GpuPlacement", "False", "NoSuitableNode")), job_state::pending, "NoSuitableNode"},
              {R"("state":"ready",)" + conditions(condition("ResourcesAvailable", "False", "PodsHeldBack")),
               job_state::running, "PodsHeldBack"},
              {R"("state":"ready",)" + conditions(condition("ResourcesAvailable", "True", "NoProblem")),
               job_state::running},
          });
    const auto job =
        seen("RayCluster", R"("headGroupSpec":{},"workerGroupSpecs":[{"replicas":2,)" + std::string(eight_gpus) + "}]",
             R"("state":"ready","desiredWorkerReplicas":2,"readyWorkerReplicas":1)")
            .view;
    CHECK(job.gpus == 16);
    CHECK(replicas(job) == "Worker:2/1/0/0");
}

TEST_CASE("ruled kinds: LeaderWorkerSet, whose numbers are of groups") {
    check("LeaderWorkerSet", {
                                 {"", job_state::created},
                                 {R"("replicas":2)", job_state::pending},
                                 {conditions(condition("Progressing", "True", "GroupsProgressing")), job_state::pending,
                                  "GroupsProgressing"},
                                 {conditions(condition("Progressing", "True", "GroupsProgressing") + "," +
                                             condition("Available", "True", "AllGroupsReady")),
                                  job_state::running, "AllGroupsReady"},
                             });
    const std::string worker =
        R"("workerTemplate":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]}})";
    const std::string leader = R"(,"leaderTemplate":{"spec":{"containers":[{}]}})";
    const auto with = [&](const std::string& templates) {
        return seen("LeaderWorkerSet", R"("replicas":3,"leaderWorkerTemplate":{"size":4,)" + templates + "}",
                    R"("readyReplicas":2)")
            .view;
    };
    CHECK(with(worker).gpus == 3 * 4 * 8);
    CHECK(with(worker + leader).gpus == 3 * 3 * 8);
    CHECK(replicas(with(worker)) == "Group:3/2/0/0");
}

TEST_CASE("ruled kinds: a kind of the user's own, by phases, with sums") {
    const auto more = extra_kinds::read(R"(
kinds:
- group: batch.volcano.sh
  versions: [v1alpha1]
  kind: Job
  plural: jobs
  name: VolcanoJob
  states:
  - {state: Failed, field: status.state.phase, values: [Failed, Aborted, Terminated]}
  - {state: Succeeded, field: status.state.phase, values: [Completed]}
  - {state: Running, field: status.state.phase, values: [Running, Completing]}
  - {state: Restarting, field: status.state.phase, values: [Restarting]}
  otherwise: Pending
  reason: status.state.reason
  message: status.state.message
  completionTime: status.state.lastTransitionTime
  replicas:
  - {type: Pod, desired: 'spec.tasks[].replicas', active: status.running, succeeded: status.succeeded, failed: status.failed}
  gpus:
  - {items: spec.tasks, templates: [template], times: [replicas]}
  pods: {label: volcano.sh/job-name, type: volcano.sh/task-spec}
)");
    REQUIRE_MESSAGE(more.has_value(), (more ? std::string() : more.error().message()));
    check("VolcanoJob", {
                            {"", job_state::pending},
                            {R"("state":{"phase":"Running"})", job_state::running},
                            {R"("state":{"phase":"Aborted","reason":"by hand"})", job_state::failed, "by hand"},
                        });
    const auto job =
        seen("VolcanoJob", R"("tasks":[{"replicas":1,"template":{}},{"replicas":4,)" + std::string(eight_gpus) + "}]",
             R"("state":{"phase":"Failed","message":"OOM","lastTransitionTime":"2026-11-21T08:00:00Z"},)"
             R"("running":1,"failed":4)")
            .view;
    CHECK(job.message == "OOM");
    CHECK(job.gpus == 32);
    CHECK(replicas(job) == "Pod:5/1/0/4");
    CHECK(to_rfc3339(job.completion_time.value_or(0)) == "2026-11-21T08:00:00Z");
    CHECK(choose_kinds({"VolcanoJob"}).size() == 1);
}

TEST_CASE("ruled kinds: objects that are not as they should be are shown as far as they can be read") {
    for (const char* status :
         {R"("conditions":{})", R"("conditions":[1,{"type":3},null])", R"("conditions":null)",
          R"("replicatedJobsStatus":"x")", R"("replicatedJobsStatus":[1,{"name":2,"active":{}}])"}) {
        CAPTURE(status);
        const auto job = seen("JobSet", R"("replicatedJobs":[{"name":{}},"x"],"suspend":"true")", status);
        CHECK(job.view.name == "j");
        CHECK(job.view.state == job_state::created);
    }
    const auto wild =
        seen("RayJob",
             R"("rayClusterSpec":{"workerGroupSpecs":[{"replicas":-3,)" + std::string(eight_gpus) +
                 R"(},{"replicas":9223372036854775807,"numOfHosts":9223372036854775807,)" + eight_gpus + "}]}",
             "");
    CHECK(wild.view.gpus == 1'000'000'000);
}

TEST_CASE("ruled kinds: what is watched, each under the version that a cluster serves") {
    CHECK(choose_kinds({"JobSet", "LeaderWorkerSet"}).size() == 2);
    const auto ray = choose_kinds({"RayJob"});
    REQUIRE(ray.size() == 1);
    REQUIRE(ray[0].versions.size() == 2);
    CHECK(ray[0].versions[1]->gvk.version == "v1alpha1");
}
