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
    for (const auto& [phase, state] : {std::pair{"", job_state::created},
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
        CAPTURE(phase);
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
