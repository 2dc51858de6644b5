// What the schema refuses; the rules in CEL are the server's business, and tests/e2e has them.
#include <kcontrol/schema/validate.hpp>

#include "job/training_job.hpp"

#include <doctest/doctest.h>

using namespace training_operator;

namespace {

std::string problems(const std::string& spec) {
    const auto found = kcontrol::validate_json<training_job>(R"({"metadata":{"name":"bert"},"spec":{)" + spec + "}}");
    return found ? to_string(*found) : found.error().what();
}
std::string with(const std::string& more) {
    return problems(R"("template":{"spec":{"containers":[{"name":"trainer"}]}})" + (more.empty() ? "" : "," + more));
}

}  // namespace

TEST_CASE("bad fields are refused by the schema, each by its name") {
    CHECK(with("") == "");
    CHECK(with(R"("executor":"pods","workers":4,"suspend":true,"accelerator":{"perWorker":8})") == "");
    CHECK(problems("").find("spec.template: Required value") != std::string::npos);
    CHECK(with(R"("executor":"slurm")").find("spec.executor: Unsupported value: \"slurm\"") != std::string::npos);
    CHECK(with(R"("workers":0)").find("spec.workers") != std::string::npos);
    CHECK(with(R"("minWorkers":0)").find("spec.minWorkers") != std::string::npos);
    CHECK(with(R"("executor":"batch-job","workers":4,"minWorkers":2)") == "");
    CHECK(with(R"("executor":"pytorchjob")") == "");
    CHECK(with(R"("workers":"4")").find("spec.workers") != std::string::npos);
    CHECK(with(R"("workers":10001)").find("spec.workers") != std::string::npos);
    CHECK(with(R"("accelerator":{})").find("spec.accelerator.perWorker: Required value") != std::string::npos);
    CHECK(with(R"("accelerator":{"perWorker":-1})").find("spec.accelerator.perWorker") != std::string::npos);
    CHECK(with(R"("accelerator":{"perWorker":1,"resource":""})").find("spec.accelerator.resource") !=
          std::string::npos);
    CHECK(with(R"("startDeadlineSeconds":0)").find("spec.startDeadlineSeconds") != std::string::npos);
    CHECK(with(R"("backoffLimit":-1)").find("spec.backoffLimit") != std::string::npos);
    CHECK(with(R"("activeDeadlineSeconds":0)").find("spec.activeDeadlineSeconds") != std::string::npos);
    CHECK(with(R"("ttlSecondsAfterFinished":-1)").find("spec.ttlSecondsAfterFinished") != std::string::npos);
    CHECK(with(R"("suspend":"yes")").find("spec.suspend") != std::string::npos);
    CHECK(with(R"("dataset":{"versionURL":"https://data.example:8443/v?n=1","expectedVersion":"7"})") == "");
    for (const char* url :
         {"", "data.example", "ftp://h/", "https://", "https://u:p@h/", "http:///x", "https://h/#x"}) {
        CAPTURE(url);
        CHECK(with(R"("dataset":{"versionURL":")" + std::string(url) + "\"}").find("spec.dataset.versionURL") !=
              std::string::npos);
    }
    CHECK(with(R"("dataset":{})").find("spec.dataset.versionURL: Required value") != std::string::npos);
    CHECK(with(R"("dataset":{"versionURL":"https://h","expectedVersion":""})").find("spec.dataset.expectedVersion") !=
          std::string::npos);
    CHECK(with(R"("cpuFallback":{"queueName":"cpus","workers":2,"resources":{"cpu":"500m","memory":"1.5Gi"}})") == "");
    CHECK(with(R"("cpuFallback":{})") == "");
    for (const auto& each :
         {std::pair(R"("afterSeconds":0)", "afterSeconds"), std::pair(R"("queueName":"A b")", "queueName"),
          std::pair(R"("workers":0)", "workers"), std::pair(R"("resources":{"cpu":"-1"})", "resources.cpu"),
          std::pair(R"("resources":{"memory":"much"})", "resources.memory"), std::pair(R"("env":[7])", "env[0]")}) {
        const auto& [bad, field] = each;
        CAPTURE(each.first);
        CHECK(with(R"("cpuFallback":{)" + std::string(bad) + "}").find("spec.cpuFallback." + std::string(field)) !=
              std::string::npos);
    }
    const std::string gate = R"("name":"eval","template":{},"metric":"accuracy","op":">=","threshold":"0.85")";
    CHECK(with(R"("gates":[{)" + gate + "}]") == "");
    for (const auto& each : {std::pair(R"("name":"Eval")", "name"), std::pair(R"("op":"=>")", "op"),
                             std::pair(R"("metric":"")", "metric"), std::pair(R"("threshold":"much")", "threshold"),
                             std::pair(R"("threshold":"")", "threshold"), std::pair(R"("template":7)", "template")}) {
        const auto& [bad, field] = each;
        CAPTURE(each.first);
        std::string changed = gate;
        const auto at = changed.find("\"" + std::string(field) + "\":");
        changed.replace(at, changed.find(",\"", at) - at, bad);
        CHECK(with(R"("gates":[{)" + changed + "}]").find("spec.gates[0]." + std::string(field)) != std::string::npos);
    }
    CHECK(with(R"("gates":[{"name":"eval"}])").find("spec.gates[0].threshold: Required value") != std::string::npos);
    const std::string route = R"("httpRoute":{"name":"r","stable":"a","canary":"b"})";
    CHECK(with(R"("promote":{)" + route + R"(,"steps":[10,100],"holdSeconds":0})") == "");
    for (const auto& each :
         {std::pair(R"("steps":[])", "steps"), std::pair(R"("steps":[101])", "steps[0]"),
          std::pair(R"("steps":[-1])", "steps[0]"), std::pair(R"("holdSeconds":-1)", "holdSeconds")}) {
        const auto& [bad, field] = each;
        CAPTURE(each.first);
        CHECK(with(R"("promote":{)" + route + "," + bad + "}").find("spec.promote." + std::string(field)) !=
              std::string::npos);
    }
    CHECK(with(R"("promote":{"httpRoute":{"name":"r"}})").find("spec.promote.httpRoute.canary: Required value") !=
          std::string::npos);
    CHECK(with(R"("promote":{)" + route + R"(,"minWarm":2})") == "");
    CHECK(with(R"("promote":{)" + route + R"(,"minWarm":-1})").find("spec.promote.minWarm") != std::string::npos);
    CHECK(with(R"("promote":{"inferenceService":{}})").find("spec.promote.inferenceService.name: Required value") !=
          std::string::npos);
    CHECK(with(R"("modelCard":{"license":7})").find("spec.modelCard.license") != std::string::npos);
    CHECK(problems(R"("template":"pod")").find("spec.template") != std::string::npos);
}
