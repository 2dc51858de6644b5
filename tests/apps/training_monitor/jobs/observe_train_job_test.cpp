// TrainJob: no Running condition and no times; both are derived.
#include "support.hpp"

#include <limits>

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

job_view train(std::string_view conditions, std::string_view jobs_status = "", std::string_view spec = "") {
    const std::string status = jobs_status.empty() ? "" : R"("jobsStatus":[)" + std::string(jobs_status) + "]";
    return observed<train_job>(spec, conditions, status).view;
}

std::string child(std::string_view name, std::int64_t ready, std::int64_t succeeded, std::int64_t failed,
                  std::int64_t active, std::int64_t suspended = 0) {
    return R"({"name":")" + std::string(name) + R"(","ready":)" + std::to_string(ready) + R"(,"succeeded":)" +
           std::to_string(succeeded) + R"(,"failed":)" + std::to_string(failed) + R"(,"active":)" +
           std::to_string(active) + R"(,"suspended":)" + std::to_string(suspended) + "}";
}

}  // namespace

TEST_CASE("train job: its running is derived from the counts of its child Jobs") {
    CHECK(train("").state == job_state::created);
    CHECK(train("", child("node", 0, 0, 0, 0)).state == job_state::created);
    CHECK(train("", child("node", 0, 0, 0, 1)).state == job_state::pending);
    CHECK(train("", child("node", 1, 0, 0, 1)).state == job_state::running);
    CHECK(train("", child("node", 0, 0, 1, 0)).state == job_state::restarting);
    CHECK(train("", child("dataset-initializer", 0, 1, 0, 0) + "," + child("node", 0, 0, 0, 1)).state ==
          job_state::pending);
    CHECK(train("", child("node", 0, 1, 0, 0)).state == job_state::running);  // Complete is about to come
}

TEST_CASE("train job: Complete, Failed and Suspended are conditions") {
    const std::string running = child("node", 1, 0, 0, 1);
    CHECK(train(condition("Complete", "True", "AllJobsCompleted"), running).state == job_state::succeeded);
    const auto failed = train(condition("Failed", "True", "DeadlineExceeded", "2026-11-21T07:10:00Z"), running);
    CHECK(failed.state == job_state::failed);
    CHECK(failed.reason == "DeadlineExceeded");
    CHECK(failed.completion_time == parse_rfc3339_seconds("2026-11-21T07:10:00Z"));
    CHECK(train(condition("Failed", "True", "TrainingRuntimeNotSupported")).reason == "TrainingRuntimeNotSupported");
    CHECK(train(condition("Suspended", "True", "Suspended"), "", R"("suspend":true)").state == job_state::suspended);
    CHECK(train(condition("Suspended", "True", "Suspended"), running).state == job_state::running);
    CHECK(train(condition("Complete", "False"), running).state == job_state::running);
}

TEST_CASE("train job: queued while Kueue's queue holds it; then it has not started") {
    const auto job = observed<train_job>(R"("suspend":true)", condition("Suspended", "True", "Suspended"), "",
                                         R"("labels":{"kueue.x-k8s.io/queue-name":"team"})");
    CHECK(job.view.state == job_state::queued);
    CHECK_FALSE(job.view.start_time);
}

TEST_CASE("train job: it starts with its creation, or with its last resume") {
    const std::string running = child("node", 1, 0, 0, 1);
    CHECK(train("", running).start_time == parse_rfc3339_seconds("2026-11-21T06:00:00Z"));
    CHECK(train(condition("Suspended", "False", "Resumed", "2026-11-21T07:30:00Z"), running).start_time ==
          parse_rfc3339_seconds("2026-11-21T07:30:00Z"));
    CHECK_FALSE(train("").start_time);
}

TEST_CASE("train job: nodes, GPUs and child Jobs") {
    const auto job = train("", child("node", 1, 0, 0, 1) + "," + child("dataset-initializer", 0, 1, 0, 0),
                           R"("trainer":{"numNodes":4,"resourcesPerNode":{"limits":{"nvidia.com/gpu":"8"}}})");
    CHECK(job.gpus == 32);
    REQUIRE(job.replicas.size() == 2);
    CHECK(job.replicas[0] == replica_counts{"dataset-initializer", 1, 0, 1, 0});
    CHECK(job.replicas[1] == replica_counts{"node", 1, 1, 0, 0});
    CHECK(job.api_version == "trainer.kubeflow.org/v1alpha1");
}

TEST_CASE("train job: counts that no JobSet has are shown, and overflow nothing") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    const auto job = train("", child("node", most, most, most, most, most) + "," + child("other", most, least, 0, -1));
    CHECK(job.state == job_state::running);
    REQUIRE(job.replicas.size() == 2);
    CHECK(job.replicas[0] == replica_counts{"node", std::int64_t{4} * 2147483647, most, most, most});
    CHECK(job.replicas[1] == replica_counts{"other", 1, -1, least, 0});
}
