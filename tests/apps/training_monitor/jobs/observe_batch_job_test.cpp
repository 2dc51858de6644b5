// batch/v1 Job: what its controller writes and what it does not.
#include "support.hpp"

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

job_view batch(std::string_view conditions, std::string_view status = "", std::string_view spec = "") {
    return observed<batch_job>(spec, conditions, status).view;
}

}  // namespace

TEST_CASE("batch job: without a Running condition the state comes from active and ready") {
    struct row {
        const char* status;
        job_state state;
    };
    const row rows[] = {
        {R"("active":0)", job_state::created},
        {R"("startTime":"2026-11-21T06:30:00Z")", job_state::pending},
        {R"("startTime":"2026-11-21T06:30:00Z","active":2,"ready":0)", job_state::pending},
        {R"("startTime":"2026-11-21T06:30:00Z","active":2,"ready":1)", job_state::running},
        {R"("startTime":"2026-11-21T06:30:00Z","active":2)", job_state::running},  // servers before 1.24
        {R"("startTime":"2026-11-21T06:30:00Z","active":1,"ready":0,"failed":1)", job_state::restarting},
        {R"("startTime":"2026-11-21T06:30:00Z","active":0,"ready":0,"failed":1)", job_state::restarting},
        {R"("startTime":"2026-11-21T06:30:00Z","active":1,"ready":1,"failed":3)", job_state::running},
        {R"("startTime":"2026-11-21T06:30:00Z","active":0,"ready":0,"succeeded":1)", job_state::running},
    };
    for (const auto& r : rows) {
        CAPTURE(r.status);
        CHECK(batch("", r.status).state == r.state);
    }
}

TEST_CASE("batch job: it is finished when Complete or Failed says so, and not before") {
    const std::string target = condition("FailureTarget", "True", "PodFailurePolicy");
    const auto settled = batch(target, R"("startTime":"2026-11-21T06:30:00Z","terminating":1,"failed":1)");
    CHECK(settled.state == job_state::running);
    CHECK(settled.reason == "PodFailurePolicy");
    CHECK_FALSE(settled.completion_time);
    CHECK(batch(condition("SuccessCriteriaMet", "True", "SuccessPolicy")).state == job_state::running);
    const auto failed = batch(target + "," + condition("Failed", "True", "PodFailurePolicy"));
    CHECK(failed.state == job_state::failed);
    CHECK(batch(condition("SuccessCriteriaMet", "True") + "," + condition("Complete", "True", "CompletionsReached"))
              .state == job_state::succeeded);
    CHECK(batch(condition("FailureTarget", "False") + "," + condition("Complete", "False"), R"("active":1)").state ==
          job_state::running);
}

TEST_CASE("batch job: the time of a failure is that of its condition, completionTime is of successes only") {
    const auto failed = batch(condition("Failed", "True", "BackoffLimitExceeded", "2026-11-21T06:55:00Z"),
                              R"("startTime":"2026-11-21T06:30:00Z","failed":7)");
    CHECK(failed.completion_time == parse_rfc3339_seconds("2026-11-21T06:55:00Z"));
    CHECK(failed.reason == "BackoffLimitExceeded");
    const auto done = batch(condition("Complete", "True"),
                            R"("startTime":"2026-11-21T06:30:00Z","completionTime":"2026-11-21T06:40:00Z")");
    CHECK(done.completion_time == parse_rfc3339_seconds("2026-11-21T06:40:00Z"));
}

TEST_CASE("batch job: suspended, and the start time is that of the last resume") {
    const std::string suspended = condition("Suspended", "True", "JobSuspended");
    const auto job = batch(suspended, "", R"("suspend":true)");
    CHECK(job.state == job_state::suspended);
    CHECK_FALSE(job.start_time);
    CHECK(batch(suspended, "", R"("suspend":false)").state == job_state::created);
    const auto resumed = batch(condition("Suspended", "False", "JobResumed"),
                               R"("startTime":"2026-11-21T09:00:00Z","active":1,"ready":1)");
    CHECK(resumed.state == job_state::running);
    CHECK(resumed.start_time == parse_rfc3339_seconds("2026-11-21T09:00:00Z"));
}

TEST_CASE("batch job: queued while Kueue's queue holds it, which only a label tells from suspended") {
    struct row {
        const char* labels;
        const char* suspend;
        const char* suspended;
        const char* status;
        job_state state;
    };
    const char* const queue = R"("labels":{"kueue.x-k8s.io/queue-name":"team"})";
    const row rows[] = {
        {queue, "true", "True", "", job_state::queued},
        {R"("labels":{"kueue.x-k8s.io/queue-name":""})", "true", "True", "", job_state::suspended},
        {R"("labels":{"kueue.x-k8s.io/priority-class":"high"})", "true", "True", "", job_state::suspended},
        {R"("annotations":{"kueue.x-k8s.io/queue-name":"team"})", "true", "True", "", job_state::suspended},
        {queue, "false", "True", "", job_state::created},  // admitted, its controller has not seen it yet
        {queue, "false", "False", R"("startTime":"2026-11-21T09:00:00Z","active":1,"ready":1)", job_state::running},
        // Preempted: running until its pods are gone.
        {queue, "true", "False", R"("startTime":"2026-11-21T09:00:00Z","active":1,"ready":1)", job_state::running},
    };
    for (const auto& r : rows) {
        CAPTURE(r.labels);
        CAPTURE(r.suspend);
        const auto job = observed<batch_job>(R"("suspend":)" + std::string(r.suspend),
                                             condition("Suspended", r.suspended, "JobSuspended"), r.status, r.labels);
        CHECK(job.view.state == r.state);
        if (r.state != job_state::queued) continue;
        CHECK(job.view.reason == "NotAdmitted");
        CHECK(job.view.message == "the queue team has not admitted it");
    }
    const std::string finished = condition("Suspended", "True") + "," + condition("Failed", "True");
    CHECK(observed<batch_job>(R"("suspend":true)", finished, "", queue).view.state == job_state::failed);
}

TEST_CASE("batch job: a job that another controller manages says so until that one writes a status") {
    const auto managed = batch("", "", R"("managedBy":"kueue.x-k8s.io/multikueue")");
    CHECK(managed.state == job_state::created);
    CHECK(managed.reason == "ManagedBy");
    CHECK(managed.message == "its manager kueue.x-k8s.io/multikueue has written no status yet");
    CHECK(batch("", "", R"("managedBy":"kubernetes.io/job-controller")").reason.empty());
    CHECK(batch("", R"("active":1,"ready":1)", R"("managedBy":"kueue.x-k8s.io/multikueue")").state ==
          job_state::running);
}

TEST_CASE("batch job: pods and GPUs") {
    const char* pod = R"("template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}})";
    const auto plain = batch("", R"("active":1)", pod);
    CHECK(plain.replicas.at(0) == replica_counts{"Pod", 1, 1, 0, 0});
    CHECK(plain.gpus == 2);
    const auto many =
        batch("", R"("succeeded":3,"failed":1)", std::string(R"("completions":10,"parallelism":4,)") + pod);
    CHECK(many.replicas.at(0) == replica_counts{"Pod", 10, 0, 3, 1});
    CHECK(many.gpus == 8);  // four at once
    CHECK(batch("", "", std::string(R"("completions":1,"parallelism":4,)") + pod).gpus == 2);
    CHECK(batch("", "", std::string(R"("parallelism":0,)") + pod).gpus == 0);
}

TEST_CASE("batch job: a step of a TrainJob is known by its label") {
    CHECK(observed<batch_job>("", "", "", R"("labels":{"trainer.kubeflow.org/trainjob-ancestor-step":"trainer"})")
              .part_of_train_job);
    CHECK_FALSE(observed<batch_job>("", "", "", R"("labels":{"app":"x"})").part_of_train_job);
}
