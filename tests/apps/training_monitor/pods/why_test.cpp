// Why a job failed or waits: a table of pods and events, and the sentence that they come to.
#include "pods/why.hpp"

#include "pods/event_record.hpp"
#include "pods/exit_code.hpp"
#include "pods/pods.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

job_evidence pods(std::vector<training_pod> from, std::vector<object_event> events = {}) {
    job_evidence out;
    for (const auto& pod : from) out.pods.push_back(row_of(pod));
    out.events = std::move(events);
    return out;
}

object_event warning(std::string kind, std::string reason, std::string message, std::int64_t at = 1) {
    return {std::move(kind), "bert", "Warning", std::move(reason), std::move(message), 1, at};
}

constexpr const char* nodes = "0/12 nodes are available: 12 Insufficient nvidia.com/gpu.";

struct line {
    const char* name;
    job_state state;
    job_evidence evidence;
    std::string why;
};

}  // namespace

TEST_CASE("why: what a failed job died of") {
    const auto now = job_state::failed;
    const std::vector<line> table{
        {"exit 1 with last words", now, pods({worker(1, ended(1, "Error", "CUDA error: device-side assert"))}),
         "Worker 1 (rank 2) on node-3: exit code 1: CUDA error: device-side assert"},
        {"exit 137 is a kill, and no more is known", now, pods({worker(0, ended(137))}),
         "Worker 0 (rank 1) on node-3: exit code 137, killed (SIGKILL)"},
        {"the kubelet says that memory was short", now, pods({worker(0, ended(137, "OOMKilled"))}),
         "Worker 0 (rank 1) on node-3: exit code 137, killed (SIGKILL), out of memory (OOMKilled)"},
        {"a segmentation fault", now, pods({worker(0, ended(139))}),
         "Worker 0 (rank 1) on node-3: exit code 139, segmentation fault (SIGSEGV)"},
        {"too little shared memory", now, pods({worker(0, ended(135))}),
         "Worker 0 (rank 1) on node-3: exit code 135, bus error (SIGBUS): often too little shared memory, /dev/shm"},
        {"no such command", now, pods({worker(0, ended(127))}),
         "Worker 0 (rank 1) on node-3: exit code 127, the command is not in the image"},
        {"it could not start", now, pods({worker(0, ended(128, "StartError", "no such file"))}),
         "Worker 0 (rank 1) on node-3: exit code 128, it could not be started (StartError): no such file"},
        {"the first to fail counts, for the others fail of it", now,
         pods({worker(0, ended(1, "Error", "peer is gone", "2026-11-21T07:00:05Z")),
               worker(1, ended(1, "Error", "loss is NaN", "2026-11-21T07:00:01Z"))}),
         "Worker 1 (rank 2) on node-3: exit code 1: loss is NaN"},
        {"who was told to end did not begin it", now,
         pods({worker(0, ended(143, "Error", "", "2026-11-21T07:00:00Z")),
               worker(1, ended(1, "Error", "loss is NaN", "2026-11-21T07:00:01Z"))}),
         "Worker 1 (rank 2) on node-3: exit code 1: loss is NaN"},
        {"evicted: no container says anything", now,
         pods({worker(0, R"("phase":"Failed","reason":"Evicted","message":"The node was low on memory.")")}),
         "Worker 0 (rank 1) on node-3: Evicted: The node was low on memory."},
        {"preempted while it ran", now, pods({worker(0, ended(137) + R"(,"reason":"Preempting")")}),
         "Worker 0 (rank 1) on node-3: exit code 137, killed (SIGKILL), Preempting"},
        {"preempted and killed at once", now,
         pods({worker(0, R"("phase":"Running",)" + disrupted("PreemptionByScheduler", "a pod of higher priority"))}),
         "Worker 0 (rank 1) on node-3: preempted by a pod of higher priority (PreemptionByScheduler): a pod of higher "
         "priority"},
        {"what the cluster ended counts before those that failed of it", now,
         pods({worker(0, ended(1, "Error", "peer is gone", "2026-11-21T07:00:09Z")),
               worker(1, ended(143, "Error", "", "2026-11-21T07:00:10Z") + "," + disrupted("EvictionByEvictionAPI"))}),
         "Worker 1 (rank 2) on node-3: exit code 143, terminated (SIGTERM), evicted by somebody, as when a node is "
         "drained (EvictionByEvictionAPI)"},
        {"a failure before the disruption counts", now,
         pods({worker(0, ended(1, "Error", "loss is NaN", "2026-11-21T06:59:59Z")),
               worker(1, R"("phase":"Running",)" + disrupted("DeletionByTaintManager"))}),
         "Worker 0 (rank 1) on node-3: exit code 1: loss is NaN"},
        {"who succeeded was not disrupted", now,
         pods({worker(0, ended(0) + "," + disrupted("DeletionByPodGC"))},
              {warning("PyTorchJob", "FailedCreatePod", "exceeded quota: team")}),
         "PyTorchJob bert: FailedCreatePod: exceeded quota: team"},
        {"a disruption that we do not know", now,
         pods({worker(0, R"("phase":"Running",)" + disrupted("SomethingNew", "it says why"))}),
         "Worker 0 (rank 1) on node-3: SomethingNew: it says why"},
        {"an init container", now,
         pods({worker(0, R"("phase":"Failed","initContainerStatuses":[{"name":"fetch","state":{"terminated":)"
                         R"({"exitCode":2,"reason":"Error"}}}])")}),
         "Worker 0 (rank 1) on node-3, init container fetch: exit code 2"},
        {"a restart hides the end before it", now,
         pods({worker(0, R"("phase":"Running","containerStatuses":[{"name":"pytorch","restartCount":3,"lastState":)"
                         R"({"terminated":{"exitCode":1,"reason":"Error","message":"boom"}}}])")}),
         "Worker 0 (rank 1) on node-3: exit code 1: boom"},
        {"pods of an earlier job of the name do not count", now,
         pods({worker(0, ended(1), R"("nodeName":"node-3")", "another")}), ""},
        {"nothing failed: events tell", now,
         pods({}, {warning("PyTorchJob", "FailedCreatePod", "exceeded quota: team")}),
         "PyTorchJob bert: FailedCreatePod: exceeded quota: team"},
        {"pods tell more than events", now,
         pods({worker(0, ended(1))}, {warning("Pod", "BackOff", "restarting failed container")}),
         "Worker 0 (rank 1) on node-3: exit code 1"},
        {"nothing is known", now, {}, ""},
    };
    for (const auto& one : table) {
        CAPTURE(one.name);
        CHECK(find_cause(bert(one.state), one.evidence).text == one.why);
    }
}

TEST_CASE("why: what a job waits for") {
    const auto now = job_state::pending;
    const std::vector<line> table{
        {"no GPU is free", now, pods({worker(0, unscheduled(nodes), ""), worker(1, unscheduled(nodes), "")}),
         std::string("ranks 1 and 2 unschedulable: ") + nodes},
        {"a gate", now, pods({worker(0, unscheduled("Scheduling is blocked", "SchedulingGated"), "")}),
         "Worker 0 (rank 1) isn't scheduled (SchedulingGated): Scheduling is blocked"},
        {"the image", now, pods({worker(1, waits("ImagePullBackOff", "Back-off pulling image"))}),
         "Worker 1 (rank 2) on node-3: can't pull the image (ImagePullBackOff): Back-off pulling image"},
        {"a config map", now, pods({worker(0, waits("CreateContainerConfigError", "configmap c not found"))}),
         "Worker 0 (rank 1) on node-3: can't start the container (CreateContainerConfigError): configmap c not found"},
        {"the image counts before the node of another", now,
         pods({worker(0, unscheduled(nodes), ""), worker(1, waits("ErrImagePull", "denied"))}),
         "Worker 1 (rank 2) on node-3: can't pull the image (ErrImagePull): denied"},
        {"it crashes", now,
         pods({worker(
             0, R"("phase":"Running","containerStatuses":[{"name":"pytorch","restartCount":3,"state":{"waiting":)"
                R"({"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}])")}),
         "Worker 0 (rank 1) on node-3: exit code 1; crash looping: 3 restarts, next try in < 40 s"},
        {"a volume", now,
         pods({worker(0, waits("ContainerCreating"))}, {warning("Pod", "FailedMount", "secret \"s\" not found")}),
         "Pod bert: FailedMount: secret \"s\" not found"},
        {"the volume counts before a warning that came later", now,
         pods({}, {warning("Pod", "FailedMount", "no volume", 1), warning("PyTorchJob", "Odd", "later", 2)}),
         "Pod bert: FailedMount: no volume"},
        {"a quota", now, pods({}, {warning("PyTorchJob", "FailedCreatePod", "exceeded quota: gpus")}),
         "PyTorchJob bert: FailedCreatePod: exceeded quota: gpus"},
        {"the newest of two", now, pods({}, {warning("Job", "A", "old", 1), warning("Job", "B", "new", 2)}),
         "Job bert: B: new"},
        {"what is normal explains nothing", now,
         pods({worker(0, waits("ContainerCreating"))}, {{"Pod", "bert", "Normal", "Pulling", "Pulling image", 1, 1}}),
         ""},
        {"Kueue's words", job_state::queued,
         pods({},
              {{"Workload", "job-bert", "Normal", "Pending", "insufficient unused quota for nvidia.com/gpu", 1, 1}}),
         "Workload job-bert: Pending: insufficient unused quota for nvidia.com/gpu"},
        {"one that runs lacks a pod", job_state::running,
         pods({worker(0, R"("phase":"Running")"), worker(1, unscheduled(nodes), "")}),
         std::string("Worker 1 (rank 2) unschedulable: ") + nodes},
        {"one that runs and has all needs no reason", job_state::running,
         pods({worker(0, R"("phase":"Running")")}, {warning("Pod", "Unhealthy", "probe")}), ""},
        {"one that is suspended needs none", job_state::suspended, pods({worker(0, unscheduled(nodes), "")}), ""},
        {"nor one that succeeded", job_state::succeeded, pods({worker(0, ended(1))}), ""},
        {"a pod that goes is not waited for", now,
         pods({pod_from(R"({"metadata":{"name":"x","namespace":"ml","deletionTimestamp":"2026-11-21T07:00:00Z"},)"
                        R"("status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
                        R"("reason":"Unschedulable","message":"none"}]}})")}),
         ""},
    };
    for (const auto& one : table) {
        CAPTURE(one.name);
        CHECK(find_cause(bert(one.state), one.evidence).text == one.why);
    }
}

TEST_CASE("why: the pod and the container that it is about") {
    const auto cause = find_cause(bert(job_state::failed), pods({worker(1, ended(1))}));
    CHECK(cause.pod == "bert-worker-1");
    CHECK(cause.container == "pytorch");
    CHECK_FALSE(cause.earlier);
}

TEST_CASE("why: a pod that failed and was deleted still says why") {
    job_evidence known;
    known.gone_failure = row_of(worker(0, ended(137, "OOMKilled")));
    const auto cause = find_cause(bert(job_state::restarting), known);
    CHECK(cause.text == "Worker 0 (rank 1) on node-3: exit code 137, killed (SIGKILL), out of memory (OOMKilled)");
    CHECK(cause.earlier);
}

TEST_CASE("why: a pod that hangs on a lost node, of a job that has not failed yet") {
    job_evidence known = pods(
        {worker(0, R"("phase":"Running")"), worker(1, R"("phase":"Running",)" + disrupted("DeletionByTaintManager"))});
    CHECK(find_cause(bert(job_state::running), known).text.empty());
    known.pods[1].terminating = true;
    CHECK(find_cause(bert(job_state::running), known).text ==
          "Worker 1 (rank 2) on node-3: node node-3 not ready (NoExecute taint)");
    known.pods.push_back(row_of(worker(2, unscheduled(nodes), "")));  // the pod in its place matters more
    CHECK(find_cause(bert(job_state::running), known).text == std::string("Worker 2 (rank 3) unschedulable: ") + nodes);
}

TEST_CASE("why: of a job that ran out of time no container is to blame") {
    job_view job = bert(job_state::failed);
    job.reason = "DeadlineExceeded";
    CHECK(find_cause(job, pods({worker(0, ended(137))})).text.empty());
}

TEST_CASE("why: the replicas of an ended job are what its pods came to") {
    job_view job = bert(job_state::failed);
    job.replicas = {{"Master", 1, 1, 0, 0}, {"Worker", 2, 2, 0, 0}};
    const auto known = pods({worker(0, ended(1)), worker(1, ended(0))});
    CHECK(correct_replicas(job, known));
    CHECK(job.replicas == std::vector<replica_counts>{{"Master", 1, 1, 0, 0}, {"Worker", 2, 0, 1, 1}});
    CHECK_FALSE(correct_replicas(job, known));
    job_view runs = bert(job_state::running);
    CHECK_FALSE(correct_replicas(runs, known));
}

TEST_CASE("why: the pods of a failed job that were deleted are not active") {
    job_view job = bert(job_state::failed);
    job.replicas = {{"Master", 1, 1, 0, 0}, {"Worker", 2, 2, 0, 0}};
    job_evidence known;
    known.deleted = {row_of(worker(0, R"("phase":"Running")")), row_of(worker(1, ended(1)))};
    for (auto& pod : known.deleted) pod.deleted_at = 1;
    CHECK(correct_replicas(job, known));
    CHECK(job.replicas == std::vector<replica_counts>{{"Master", 1, 1, 0, 0}, {"Worker", 2, 0, 0, 1}});
}

TEST_CASE("why: what keeps a job from training") {
    struct row {
        const char* name;
        job_state state;
        job_evidence evidence;
        trouble what;
        std::int64_t count;
        job_state shown;
    };
    const auto crashed = [](int restarts, std::string_view state, std::string_view finished) {
        return worker(0, R"("phase":"Running","containerStatuses":[{"name":"pytorch","restartCount":)" +
                             std::to_string(restarts) + R"(,"state":)" + std::string(state) +
                             R"(,"lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":")" +
                             std::string(finished) + R"("}}}])");
    };
    const auto at = [](job_evidence of, std::int64_t seconds) {
        of.at = seconds;
        return of;
    };
    const char* const waiting = R"({"waiting":{"reason":"CrashLoopBackOff"}})";
    const char* const runs = R"({"running":{}})";
    const char* const seven = "2026-11-21T07:00:00Z";
    const std::int64_t seven_seconds = 1795244400;
    const char* const gpu = R"("nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}])";
    using enum job_state;
    const std::vector<row> table{
        {"a crash loop is not Running", job_state::running,
         at(pods({crashed(6, waiting, seven)}), seven_seconds + 9000), trouble::crash_loop, 6, restarting},
        {"between two crashes neither", job_state::running, at(pods({crashed(3, runs, seven)}), seven_seconds + 599),
         trouble::crash_loop, 3, restarting},
        {"it ran for ten minutes since", job_state::running, at(pods({crashed(3, runs, seven)}), seven_seconds + 600),
         trouble::none, 0, job_state::running},
        {"two restarts are none", job_state::running, at(pods({crashed(2, runs, seven)}), seven_seconds), trouble::none,
         0, job_state::running},
        {"an image", pending, pods({worker(0, waits("ErrImagePull"))}), trouble::image, 0, pending},
        {"a config map", pending, pods({worker(0, waits("CreateContainerConfigError"))}), trouble::configuration, 0,
         pending},
        {"no node", pending, pods({worker(0, unscheduled(nodes), "")}), trouble::unschedulable, 0, pending},
        {"a volume", pending, pods({worker(0, waits("ContainerCreating"))}, {warning("Pod", "FailedMount", "no")}),
         trouble::volume, 0, pending},
        {"a quota: the operator says nothing", unknown,
         pods({},
              {warning("PyTorchJob", "FailedCreatePod", "pods \"x\" is forbidden: exceeded quota: team, requested")}),
         trouble::quota, 0, pending},
        {"a quota that wants requests", unknown,
         pods({}, {warning("Job", "FailedCreate", "pods \"x\" is forbidden: failed quota: team: must specify cpu")}),
         trouble::quota, 0, pending},
        {"a LimitRange", unknown,
         pods({},
              {warning("Job", "FailedCreate",
                       "pods \"x\" is forbidden: maximum nvidia.com/gpu usage per Container is 4, but limit is 8")}),
         trouble::limit_range, 0, pending},
        {"a webhook", unknown,
         pods({}, {warning("Job", "FailedCreate", "admission webhook \"w\" denied the request: not signed")}),
         trouble::webhook, 0, unknown},
        {"a webhook that is down", unknown,
         pods({}, {warning("Job", "FailedCreate", "Internal error occurred: failed calling webhook \"w\"")}),
         trouble::webhook, 0, unknown},
        {"one that runs has a pod without its volume", job_state::running,
         pods({worker(0, R"("phase":"Running")"), worker(1, waits("ContainerCreating"))},
              {{"Pod", "bert-worker-1", "Warning", "FailedMount", "no", 1, 1}}),
         trouble::volume, 0, job_state::running},
        {"what another pod missed is over", job_state::running,
         pods({worker(0, R"("phase":"Running")"), worker(1, waits("ContainerCreating"))},
              {{"Pod", "bert-worker-0", "Warning", "FailedMount", "no", 1, 1}}),
         trouble::none, 0, job_state::running},
        {"it failed, and its pods hold GPUs", failed,
         pods({worker(0, ended(1), gpu), worker(1, R"("phase":"Running")", gpu)}), trouble::holds_gpus, 4, failed},
        {"it failed, and they hold none", failed, pods({worker(0, ended(1), gpu)}), trouble::none, 0, failed},
        {"a pod without a node holds none", failed,
         pods({worker(0, unscheduled(nodes), R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}])")}),
         trouble::none, 0, failed},
    };
    for (const auto& one : table) {
        CAPTURE(one.name);
        job_view job = bert(one.state);
        explain(job, one.evidence);
        CHECK(job.stuck == one.what);
        CHECK(job.stuck_count == one.count);
        CHECK(job.state == one.shown);
    }
    job_view job = bert(job_state::running);
    explain(job, at(pods({crashed(6, waiting, seven)}), seven_seconds));
    CHECK(job.reason == "CrashLoopBackOff");
    CHECK(job.why == "Worker 0 (rank 1) on node-3: exit code 1; crash looping: 6 restarts, next try in < 5 min");
    CHECK(job.replicas[1].active == 1);
}

TEST_CASE("why: pods that are alike are told together") {
    const auto text = [](int count) {
        job_evidence known;
        for (int i = 0; i < count; ++i) known.pods.push_back(row_of(worker(i, unscheduled(nodes), "")));
        return find_cause(bert(job_state::pending), known).text;
    };
    CHECK(text(3) == std::string("ranks 1, 2 and 3 unschedulable: ") + nodes);
    CHECK(text(8) == std::string("8 pods unschedulable: ") + nodes);
    auto known = pods(
        {worker(0, unscheduled("held", "SchedulingGated"), ""), worker(1, unscheduled("held", "SchedulingGated"), "")});
    CHECK(find_cause(bert(job_state::pending), known).text == "ranks 1 and 2 aren't scheduled (SchedulingGated): held");
    CHECK(find_cause(bert(job_state::failed), pods({worker(0, R"("phase":"Failed","reason":"Evicted","message":")"
                                                              R"(The node was low on resource: memory. Threshold",)" +
                                                                  disrupted("TerminationByKubelet"))}))
              .text ==
          "Worker 0 (rank 1) on node-3: evicted by the node: low on memory: The node was low on resource: "
          "memory. Threshold");
}

TEST_CASE("why: of a traceback the sentence has the exception") {
    const auto known = pods(
        {worker(0, ended(1, "Error", R"(Traceback (most recent call last):\n  File \"t.py\"\nValueError: no data)"))});
    CHECK(find_cause(bert(job_state::failed), known).text ==
          "Worker 0 (rank 1) on node-3: exit code 1: ValueError: no data");
}

TEST_CASE("why: exit codes in words") {
    CHECK(exit_meaning(1, "Error").empty());
    CHECK(exit_meaning(137, "Error") == "killed (SIGKILL)");
    CHECK(exit_meaning(137, "OOMKilled") == "killed (SIGKILL), out of memory");
    CHECK(exit_meaning(1, "OOMKilled") == "out of memory");  // a child of the container's first process was killed
    CHECK(exit_meaning(143, "Error") == "terminated (SIGTERM)");
    CHECK(exit_meaning(162, "Error") == "ended by signal 34");
    CHECK(exit_meaning(255, "Error").empty());
    CHECK(exit_meaning(137, "ContainerStatusUnknown") == "nobody saw how it ended: its node was lost?");
}

TEST_CASE("why: an event as its server wrote it, by the older API and the newer") {
    auto event = kcontrol::from_json<event_record>(
        R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","uid":"u"},"type":"Warning",)"
        R"("reason":"FailedMount","message":"m","count":7,"lastTimestamp":"2026-11-21T07:00:00Z"})");
    REQUIRE(event);
    CHECK(observe(*event) == object_event{"Pod", "p", "Warning", "FailedMount", "m", 7, 1795244400});
    event = kcontrol::from_json<event_record>(
        R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","uid":"u"},"type":"Warning",)"
        R"("reason":"FailedScheduling","message":"m","eventTime":"2026-11-21T06:00:00.123456Z",)"
        R"("series":{"count":3,"lastObservedTime":"2026-11-21T07:00:00.5Z"}})");
    REQUIRE(event);
    CHECK(observe(*event) == object_event{"Pod", "p", "Warning", "FailedScheduling", "m", 3, 1795244400});
}

TEST_CASE("why: how it failed, for what others have in common with it") {
    auto job = bert(job_state::failed);
    explain(job, pods({worker(1, ended(1, "Error", "step 1\\nRuntimeError: NCCL"))}));
    CHECK(*job.failure == job_failure{"node-3", 1, "RuntimeError: NCCL", 1795244400});
    job = bert(job_state::failed);
    explain(job, pods({worker(1, ended(137, "OOMKilled"))}));
    CHECK(*job.failure == job_failure{"node-3", 137, "OOMKilled", 1795244400});
    job = bert(job_state::running);
    explain(job, pods({}));
    CHECK_FALSE(job.failure.present());
}

TEST_CASE("why: a fault of the node's GPU just before is named") {
    auto evidence = pods({worker(1, ended(1, "Error", "CUDA error"))});
    evidence.events.push_back(
        {"Node", "node-3", "Warning", "GPUFailed", "GPU 3 (GPU-a): XID 79: off the bus", 1, 1795244400 - 40});
    auto job = bert(job_state::failed);
    explain(job, evidence);
    CHECK(job.why == "Worker 1 (rank 2) on node-3: exit code 1, 40 s after XID 79 of GPU 3: CUDA error");
    evidence.events[0].name = "node-4";
    job = bert(job_state::failed);
    explain(job, evidence);
    CHECK(job.why == "Worker 1 (rank 2) on node-3: exit code 1: CUDA error");
}
