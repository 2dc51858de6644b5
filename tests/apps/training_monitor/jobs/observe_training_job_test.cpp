// TrainingJob: each phase as a state, and why.
#include "support.hpp"

#include <utility>

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

job_view in(std::string_view phase, std::string_view status = "", std::string_view conditions = "",
            std::string_view spec = R"("workers":4)") {
    std::string all = R"("phase":")" + std::string(phase) + R"(","phaseTime":"2026-11-21T08:00:00Z")";
    if (!status.empty()) all.append(",").append(status);
    return observed<training_job>(spec, conditions, all).view;
}

}  // namespace

TEST_CASE("training job: the state is the phase") {
    for (const auto& each : {std::pair{"", job_state::created},
                             {"Pending", job_state::created},
                             {"DataCheck", job_state::created},
                             {"Queued", job_state::queued},
                             {"Starting", job_state::pending},
                             {"Running", job_state::running},
                             {"Restarting", job_state::restarting},
                             {"Validating", job_state::running},
                             {"Promoting", job_state::running},
                             {"Suspended", job_state::suspended},
                             {"Succeeded", job_state::succeeded},
                             {"Failed", job_state::failed},
                             {"ValidationFailed", job_state::failed},
                             {"Dreaming", job_state::unknown}}) {
        const auto& [phase, state] = each;
        CAPTURE(each.first);
        CHECK(in(phase).state == state);
        CHECK(in(phase).completion_time.has_value() == is_final(state));
    }
    CHECK(in("").api_version == "ai.kcontrol.dev/v1alpha1");
    CHECK(in("").kind == "TrainingJob");
}

TEST_CASE("training job: the reason is that of the condition that goes with the state") {
    const std::string conditions = condition("Running", "False", "RankFailed") + "," +
                                   condition("Failed", "True", "BackoffLimitExceeded") + "," +
                                   condition("Complete", "True", "Succeeded");
    CHECK(in("Restarting", "", conditions).reason == "RankFailed");
    CHECK(in("Failed", "", conditions).reason == "BackoffLimitExceeded");
    CHECK(in("Failed", "", conditions).message == "because");
    CHECK(in("Succeeded", "", conditions).reason == "Succeeded");
    CHECK(in("Failed", "", condition("Failed", "False", "x")).reason == "");
}

TEST_CASE("training job: what its own panel shows") {
    const auto details_in = [](const std::string& spec, const std::string& status) {
        const auto job = kcontrol::from_json<training_job>(R"({"metadata":{"name":"j"},"spec":{)" + spec +
                                                           R"(},"status":{)" + status + "}}");
        REQUIRE_MESSAGE(job.has_value(), (job ? std::string() : job.error().what()));
        return details_of(*job);
    };
    const auto details = details_in(
        R"("workers":4,"backoffLimit":5,"gates":[{"name":"acc","metric":"accuracy","op":">=","threshold":"0.85"},)"
        R"({"name":"loss","metric":"loss","op":"<","threshold":"1"}],"promote":{"steps":[10,50,100]})",
        R"("phase":"Promoting","phaseTime":"2026-11-21T08:00:00Z","attempt":2,"datasetVersion":"17","checkpoints":[)"
        R"({"step":300,"uri":"s3://x/300","time":"2026-11-21T07:50:00Z","attempt":2,"refused":true},)"
        R"({"step":200,"uri":"s3://x/200","attempt":1}],"gates":[{"name":"acc","result":"Passed","value":"0.9",)"
        R"("message":"fine"}],"promotion":{"step":1,"weight":10,"rolledBack":false,"time":"2026-11-21T08:00:00Z"})");
    CHECK(details.phase == "Promoting");
    CHECK(details.attempt == 2);
    CHECK(details.attempts == 6);
    CHECK(details.dataset_version == "17");
    REQUIRE(details.checkpoints.size() == 2);
    CHECK(details.checkpoints[0] == training_details::checkpoint{300, "s3://x/300", "2026-11-21T07:50:00Z", 2, true});
    CHECK(details.gates == std::vector<training_details::gate>{{"acc", "accuracy >= 0.85", "Passed", "0.9", "fine"},
                                                               {"loss", "loss < 1", "", "", ""}});
    REQUIRE(details.promotion);
    CHECK(*details.promotion == training_details::promotion_progress{1, 3, 10, false, "2026-11-21T08:00:00Z"});
    CHECK(details_in(R"("workers":1)", "").attempts == 3);
    CHECK_FALSE(details_in(R"("workers":1)", "").promotion);
}

TEST_CASE("training job: ranks, GPUs and times") {
    const auto runs = in("Running", R"("ready":"3/4","workers":4,"startTime":"2026-11-21T07:00:00Z")", "",
                         R"("workers":4,"accelerator":{"resource":"nvidia.com/gpu","perWorker":8})");
    REQUIRE(runs.replicas.size() == 1);
    CHECK(runs.replicas[0] == replica_counts{"Rank", 4, 3, 0, 0});
    CHECK(runs.gpus == 32);
    CHECK(runs.start_time == parse_rfc3339_seconds("2026-11-21T07:00:00Z"));
    // After the training no rank is left, and all have ended well.
    const auto trained = in("Validating", R"("ready":"4/4","workers":4,"trainedTime":"2026-11-21T07:59:00Z")");
    CHECK(trained.replicas[0] == replica_counts{"Rank", 4, 0, 4, 0});
    CHECK(in("Restarting", R"("ready":"0/4","workers":3)").replicas[0] == replica_counts{"Rank", 3, 0, 0, 0});
    CHECK(in("Running", R"("ready":"x","workers":-2)").replicas[0] == replica_counts{"Rank", 4, 0, 0, 0});
    const char* of_template = R"("workers":2,"template":{"spec":{"containers":[)"
                              R"({"resources":{"limits":{"nvidia.com/gpu":"2"}}}]}})";
    CHECK(in("Pending", "", "", of_template).gpus == 4);
    CHECK(in("Succeeded", R"("trainedTime":"2026-11-21T07:59:00Z")").completion_time ==
          parse_rfc3339_seconds("2026-11-21T08:00:00Z"));
}
