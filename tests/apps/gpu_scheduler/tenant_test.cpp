// Tenants as objects: what the schema refuses, and what contradicts.
#include "tenants/tenant.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/schema/crd.hpp>
#include <kcontrol/schema/validate.hpp>

#include "tenants/membership.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace gpu_scheduler;

namespace {

std::string problems(const std::string& spec) {
    const auto found = kcontrol::validate_json<tenant>(R"({"metadata":{"name":"nlp"},"spec":{)" + spec + "}}");
    return found ? to_string(*found) : found.error().what();
}

tenant made(const std::string& name, const std::string& spec, int second = 0) {
    return kcontrol::from_json<tenant>(R"({"metadata":{"name":")" + name +
                                       R"(","creationTimestamp":"2026-01-01T00:00:0)" + std::to_string(second) +
                                       R"(Z"},"spec":{)" + spec + "}}")
        .value();
}
tenant_problem problem(const std::vector<tenant>& tenants, const std::string& name) {
    const membership all(tenants);
    const auto found = all.problems().find(name);
    return found == all.problems().end() ? tenant_problem() : found->second;
}

}  // namespace

TEST_CASE("tenant: what the schema refuses") {
    CHECK(problems("") == "");
    CHECK(problems(R"("quotas":[{"product":"*","gpus":4,"limit":8},{"product":"NVIDIA-A100","gpus":2}],"weight":0)") ==
          "");
    for (const auto* wrong : {R"("quotas":[{"product":"*","gpus":-1}])", R"("quotas":[{"product":"*"}])",
                              R"("quotas":[{"gpus":1}])", R"("quotas":[{"product":"*","gpus":0,"limit":-1}])",
                              R"("quotas":[{"product":"*","gpus":1},{"product":"*","gpus":2}])", R"("weight":-1)",
                              R"("minRuntimeSeconds":-1)", R"("quotas":[{"product":"*","gpus":1.5}])"}) {
        CAPTURE(wrong);
        CHECK(problems(wrong) != "");
    }
    const auto definition = kcontrol::crd_of<tenant>().value().to_json();
    CHECK(definition.find(R"("scope":"Cluster")") != std::string::npos);
    CHECK(definition.find("self.limit >= self.gpus") != std::string::npos);
}

TEST_CASE("tenants: parents and quotas that contradict") {
    const std::string four = R"("quotas":[{"product":"*","gpus":4}])",
                      three = R"("quotas":[{"product":"*","gpus":3}],"parent":"lab")";
    CHECK(membership({made("lab", four), made("nlp", three)}).problems().empty());
    CHECK(problem({made("nlp", R"("parent":"lab")")}, "nlp") ==
          tenant_problem{"ParentNotFound", "spec.parent: \"lab\" is no tenant"});
    const std::vector<tenant> circle = {made("a", R"("parent":"b")"), made("b", R"("parent":"a")"),
                                        made("c", R"("parent":"a")")};
    CHECK(problem(circle, "a") == tenant_problem{"ParentCycle", "spec.parent: \"b\" leads back to this tenant"});
    CHECK(problem(circle, "b").reason == "ParentCycle");
    CHECK(problem(circle, "c").reason == "");
    // The older one has its quota.
    const std::vector<tenant> both = {made("lab", four), made("a", three, 2), made("b", three, 1)};
    CHECK(problem(both, "b").reason == "");
    CHECK(problem(both, "a") == tenant_problem{"QuotaAboveParent",
                                               "spec.quotas: 3 GPUs of \"*\", but tenant lab has 4, of which "
                                               "tenants below it have 3"});
    CHECK(problem({made("lab", ""), made("a", three)}, "a").reason == "QuotaAboveParent");
}

TEST_CASE("tenants: namespaces") {
    const auto labels =
        kcontrol::from_json<tenant>(R"({"metadata":{"name":"x","labels":{"team":"cv"}}})").value().metadata.labels;
    std::vector<tenant> tenants = {made("late", R"("namespaces":["one","two"])", 5),
                                   made("early", R"("namespaces":["one"])", 1),
                                   made("cv", R"("namespaceSelector":{"matchLabels":{"team":"cv"}})", 2),
                                   made("cv-too", R"("namespaceSelector":{"matchLabels":{"team":"cv"}})", 3)};
    const membership all(tenants);
    CHECK(all.tenant_of("one", {}) == "early");
    CHECK(all.tenant_of("two", labels) == "late");
    CHECK(all.tenant_of("three", labels) == "cv");
    CHECK(all.tenant_of("three", {}) == "default");
    CHECK(all.problems() == std::map<std::string, tenant_problem>{
                                {"late", {"NamespaceTaken", "spec.namespaces: \"one\" belongs to tenant early"}}});
    std::ranges::reverse(tenants);
    CHECK(membership(tenants).tenant_of("one", {}) == "early");
    CHECK(problem({made("a", R"("namespaceSelector":{"matchExpressions":[{"key":"k","operator":"Near"}]})")}, "a")
              .reason == "InvalidSelector");
}
