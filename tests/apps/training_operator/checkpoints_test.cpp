// Checkpoints: what ranks report, what is remembered, and where the next attempt goes on.
#include "decide/checkpoints.hpp"

#include "executors/rank_template.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

const std::string hash(64, 'a');

std::string saved(std::int64_t step, const std::string& more = "") {
    return R"({"checkpoint":{"step":)" + std::to_string(step) + R"(,"uri":"s3://b/)" + std::to_string(step) +
           R"(","sha256":")" + hash + R"("})" + more + "}";
}
rank telling(rank of, const std::string& text) {
    of.told = read_report(text).value_or(report());
    return of;
}
// "120 100x 80, on with 120": those with an x are refused.
std::string kept(const training_job_status& status) {
    std::string out;
    for (const auto& each : status.checkpoints) {
        out += (out.empty() ? "" : " ") + std::to_string(each.step) + (each.refused ? "x" : "");
    }
    return out + (status.checkpoint ? ", on with " + std::to_string(status.checkpoint->step) : ", from the beginning");
}
std::string variable(const training_job& job, std::string_view name) {
    const auto pod = make_rank_pod(job, 0);
    for (const auto& each : pod.spec.containers[0].env) {
        if (each.name == name) return each.value;
    }
    return "none";
}

}  // namespace

TEST_CASE("a report is JSON; what is none, or can't be a checkpoint, is left out") {
    const auto read = read_report(saved(120, R"(,"metrics":{"loss":0.3})"));
    REQUIRE(read);
    REQUIRE(read->saved);
    CHECK(read->saved->step == 120);
    CHECK(read->saved->uri == "s3://b/120");
    CHECK(read->saved->sha256 == hash);
    CHECK_FALSE(read->refused);
    CHECK(read_report(R"({"checkpointRefused":120})")->refused == 120);
    for (const char* text :
         {"", "killed", "[1]", "{", R"({"checkpoint":7})", R"({"checkpoint":{"step":"x","uri":"u"}})"}) {
        CAPTURE(text);
        CHECK_FALSE(read_report(text));
    }
    for (const std::string text : {R"({"checkpoint":{"step":-1,"uri":"u"}})", R"({"checkpoint":{"step":1,"uri":""}})",
                                   R"({"checkpoint":{"step":1,"uri":"a\nb"}})",
                                   R"({"checkpoint":{"step":1,"uri":"u","sha256":"ABC"}})", R"({"metrics":{}})"}) {
        CAPTURE(text);
        REQUIRE(read_report(text));
        CHECK_FALSE(read_report(text)->saved);
    }
}

TEST_CASE("the newest five are kept, by their steps, each once") {
    training_job_status status;
    for (const int step : {20, 40, 30, 40, 60, 50}) {
        CHECK(take_reports({telling(one(0, pod_state::running), saved(step))}, after(step), status) == nullptr);
    }
    CHECK(kept(status) == "60 50 40 30 20, on with 60");
    CHECK(status.checkpoints[2].time == after(40));
    take_reports({telling(one(0, pod_state::running), saved(70))}, after(70), status);
    CHECK(kept(status) == "70 60 50 40 30, on with 70");
    take_reports({telling(one(0, pod_state::running), saved(1))}, after(80), status);
    CHECK(kept(status) == "70 60 50 40 30, on with 70");
    const auto before = status;
    take_reports(all(pod_state::running), after(90), status);
    CHECK(status == before);
}

TEST_CASE("a refused one stays, and the one before it is taken; nobody counts an attempt for that") {
    training_job job = job_in("Running");
    job.status.ready = "2/2";
    gang ranks = all(pod_state::running);
    ranks[1] = telling(ranks[1], saved(100));
    CHECK(decided(job, ranks) == "ready 2/2");
    job.status = decide(job, ranks, after(1)).status;
    ranks[1] = telling(ranks[1], saved(120));
    job.status = decide(job, ranks, after(2)).status;
    CHECK(kept(job.status) == "120 100, on with 120");
    CHECK(decided(job, ranks) == "");

    const gang refusing{telling(failed(0, 160), R"({"checkpointRefused":120})"), failed(1, 1)};
    const plan p = decide(job, refusing, after(3));
    CHECK(words(job, p, after(3)) ==
          "Restarting 0/2 attempt 1: CheckpointRefused, rank 0 refused the checkpoint of step 120, warning");
    CHECK(kept(p.status) == "120x 100, on with 100");
    // The same again, of one that is refused already, or not known: as any exit from 128 on.
    job.status.checkpoints = p.status.checkpoints;
    CHECK(decided(job, {refusing[0], one(1, pod_state::running)}) ==
          "Restarting 0/2 attempt 2: RankFailed, rank 0 exited with code 160; attempt 1 ends, warning");
}

TEST_CASE("what a rank reports with its end counts before that end does") {
    const training_job job = job_in("Running");
    const gang ranks{telling(failed(0, 137), saved(120)), one(1, pod_state::running)};
    const plan p = decide(job, ranks, after(1));
    CHECK(p.status.phase == "Restarting");
    CHECK(kept(p.status) == "120, on with 120");
}

TEST_CASE("the next attempt goes on behind the checkpoint, unless the job says Never") {
    training_job job = job_in("Restarting");
    job.spec.template_.spec.containers.emplace_back().name = "trainer";
    CHECK(variable(job, "RESUME_FROM") == "none");
    CHECK(variable(job, "CHECKPOINT_URI") == "none");
    take_reports({telling(one(0, pod_state::running), saved(120))}, after(1), job.status);
    CHECK(decided(job, {}) == "Starting 0/2 attempt 1: Starting, attempt 1 begins with 2 ranks at step 121");
    CHECK(variable(job, "RESUME_FROM") == "s3://b/120");
    CHECK(variable(job, "RESUME_STEP") == "121");
    CHECK(variable(job, "RESUME_SHA256") == hash);
    job.spec.checkpoint.emplace().uri = "s3://b/";
    CHECK(variable(job, "CHECKPOINT_URI") == "s3://b/");
    CHECK(variable(job, "RESUME_STEP") == "121");
    job.spec.checkpoint->resume = "Never";
    CHECK(variable(job, "RESUME_STEP") == "none");
    CHECK(decided(job, {}) == "Starting 0/2 attempt 1: Starting, attempt 1 begins with 2 ranks");
}
