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
    CHECK(problems(R"("template":"pod")").find("spec.template") != std::string::npos);
}
