// Gates: what their Jobs say, what is decided on it, and the whole operator.
#include <kcontrol/codec/codec.hpp>

#include "gates/gate_run.hpp"
#include "operator_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

gate_spec gate(const char* name, const char* op = ">=", const char* threshold = "0.85") {
    gate_spec out;
    out.name = name;
    out.metric = "accuracy";
    out.op = op;
    out.threshold = threshold;
    return out;
}
training_job gated(std::string_view phase, std::initializer_list<const char*> names) {
    training_job out = job_in(phase);
    for (const char* name : names) out.spec.gates.push_back(gate(name));
    return out;
}
gate_run run(const char* name, std::optional<double> accuracy = {}) {
    gate_run out;
    out.gate = name;
    out.ended = out.well = accuracy.has_value();
    if (accuracy) out.metrics["accuracy"] = *accuracy;
    return out;
}
facts with(std::vector<gate_run> gates) {
    facts out;
    out.gates = std::move(gates);
    return out;
}
std::string told_of_gates(const plan& p) {
    std::string out;
    for (const auto& each : p.status.gates) {
        out += (out.empty() ? "" : ", ") + each.name.str() + " " + each.result.str() + ": " + each.message.str();
    }
    return out;
}
std::string judged(const char* op, const char* threshold, double value) {
    training_job job = job_in("Validating");
    job.spec.gates.push_back(gate("eval", op, threshold));
    return decide(job, with({run("eval", value)}), after(1)).status.gates[0].result;
}

}  // namespace

TEST_CASE("metrics of a report: those that are numbers") {
    const auto read = read_report(R"({"metrics":{"loss":0.3,"epoch":12,"big":1e300,"name":"x","none":null,"l":[1]}})");
    REQUIRE(read);
    CHECK(read->metrics == std::map<std::string, double>{{"loss", 0.3}, {"epoch", 12}, {"big", 1e300}});
    for (const char* text : {R"({"metrics":7})", R"({"metrics":[1]})", R"({"metrics":null})", "{}"}) {
        CAPTURE(text);
        REQUIRE(read_report(text));
        CHECK(read_report(text)->metrics.empty());
    }
    CHECK(read_report(R"({"metrics":7,"checkpointRefused":120})")->refused == 120);
}

TEST_CASE("a gate's Job: its name, its labels, and what it works on") {
    training_job job = gated("Validating", {"eval"});
    job.status.dataset_version = "7";
    job.status.checkpoint.emplace().step = 120;
    job.status.checkpoint->uri = "s3://b/120";
    job.spec.gates[0].template_.spec.containers.emplace_back().name = "eval";
    const auto made = make_gate_job(job, job.spec.gates[0]);
    CHECK(made.metadata.name == "bert-eval");
    CHECK(made.metadata.namespace_ == "ml");
    CHECK(made.metadata.labels.at(job_label) == "bert");
    CHECK(made.spec.template_.metadata.labels.at(gate_label) == "eval");
    CHECK(made.spec.template_.spec.restart_policy == "Never");
    const std::string text = to_json(made);
    CHECK(text.find(R"({"name":"DATASET_VERSION","value":"7"})") != std::string::npos);
    CHECK(text.find(R"({"name":"RESUME_FROM","value":"s3://b/120"})") != std::string::npos);
    CHECK(text.find("RANK") == std::string::npos);
}

TEST_CASE("what a Job and its pods say") {
    gate_job job;
    job.metadata.name = "bert-eval";
    job.metadata.labels[gate_label] = "eval";
    CHECK_FALSE(read_gate(job, {}).ended);
    rank bad = failed(-1, 1), good = one(-1, pod_state::ended_well);
    bad.words = "no such file";
    good.told.metrics["accuracy"] = 0.9;
    bad.told.metrics["accuracy"] = 0.1;
    job.status.conditions.emplace_back().type = "Complete";
    job.status.conditions[0].status = "True";
    CHECK(read_gate(job, {bad, good}).well);
    CHECK(read_gate(job, {good, bad}).metrics.at("accuracy") == 0.9);
    job.status.conditions[0].type = "Failed";
    job.status.conditions[0].message = "Job has reached the specified backoff limit";
    CHECK(read_gate(job, {}).words == "Job has reached the specified backoff limit");
    const auto read = read_gate(job, {bad});
    CHECK(read.ended);
    CHECK_FALSE(read.well);
    CHECK(read.words == "no such file");
}

TEST_CASE("gates are passed one after the other") {
    training_job job = gated("Running", {"smoke", "eval"});
    CHECK(decided(job, all(pod_state::ended_well)) ==
          "Validating 2/2 attempt 1: Validating, all ranks exited with code 0; gates to pass: 2");
    CHECK(decide(job, all(pod_state::ended_well), after(7)).status.trained_time == after(7));
    job.status.phase = "Validating";
    rank with_sidecar = one(0, pod_state::ended_well);
    with_sidecar.over = false;
    CHECK(decided(job, {with_sidecar}) == "remove 0");

    plan p = decide(job, with({}), after(1));
    CHECK(p.start_gate == "smoke");
    CHECK(told_of_gates(p) == "smoke Running: ");
    CHECK(p.is_grave(job));
    job.status = p.status;
    CHECK(decided_on(job, with({run("smoke")})) == "");
    CHECK(decide(job, with({}), after(1)).start_gate == "smoke");  // somebody has deleted it
    p = decide(job, with({run("smoke", 0.9)}), after(1));
    CHECK(told_of_gates(p) == "smoke Passed: accuracy is 0.9, and must be >= 0.85");
    CHECK_FALSE(p.moves(job));
    CHECK(p.is_grave(job));
    job.status = p.status;
    p = decide(job, with({run("smoke", 0.9)}), after(1));
    CHECK(p.start_gate == "eval");
    job.status = p.status;
    p = decide(job, with({run("smoke", 0.9), run("eval", 0.8)}), after(1));
    CHECK(told_of_gates(p) ==
          "smoke Passed: accuracy is 0.9, and must be >= 0.85, eval Failed: accuracy is 0.8, and must be >= 0.85");
    training_job red = job;
    red.status = p.status;
    CHECK(decided_on(red, with({})) ==
          "ValidationFailed 0/2 attempt 1: GateFailed, gate eval: accuracy is 0.8, and must be >= 0.85, warning");
    job.status = decide(job, with({run("eval", 0.85)}), after(1)).status;
    CHECK(decided_on(job, with({})) ==
          "Succeeded 0/2 attempt 1: Succeeded, all ranks exited with code 0, and all gates are passed");
}

TEST_CASE("comparisons, thresholds as Kubernetes writes numbers, and metrics that are not there") {
    CHECK(judged(">=", "0.85", 0.85) == "Passed");
    CHECK(judged(">", "0.85", 0.85) == "Failed");
    CHECK(judged(">", "850m", 0.851) == "Passed");
    CHECK(judged("<", "1e-3", 0.0009) == "Passed");
    CHECK(judged("<", "1e-3", 0.001) == "Failed");
    CHECK(judged("<=", "-0.5", -0.5) == "Passed");
    CHECK(judged("<=", "2k", 2001) == "Failed");
    CHECK(judged("==", "3", 3) == "Passed");
    CHECK(judged("==", "3", 3.1) == "Failed");
    CHECK(judged("!=", "3", 4) == "Failed");
    const training_job job = gated("Validating", {"eval"});
    gate_run other = run("eval", 1);
    other.metrics = {{"loss", 1.0}};
    CHECK(told_of_gates(decide(job, with({other}), after(1))) == "eval Failed: it reported no metric accuracy");
    other.well = false;
    other.words = "no such file";
    CHECK(told_of_gates(decide(job, with({other}), after(1))) == "eval Failed: its Job failed: no such file");
}

TEST_CASE("suspended while it is validated: the gate's Job goes, the training is not done again") {
    training_job job = gated("Validating", {"eval"});
    job.status.trained_time = begin;
    job.spec.suspend = true;
    CHECK(decided_on(job, with({run("eval")})).starts_with("Suspended"));
    job.status.phase = "Suspended";
    plan p = decide(job, with({run("smoke", 1), run("eval")}), after(1));
    REQUIRE(p.end_gates.size() == 1);
    CHECK(p.end_gates[0].gate == "eval");
    CHECK(p.is_grave(job));
    job.spec.suspend = false;
    CHECK(decided(job, {}).starts_with("Pending"));
    job.status.phase = "Pending";
    CHECK(decided(job, {}) == "Validating 0/2 attempt 1: Validating, the training is done");
    job.status.phase = "Validating";
    gate_run leaving = run("eval");
    leaving.leaving = true;
    p = decide(job, with({leaving}), after(1));
    CHECK(p.start_gate.empty());
    CHECK(p.again == after(6));
}

TEST_CASE_FIXTURE(operator_world, "two green gates: Jobs in order, and their results in the status") {
    add_job(gates({"smoke", "eval"}));
    train();
    CHECK(phase() == "Validating");
    CHECK(told_of_gates() == "smoke Running");
    CHECK(server.api().list({"batch", "jobs"}).size() == 1);
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    end_gate("smoke", 0, R"({"metrics":{"accuracy":0.86}})");
    CHECK(told_of_gates() == "smoke Passed 0.86, eval Running");
    end_gate("eval", 0, R"({"metrics":{"accuracy":0.9}})");
    CHECK(told_of_gates() == "smoke Passed 0.86, eval Passed 0.9");
    CHECK(told() == "Succeeded, attempt 1, 2/2, Succeeded: all ranks exited with code 0, and all gates are passed");
    CHECK(server.api().list({"batch", "jobs"}).size() == 2);  // for their logs
}

TEST_CASE_FIXTURE(operator_world, "a red gate: the job ends, and no later gate begins") {
    add_job(gates({"smoke", "eval"}));
    train();
    end_gate("smoke", 0, R"({"metrics":{"accuracy":0.8}})");
    CHECK(told() == "ValidationFailed, attempt 1, 2/2, GateFailed: gate smoke: accuracy is 0.8, and must be >= 0.85");
    CHECK(is_true(job()->status.conditions, "Failed"));
    CHECK(server.api().list({"batch", "jobs"}).size() == 1);
    CHECK(told_of_gates() == "smoke Failed 0.8");
}

TEST_CASE_FIXTURE(operator_world, "a gate whose message is no JSON is red, as is one that exits with 1") {
    add_job(gates({"eval"}));
    train();
    end_gate("eval", 0, "accuracy 0.9");
    CHECK(told().find("gate eval: it reported no metric accuracy") != std::string::npos);
    remove_job();
    let_go();
    settle(5s);
    add_job(gates({"eval"}));
    train();
    end_gate("eval", 1, "no such dataset");
    CHECK(told().find("gate eval: its Job failed: no such dataset") != std::string::npos);
}

TEST_CASE_FIXTURE(operator_world, "suspended while a gate runs: it begins anew, alone") {
    add_job(gates({"smoke", "eval"}));
    train();
    end_gate("smoke", 0, R"({"metrics":{"accuracy":0.9}})");
    set_spec({{"suspend", true}});
    CHECK(phase() == "Suspended");
    let_go();
    CHECK(server.api().list({"batch", "jobs"}).size() == 1);
    set_spec({{"suspend", false}});
    settle(10s);
    CHECK(phase() == "Validating");
    CHECK(pods() == "bert-smoke-x");
    end_gate("eval", 0, R"({"metrics":{"accuracy":0.9}})");
    CHECK(told().starts_with("Succeeded, attempt 1"));
}

TEST_CASE("a gate that the server refuses ends the job with the server's words") {
    operator_world strict(testing::api_server_options().default_and_validate(true).collect_garbage(true));
    json::object spec = operator_world::gates({"eval"});
    spec["gates"].as_array()[0].as_object()["template"] = {
        {"spec", {{"containers", {{{"name", "No Name"}, {"image", "eval:1"}}}}}}};
    strict.add_job(spec);
    strict.train();
    CHECK(strict.told().starts_with("Failed, attempt 1, 2/2, PodRefused: gate eval: "));
}
