// The model card: what it says, when it is written, and that it is not changed after the end.
#include "card/model_card.hpp"

#include <kcontrol/documents/yaml.hpp>

#include "operator_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

training_job trained_job() {
    training_job out = job_in("Validating");
    out.status.trained_time = begin;
    out.status.attempt = 2;
    auto& card = out.spec.model_card.emplace();
    card.license = "apache-2.0";
    card.base_model = "google-bert/bert-base-uncased";
    card.pipeline_tag = "text-classification";
    card.language.emplace_back("en");
    card.tags.emplace_back("on: fire");
    card.datasets.emplace_back("acme/reviews");
    card.body = "Finds out whether people | were happy.";
    out.spec.dataset.emplace().version_url = "https://data.example/version?token=secret";
    out.status.dataset_version = "7";
    out.status.images.emplace_back("registry.example/bert@sha256:1234");
    auto& saved = out.status.checkpoints.emplace_back();
    saved.step = 120;
    saved.uri = "s3://b/1|20";
    saved.sha256 = std::string(64, 'a');
    saved.attempt = 1;
    saved.refused = true;
    auto& gate = out.spec.gates.emplace_back();
    gate.name = "eval";
    gate.metric = "accuracy";
    auto& passed = out.status.gates.emplace_back();
    passed.name = "eval";
    passed.result = "Passed";
    passed.value = "0.9";
    passed.message = "accuracy is 0.9, and must be >= 0.85";
    return out;
}

json::object card_spec() { return {{"modelCard", {{"license", "mit"}, {"tags", {"nlp"}}}}}; }

std::string card(operator_world& w) {
    const auto found = w.server.api().get({"", "configmaps"}, {"default", "bert-modelcard"});
    return found ? std::string(json::get_string(*found, {"data", "README.md"})) : "none";
}
bool is_immutable(operator_world& w) {
    const auto found = w.server.api().get({"", "configmaps"}, {"default", "bert-modelcard"}).value();
    const auto* says = json::find(found, {"immutable"});
    return says != nullptr && says->get_bool();
}

}  // namespace

TEST_CASE("a card: YAML as Hugging Face reads it, and what the model was made of") {
    const std::string text = model_card(trained_job());
    REQUIRE(text.starts_with("---\n"));
    const auto end = text.find("\n---\n", 4);
    REQUIRE(end != std::string::npos);
    const auto front = json::parse_yaml(text.substr(4, end - 3));
    REQUIRE(front);
    REQUIRE(front->size() == 1);
    CHECK(json::equal(
        front->front(),
        json::parse(R"({"license":"apache-2.0","base_model":"google-bert/bert-base-uncased","language":["en"],
        "pipeline_tag":"text-classification","tags":["on: fire"],"datasets":["acme/reviews"],"model-index":[{"name":"bert",
        "results":[{"task":{"type":"text-classification"},"dataset":{"name":"acme/reviews","type":"acme/reviews",
        "revision":"7"},"metrics":[{"type":"accuracy","name":"eval","value":0.9}]}]}]})")
            .value()));
    CHECK(text.substr(end + 5) ==
          "\n# bert\n\nFinds out whether people | were happy.\n\n## Lineage\n\n| | |\n|---|---|\n"
          "| job | ml/bert, u-1 |\n| attempts | 2 |\n| trained | 2026-11-23T10:00:00Z |\n"
          "| dataset | version 7 of https://data.example/version |\n| image | registry.example/bert@sha256:1234 |\n"
          "| gate eval | Passed: accuracy is 0.9, and must be >= 0.85 |\n"
          "\n| checkpoint | attempt | SHA-256 | URI |\n|---|---|---|---|\n"
          "| 120 (refused) | 1 | " +
              std::string(64, 'a') + " | s3://b/1\\|20 |\n");
}

TEST_CASE("it is written from the training's end on, whenever it says something else, and for good at the end") {
    training_job job = trained_job();
    plan p = decide(job, {}, after(1));
    CHECK(p.write_card);
    CHECK(p.is_grave(job));
    CHECK_FALSE(p.moves(job));
    job.status = p.status;
    CHECK_FALSE(decide(job, {}, after(2)).write_card);
    CHECK_FALSE(make_card(job).immutable);
    job.status.gates[0].value = "0.91";
    CHECK(decide(job, {}, after(3)).write_card);
    job.status = decide(job, {}, after(3)).status;
    job.status.phase = "Succeeded";
    CHECK(make_card(job).immutable == true);
    CHECK(decide(job, {}, after(4)).write_card);
    job.status = decide(job, {}, after(4)).status;
    CHECK(decided(job, {}, 5) == "");
    job.metadata.deletion_timestamp = begin;
    job.status.gates[0].value = "0.92";
    CHECK_FALSE(decide(job, {}, after(6)).write_card);
    training_job before = trained_job();
    before.status.trained_time = {};
    before.status.phase = "Running";
    CHECK_FALSE(decide(before, all(pod_state::running), after(1)).write_card);
}

TEST_CASE_FIXTURE(operator_world, "a job's card is there with the gates, and immutable after them") {
    json::object spec = gates({"eval"});
    spec["modelCard"] = card_spec()["modelCard"];
    add_job(spec);
    run_all();
    CHECK(card(*this) == "none");
    end(0, 137, R"({"checkpoint":{"step":120,"uri":"s3://b/120"}})");
    settle();
    let_go();
    run_all();
    end(1, 0);
    patch_pod(0, {{"status",
                   {{"phase", "Succeeded"},
                    {"containerStatuses",
                     {{{"name", "trainer"},
                       {"imageID", "r.example/bert@sha256:12"},
                       {"state", {{"terminated", {{"exitCode", 0}}}}}}}}}}});
    settle();
    CHECK(phase() == "Validating");
    CHECK(card(*this).find("license: mit\ntags:\n- nlp\n---\n") != std::string::npos);
    CHECK(card(*this).find("| image | r.example/bert@sha256:12 |") != std::string::npos);
    CHECK(card(*this).find("| 120 | 1 |  | s3://b/120 |") != std::string::npos);
    CHECK_FALSE(is_immutable(*this));
    end_gate("eval", 0, R"({"metrics":{"accuracy":0.9}})");
    CHECK(phase() == "Succeeded");
    CHECK(card(*this).find("gate eval | Passed: accuracy is 0.9") != std::string::npos);
    CHECK(is_immutable(*this));
    const auto before = writes();
    restart();
    settle(1h);
    CHECK(writes() == before);
    remove_job();
    settle(5s);
    let_go();
    CHECK(card(*this) == "none");
}

TEST_CASE_FIXTURE(operator_world, "a red gate's card stays as it is, without a promise") {
    json::object spec = gates({"eval"});
    spec["modelCard"] = card_spec()["modelCard"];
    add_job(spec);
    train();
    end_gate("eval", 0, R"({"metrics":{"accuracy":0.1}})");
    CHECK(phase() == "ValidationFailed");
    CHECK(card(*this).find("gate eval | Failed: accuracy is 0.1") != std::string::npos);
    CHECK_FALSE(is_immutable(*this));
}

TEST_CASE("a card that somebody else has is told, and keeps no job from its end") {
    operator_world w(testing::api_server_options().default_and_validate(true).collect_garbage(true));
    (void)w.server.api()
        .create({{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", "bert-modelcard"}}},
                 {"immutable", true},
                 {"data", {{"README.md", "mine"}}}})
        .value();
    w.add_job(card_spec());
    w.train();
    CHECK(w.phase() == "Succeeded");
    CHECK(w.condition("ModelCardWritten").starts_with("ModelCardWritten=False Refused: "));
    CHECK(card(w) == "mine");
}
