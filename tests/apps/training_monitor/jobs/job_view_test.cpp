#include "jobs/job_view.hpp"

#include "jobs/gpu_quantity.hpp"
#include "web/view_json.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace training_monitor;

namespace {

kcontrol::wall_time at(std::int64_t seconds) { return kcontrol::wall_time(std::chrono::seconds(seconds)); }

}  // namespace

TEST_CASE("states have the names of the interface and can be read back") {
    for (std::size_t i = 0; i < job_state_names.size(); ++i) {
        const auto state = static_cast<job_state>(i);
        CHECK(parse_job_state(to_string(state)) == state);
    }
    CHECK_FALSE(parse_job_state("running"));
    CHECK_FALSE(parse_job_state(""));
}

TEST_CASE("times of an API server are read, anything else is no time") {
    CHECK(parse_rfc3339_seconds("1970-01-01T00:00:00Z") == 0);
    CHECK(parse_rfc3339_seconds("2026-11-21T06:40:30Z") == 1795243230);
    CHECK(parse_rfc3339_seconds("2026-11-21T06:40:30.123456Z") == 1795243230);
    CHECK(parse_rfc3339_seconds("2024-02-29T23:59:59Z") == 1709251199);
    // As programs of other languages write them, of whatever offset and fraction.
    CHECK(parse_rfc3339_seconds("2026-11-21T06:40:30+00:00") == 1795243230);
    CHECK(parse_rfc3339_seconds("2026-11-21T14:40:30.123456789+08:00") == 1795243230);
    CHECK(parse_rfc3339_seconds("2026-11-20T23:10:30.999-07:30") == 1795243230);
    CHECK(parse_rfc3339_seconds("2026-11-21t06:40:30z") == 1795243230);
    for (const char* wrong :
         {"0001-01-01T00:00:00Z", "", "yesterday", "2026-11-21", "2026-11-21T06:40:30", "2026-11-21T06:40:30+0100",
          "2026-11-21T06:40:60Z", "2026-11-21T06:40:30+25:00", "0001-01-01T08:00:00+08:00", "2026-13-21T06:40:30Z",
          "2025-02-29T06:40:30Z", "2026-11-21T24:40:30Z", "2026-11-21T06:40:3xZ", "2026-11-21T06:40:30Zjunk",
          "2026-11-21 06:40:30Z"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_rfc3339_seconds(wrong));
    }
    CHECK(to_rfc3339(1795243230) == "2026-11-21T06:40:30Z");
}

TEST_CASE("duration: to the completion, else to now; none while suspended or when nobody knows") {
    job_view job;
    job.state = job_state::running;
    CHECK_FALSE(duration_seconds(job, at(1000)));
    job.start_time = 100;
    CHECK(duration_seconds(job, at(1000)) == 900);
    CHECK(duration_seconds(job, at(50)) == 0);  // the server's clock is ahead of ours
    job.state = job_state::succeeded;
    CHECK_FALSE(duration_seconds(job, at(1000)));
    job.completion_time = 160;
    CHECK(duration_seconds(job, at(1000)) == 60);
    job.state = job_state::suspended;
    CHECK_FALSE(duration_seconds(job, at(1000)));
}

TEST_CASE("quantities of GPUs come to whole numbers") {
    struct row {
        const char* text;
        std::int64_t count;
    };
    for (const auto& one :
         {row{"8", 8}, row{"0", 0}, row{"1k", 1000}, row{"2Ki", 2048}, row{"500m", 1}, row{"1e1", 10}, row{"-1", 0},
          row{"", 0}, row{"eight", 0}, row{"8 GPUs", 0}, row{"nan", 0}, row{"inf", 0}, row{"1e300", 1000000000}}) {
        CAPTURE(one.text);
        CHECK(quantity_ceil(one.text) == one.count);
    }
}

TEST_CASE("the JSON of a job has exactly the fields of the interface") {
    job_view job;
    job.cluster = "a";
    job.namespace_ = "ml";
    job.name = "bert";
    job.kind = "PyTorchJob";
    job.api_version = "kubeflow.org/v1";
    job.uid = "u1";
    job.state = job_state::running;
    job.reason = "PyTorchJobRunning";
    job.message = "it \"runs\"\n";
    job.start_time = 0;
    job.gpus = 16;
    job.replicas = {{"Master", 1, 1, 0, 0}, {"Worker", 2, 1, 0, 1}};
    job.labels = job_labels::from(std::map<std::string, std::string>{{"team", "nlp"}});
    kcontrol::json::writer out;
    write(out, job, at(61));
    CHECK(out.take() ==
          R"({"cluster":"a","namespace":"ml","name":"bert","kind":"PyTorchJob","apiVersion":"kubeflow.org/v1",)"
          R"("uid":"u1","state":"Running","reason":"PyTorchJobRunning","message":"it \"runs\"\n","why":"",)"
          R"("startTime":"1970-01-01T00:00:00Z","completionTime":null,"durationSeconds":61,"gpus":16,)"
          R"("replicas":{"Master":{"desired":1,"active":1,"succeeded":0,"failed":0},)"
          R"("Worker":{"desired":2,"active":1,"succeeded":0,"failed":1}},"terminating":false,)"
          R"("labels":{"team":"nlp"}})");
    write(out, job, at(61), job_state::pending);
    CHECK(out.take().find(R"("state":"Running","previousState":"Pending",)") != std::string::npos);
}

TEST_CASE("the JSON of a job has only the fields that were asked for") {
    for (std::size_t i = 0; i < job_field_names.size(); ++i) {
        CAPTURE(job_field_names[i]);
        const auto which = parse_job_field(job_field_names[i]);
        REQUIRE(which.has_value());
        CHECK(static_cast<std::size_t>(*which) == i);
        job_fields one;
        one.add(*which);
        kcontrol::json::writer out;
        write(out, job_view(), at(0), job_state::pending, one);
        const auto text = out.take();
        if (*which == job_field::gpu_usage) {  // who knows of it writes it (web/usage_json.hpp)
            CHECK(text == "{}");
            continue;
        }
        CHECK(text.starts_with("{\"" + std::string(job_field_names[i]) + "\":"));
        CHECK(text.find(",\"") == std::string::npos);
    }
    CHECK(!parse_job_field("spec"));
}

TEST_CASE("the JSON of a cluster has exactly the fields of the interface") {
    cluster_view cluster;
    cluster.name = "a";
    cluster.state = "live";
    cluster.server = "https://10.0.0.1:6443";
    cluster.generation = 2;
    cluster.last_sync = "2026-11-21T06:40:30Z";
    cluster.kinds = {{"Job", "batch/v1", "live", "", 3, 1, 4, ""}};
    kcontrol::json::writer out;
    write(out, cluster);
    CHECK(
        out.text() ==
        R"({"name":"a","state":"live","reason":"","server":"https://10.0.0.1:6443","generation":2,)"
        R"("lastSync":"2026-11-21T06:40:30Z","pods":null,"podsReason":"","kinds":[{"kind":"Job","apiVersion":"batch/v1",)"
        R"("state":"live","reason":"","objects":3,"lists":1,"watches":4,"lastEvent":null,)"
        R"("invalid":0,"serverChanges":0,"rollbacks":0}]})");
}

TEST_CASE("labels are kept in one string") {
    const std::map<std::string, std::string> from{{"a", ""}, {"kueue.x-k8s.io/queue-name", "gold"}, {"team", "nlp"}};
    const auto labels = job_labels::from(from);
    CHECK(labels.find("team") == "nlp");
    CHECK(labels.find("a") == "");
    CHECK_FALSE(labels.find("tea"));
    CHECK_FALSE(job_labels().find(""));
    REQUIRE(labels.all().size() == 3);
    CHECK(labels.all()[1] == std::pair<std::string_view, std::string_view>("kueue.x-k8s.io/queue-name", "gold"));
    CHECK(job_labels().all().empty());
}
