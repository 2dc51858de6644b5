// The whole operator against the in-process API server, under virtual time.
#include "job/phases.hpp"
#include "promotion_world.hpp"

#include <set>

using namespace training_operator;
using namespace training_operator::tests;

TEST_CASE_FIXTURE(operator_world, "a job of two ranks: starts, runs, ends well") {
    add_job();
    CHECK(told() == "Starting, attempt 1, 0/2, Starting: attempt 1 begins with 2 ranks");
    CHECK(pods() == "bert-0 bert-1");
    REQUIRE(server.api().get({"", "services"}, {"default", "bert"}));
    run(0);
    settle();
    CHECK(told() == "Starting, attempt 1, 1/2, Starting: attempt 1 begins with 2 ranks");
    run(1);
    settle();
    CHECK(told() == "Running, attempt 1, 2/2, Running: all ranks run");
    CHECK(is_true(job()->status.conditions, "Running"));
    end(0, 0);
    end(1, 0);
    settle();
    CHECK(told() == "Succeeded, attempt 1, 2/2, Succeeded: all ranks exited with code 0");
    CHECK(is_true(job()->status.conditions, "Complete"));
    CHECK(find_condition(job()->status.conditions, "Complete")->observed_generation == 1);
    CHECK(pods() == "bert-0 bert-1");  // for their logs
    std::set<std::string> reasons;
    for (const auto& event : server.api().list({"events.k8s.io", "events"})) {
        reasons.emplace(json::get_string(event, {"reason"}));
    }
    CHECK(reasons == std::set<std::string>{"Accepted", "Starting", "Running", "Succeeded"});
    const auto metrics = m->answer(http::request("GET", "/metrics")).body;
    CHECK(metrics.find("training_jobs{phase=\"Succeeded\"} 1\n") != std::string::npos);
    CHECK(metrics.find("training_jobs{phase=\"Running\"} 0\n") != std::string::npos);
    CHECK(
        metrics.find("kcontrol_status_transitions_total{from=\"Starting\",kind=\"TrainingJob\",to=\"Running\"} 1\n") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(operator_world, "exit 1 fails the job with rank, code and message; what still runs is ended") {
    add_job();
    run_all();
    end(1, 1, "no such dataset");
    settle();
    CHECK(told() == "Failed, attempt 1, 2/2, RankFailed: rank 1 exited with code 1: no such dataset");
    CHECK(is_true(job()->status.conditions, "Failed"));
    CHECK(pods() == "[bert-0] bert-1");
    let_go();
    CHECK(pods() == "bert-1");
}

TEST_CASE_FIXTURE(operator_world, "exit 137 restarts all ranks as the next attempt, up to backoffLimit") {
    add_job();
    for (const std::string attempt : {"1", "2", "3"}) {
        CAPTURE(attempt);
        CHECK(told().starts_with("Starting, attempt " + attempt));
        CHECK(pods() == "bert-0 bert-1");
        for (const auto& pod : server.api().list(pods_id)) {
            CHECK(json::get_string(pod, {"metadata", "labels", "ai.kcontrol.dev/attempt"}) == attempt);
        }
        run_all();
        end(0, 137);
        settle();
        if (attempt == "3") break;
        CHECK(told().starts_with("Restarting"));
        CHECK(pods().find("[bert-1]") != std::string::npos);
        let_go();
    }
    CHECK(told() ==
          "Failed, attempt 3, 2/2, BackoffLimitExceeded: rank 0 exited with code 137; attempt 3 was the last one");
}

TEST_CASE_FIXTURE(operator_world, "a lost node: after 60 s the ranks are ended by force and begin anew") {
    add_job();
    add_node("n1");
    run(0);
    patch_pod(1, {{"spec", {{"nodeName", "n1"}}}}, "");
    patch_pod(1, {{"status", {{"phase", "Running"}}}});
    settle();
    CHECK(phase() == "Running");
    set_ready("n1", "Unknown");
    settle(50s);
    CHECK(phase() == "Running");
    settle(15s);
    CHECK(told().find("NodeLost: rank 1 is lost: its node n1 is not ready; attempt 1 ends") != std::string::npos);
    CHECK(pods() == "[bert-0]");  // nobody is there who would end the other one
    let_go();
    CHECK(told() == "Starting, attempt 2, 0/2, Starting: attempt 2 begins with 2 ranks");
    CHECK(pods() == "bert-0 bert-1");
    // One that comes back in time is no loss.
    run_all();
    set_ready("n0", "False");
    settle(30s);
    set_ready("n0", "True");
    settle(2min);
    CHECK(told().starts_with("Running, attempt 2"));
}

TEST_CASE_FIXTURE(operator_world, "all ranks or none: after startDeadlineSeconds all go, and it is tried again later") {
    add_job({{"startDeadlineSeconds", 30}});
    run(0);
    patch_pod(1, {{"status",
                   {{"phase", "Pending"},
                    {"conditions",
                     {{{"type", "PodScheduled"},
                       {"status", "False"},
                       {"reason", "Unschedulable"},
                       {"message", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}}}}}}});
    settle(20s);
    CHECK(told().starts_with("Starting, attempt 1, 1/2"));
    settle(11s);
    CHECK(told() ==
          "Pending, attempt 1, 0/2, StartDeadlineExceeded: not all ranks ran within 30 s: rank 1 waits: Unschedulable: "
          "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.; the next start is in 5 s");
    CHECK(pods() == "[bert-0]");
    let_go();
    settle(6s);
    CHECK(told().starts_with("Starting, attempt 1, 0/2"));  // no attempt is counted
    CHECK(job()->status.missed_starts == 1);
    settle(31s);
    CHECK(told().ends_with("the next start is in 10 s"));
    settle(11s);
    run_all();
    CHECK(told().starts_with("Running, attempt 1, 2/2"));
    CHECK(job()->status.missed_starts == 0);
}

TEST_CASE_FIXTURE(operator_world, "suspend ends the ranks in any phase, and resume goes on in the same attempt") {
    add_job({{"suspend", true}});
    CHECK(phase() == "Suspended");
    CHECK(pods() == "");
    set_spec({{"suspend", false}});
    CHECK(told().starts_with("Starting, attempt 1"));
    run_all();
    end(0, 143);
    settle();
    let_go();
    run_all();
    CHECK(told().starts_with("Running, attempt 2"));
    set_spec({{"suspend", true}});
    CHECK(told() == "Suspended, attempt 2, 2/2, Suspended: spec.suspend is set");
    CHECK(pods() == "[bert-0] [bert-1]");
    set_spec({{"suspend", false}});
    CHECK(phase() == "Suspended");  // the old ranks are not gone yet
    let_go();
    CHECK(told().starts_with("Starting, attempt 2"));
    run_all();
    CHECK(told().starts_with("Running, attempt 2"));
    CHECK(find_condition(job()->status.conditions, "Suspended")->status == "False");
}

TEST_CASE_FIXTURE(operator_world, "a checkpoint that a rank reports is where the next attempt goes on") {
    add_job();
    run_all();
    const std::string hash(64, 'b');
    const std::string saved = R"({"checkpoint":{"step":120,"uri":"s3://b/120","sha256":")" + hash + R"("}})";
    patch_pod(0, {{"metadata", {{"annotations", {{"ai.kcontrol.dev/progress", saved}}}}}}, "");
    settle();
    REQUIRE(job()->status.checkpoint);
    CHECK(job()->status.checkpoint->step == 120);
    end(0, 137, R"({"checkpoint":{"step":140,"uri":"s3://b/140"}})");
    settle();
    CHECK(told().find("RankFailed: rank 0 exited with code 137; attempt 1 ends") != std::string::npos);
    let_go();
    CHECK(told() == "Starting, attempt 2, 0/2, Starting: attempt 2 begins with 2 ranks at step 141");
    const auto pod = json::serialize(*server.api().get(pods_id, {"default", "bert-1"}));
    CHECK(pod.find(R"({"name":"RESUME_STEP","value":"141"})") != std::string::npos);
    CHECK(pod.find("RESUME_SHA256") == std::string::npos);  // it reported none
    run_all();
    end(1, 160, R"({"checkpointRefused":140})");
    settle();
    let_go();
    CHECK(told() == "Starting, attempt 2, 0/2, Starting: attempt 2 begins with 2 ranks at step 121");
}

TEST_CASE_FIXTURE(operator_world, "a job that is resized begins anew with the new number, in the same attempt") {
    add_job();
    run_all();
    set_spec({{"workers", 3}});
    CHECK(told() == "Restarting, attempt 1, 2/2, Resized: spec.workers has changed from 2 to 3");
    let_go();
    CHECK(pods() == "bert-0 bert-1 bert-2");
    run_all();
    CHECK(told().starts_with("Running, attempt 1, 3/3"));
}

TEST_CASE_FIXTURE(operator_world, "activeDeadlineSeconds and ttlSecondsAfterFinished") {
    add_job({{"activeDeadlineSeconds", 60}, {"ttlSecondsAfterFinished", 100}});
    run_all();
    settle(40s);
    CHECK(phase() == "Running");
    settle(20s);
    CHECK(told() ==
          "Failed, attempt 1, 2/2, DeadlineExceeded: activeDeadlineSeconds have passed since the first start");
    let_go();
    settle(80s);
    CHECK(phase() == "Failed");
    settle(30s);
    CHECK(phase() == "gone");
    settle(5s);
    CHECK(pods() == "");
}

TEST_CASE_FIXTURE(operator_world, "a template that the server refuses ends the job with the server's words") {
    operator_world strict(testing::api_server_options().default_and_validate(true));
    strict.add_job({{"template", {{"spec", {{"containers", {{{"name", "No Name"}, {"image", "bert:1"}}}}}}}}});
    CHECK(strict.phase() == "Failed");
    CHECK(strict.told().find("PodRefused: rank 0: ") != std::string::npos);
    CHECK(strict.told().find("spec.containers[0].name: Invalid value: \"No Name\"") != std::string::npos);
    CHECK(strict.pods() == "");
}

TEST_CASE_FIXTURE(operator_world, "a pod that somebody deletes is a lost rank") {
    add_job();
    run_all();
    const auto key = namespaced_name("default", "bert-1");
    REQUIRE(world.run(world.connect(server).delete_<rank_pod>(key, delete_options().grace_period(0s))));
    settle();
    CHECK(told().find("PodDeleted: rank 1 is lost") != std::string::npos);
    let_go();
    CHECK(told().starts_with("Starting, attempt 2"));
}

TEST_CASE_FIXTURE(operator_world,
                  "a pod of another owner that has a rank's name keeps the job from starting, no more") {
    (void)server.api()
        .create({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "bert-1"}}}, {"spec", json::object()}})
        .value();
    add_job({{"startDeadlineSeconds", 20}});
    CHECK(phase() == "Starting");
    run(0);
    settle(20s);
    CHECK(told().find("rank 1 has no pod") != std::string::npos);
    REQUIRE(server.api().remove(pods_id, {"default", "bert-1"}));
    let_go();
    settle(5s);
    run_all();
    CHECK(phase() == "Running");
}

TEST_CASE_FIXTURE(operator_world, "a cache that shows pods that are long gone keeps no job from going on") {
    server.api().set_faults([](const http::server_request& request) {
        const bool is_pods = request.target.find("/api/v1/pods") != std::string::npos;
        return is_pods ? testing::fault().replica("old") : testing::fault();
    });
    restart();
    add_job();
    run_all();
    server.api().freeze("old", server.api().resource_version());
    set_spec({{"suspend", true}});
    let_go();
    CHECK(pods() == "");
    set_spec({{"suspend", false}});
    CHECK(told().starts_with("Starting, attempt 1"));
    CHECK(pods() == "bert-0 bert-1");
    run_all();
    settle(10s);
    CHECK(told().starts_with("Running, attempt 1"));
    server.api().thaw("old");
    settle(10s);
    CHECK(told().starts_with("Running, attempt 1"));
}

TEST_CASE_FIXTURE(operator_world, "an hour in which nothing happens: no writes, and nothing is asked") {
    add_job();
    run_all();
    settle(10s);
    const auto gets = server.api().request_log().count("get"), before = writes();
    settle(1h);
    CHECK(writes() == before);
    CHECK(server.api().request_log().count("get") == gets);
}

namespace {

// Brings the job "bert" into a phase.
void bring_to(promotion_world& w, const std::string& phase) {
    json::object spec{{"startDeadlineSeconds", 20}, {"suspend", phase == "Suspended"}};
    w.serve_version("7");
    if (phase == "Queued") w.job_labels = w.queue();
    if (phase == "DataCheck") spec["dataset"] = w.dataset("8")["dataset"];
    if (phase.starts_with("Validat")) spec["gates"] = w.gates({"eval"})["gates"];
    if (phase == "Promoting") w.add_route(), spec["promote"] = w.promote()["promote"];
    w.add_job(spec);
    if (phase == "Promoting") w.train();
    if (phase.starts_with("Validat")) w.train();
    if (phase == "ValidationFailed") w.end_gate("eval", 1, "");
    if (phase == "Pending") w.settle(19s);
    if (phase == "Running" || phase == "Restarting" || phase == "Succeeded" || phase == "Failed") w.run_all();
    if (phase == "Restarting") w.end(0, 137);
    if (phase == "Failed") w.end(0, 1);
    if (phase == "Succeeded") w.end(0, 0), w.end(1, 0);
    w.settle(1s);
    REQUIRE(w.phase() == phase);
}

}  // namespace

TEST_CASE("a job that is deleted in any phase goes after its ranks, and nothing stays") {
    for (const auto& each : phases.phases()) {
        CAPTURE(each.name());
        promotion_world w;
        bring_to(w, std::string(each.name()));
        w.remove_job();
        if (w.pods().empty()) {
            CHECK(w.phase() == "gone");
        } else {
            CHECK(w.phase() == each.name());  // its finalizer holds it
            w.let_go();
        }
        w.settle(5s);
        CHECK(w.phase() == "gone");
        CHECK(w.pods() == "");
        CHECK(w.server.api().list({"", "services"}, "default").empty());
        CHECK(w.server.api().list({"batch", "jobs"}).empty());
    }
}

TEST_CASE("an operator that is stopped and started again in any phase goes on where it was") {
    for (const auto& each : phases.phases()) {
        CAPTURE(each.name());
        promotion_world w;
        bring_to(w, std::string(each.name()));
        const std::string before = w.told(), pods = w.pods();
        w.stop();
        w.settle(1s);
        w.start();
        w.settle(500ms);
        if (each.name() != "Pending") {  // whose pause is over meanwhile
            CHECK(w.told() == before);
            CHECK(w.pods() == pods);
        }
        w.let_go();
        if (each.is_terminal()) continue;
        if (each.name() == "Promoting") {
            w.settle(3min);
            CHECK(w.phase() == "Succeeded");
            continue;
        }
        if (each.name() == "Validating") {
            w.end_gate("eval", 0, R"({"metrics":{"accuracy":0.9}})");
            CHECK(w.phase() == "Succeeded");
            continue;
        }
        if (each.name() == "DataCheck") w.serve_version("8"), w.settle(1min);
        if (each.name() == "Queued") w.admit();
        if (each.name() == "Suspended") w.set_spec({{"suspend", false}});
        w.settle(5s);
        w.run_all();
        CHECK(w.phase() == "Running");
        CHECK(w.job()->status.attempt == (each.name() == "Restarting" ? 2 : 1));
    }
}

TEST_CASE("what happened while the operator was away is noticed") {
    promotion_world w;
    bring_to(w, "Running");
    w.stop();
    w.end(0, 0);
    w.end(1, 0);
    w.start();
    w.settle();
    CHECK(w.phase() == "Succeeded");

    promotion_world other;
    bring_to(other, "Running");
    other.stop();
    other.end(1, 139);
    other.remove_job();
    other.start();
    other.settle();
    other.let_go();
    other.settle(5s);
    CHECK(other.phase() == "gone");
}
