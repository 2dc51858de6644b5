// What is refused, each bad field by its name: by the schema, and by check(). The rules in CEL are the server's
// business.
#include "api/validation.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/schema/validate.hpp>

#include <doctest/doctest.h>

using namespace inference_autoscaler;

namespace {

// A whole spec, with `more` in it.
std::string scaler(const std::string& more, const std::string& metrics = R"({"prometheus":{"url":"http://p:9090"}})") {
    return R"({"metadata":{"name":"llama"},"spec":{"target":{"apiVersion":"apps/v1","kind":"Deployment","name":"llama"},)"
           R"("maxReplicas":8,"metrics":)" +
           metrics + (more.empty() ? "" : "," + more) + "}}";
}
std::string schema_says(const std::string& more) {
    const auto found = kcontrol::validate_json<inference_scaler>(scaler(more));
    return found ? to_string(*found) : found.error().what();
}
inference_scaler_spec spec_of(const std::string& text) {
    const auto read = kcontrol::from_json<inference_scaler>(text);
    REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().what()));
    return read->spec;
}
std::string check_says(const std::string& more,
                       const std::string& metrics = R"({"prometheus":{"url":"http://p:9090"}})") {
    return check(spec_of(scaler(more, metrics)));
}

const std::string by_pods = R"({"pods":{"port":8000}})";

}  // namespace

TEST_CASE("the schema refuses bad fields, each by its name") {
    CHECK(schema_says("") == "");
    CHECK(schema_says(R"("zero":{"listen":true},"minReplicas":0,"warmUp":{"port":8000,"path":"/v1/models"})") == "");
    for (const auto& each : {
             std::pair(R"("minReplicas":-1)", "spec.minReplicas"),
             std::pair(R"("pollSeconds":0)", "spec.pollSeconds"),
             std::pair(R"("up":{"maxStep":0})", "spec.up.maxStep"),
             std::pair(R"("up":{"settleSeconds":-1})", "spec.up.settleSeconds"),
             std::pair(R"("down":{"forSeconds":-1})", "spec.down.forSeconds"),
             std::pair(R"("down":{"belowPercent":101})", "spec.down.belowPercent"),
             std::pair(R"("down":{"inFlight":{"metric":"a-b"}})", "spec.down.inFlight.metric"),
             std::pair(R"("zero":{"afterSeconds":0,"listen":true})", "spec.zero.afterSeconds"),
             std::pair(R"("warmUp":{"port":0,"path":"/"})", "spec.warmUp.port"),
             std::pair(R"("warmUp":{"port":1,"path":"x"})", "spec.warmUp.path"),
             std::pair(R"("warmUp":{"port":1,"path":"/","timeoutSeconds":-1})", "spec.warmUp.timeoutSeconds"),
             std::pair(R"("warmUp":{"port":1,"path":"/","method":"TRACE"})", "spec.warmUp.method"),
             std::pair(R"("onMissing":{"mode":"Zero"})", "spec.onMissing.mode"),
             std::pair(R"("rules":[{"name":"A","query":"q","threshold":1,"action":{"addReplicas":1}}])",
                       "rules[0].name"),
             std::pair(R"("rules":[{"name":"a","query":"q","threshold":1,"op":"=","action":{"addReplicas":1}}])",
                       "rules[0].op"),
             std::pair(R"("rules":[{"name":"a","query":"q","threshold":1,"forSeconds":-1,"action":{"addReplicas":1}}])",
                       "rules[0].forSeconds"),
             std::pair(R"("rules":[{"name":"a","query":"q","threshold":1,"action":{"addReplicas":0}}])",
                       "rules[0].action.addReplicas"),
             std::pair(R"("rules":[{"name":"a","query":"q","action":{"addReplicas":1}}])", "rules[0].threshold"),
         }) {
        const auto& [bad, field] = each;
        CAPTURE(each.first);
        CHECK_MESSAGE(schema_says(bad).find(field) != std::string::npos, schema_says(each.first));
    }
}

TEST_CASE("what fields say together is refused with field, value and remedy") {
    CHECK(check_says("") == "");
    CHECK(check_says("", by_pods) == "");
    const std::string rule = R"("name":"a","threshold":1)";
    for (const auto& each : {
             std::pair(std::string(R"("minReplicas":9)"), "spec.minReplicas: 9: give at most maxReplicas, 8"),
             std::pair(std::string(R"("minReplicas":0)"), "spec.minReplicas: 0: 0 and spec.zero go together"),
             std::pair(std::string(R"("zero":{"listen":true})"), "spec.minReplicas: 1: 0 and spec.zero go together"),
             std::pair(std::string(R"("minReplicas":0,"zero":{})"),
                       "spec.zero: neither wake nor listen: give one: at zero no pod can be asked"),
             std::pair(std::string(R"("onMissing":{"mode":"Replicas"})"),
                       "spec.onMissing.mode: Replicas: give replicas with Replicas, and only then"),
             std::pair(R"("rules":[{)" + rule + R"(,"query":"q","action":{}}])",
                       "spec.rules[0].action: not one: give one of addReplicas, addPercent and proportional: true"),
             std::pair(R"("rules":[{)" + rule + R"(,"query":"q","action":{"addReplicas":1,"proportional":true}}])",
                       "spec.rules[0].action: not one: give one of addReplicas, addPercent and proportional: true"),
             std::pair(R"("rules":[{)" + rule + R"(,"action":{"addReplicas":1}}])",
                       "spec.rules[0]: a: give either a query or pods"),
             std::pair(R"("rules":[{)" + rule + R"(,"pods":{"metric":"m"},"action":{"addReplicas":1}}])",
                       "spec.rules[0]: a: give a query: metrics names prometheus"),
             std::pair(R"("rules":[{)" + rule + R"(,"op":"<","query":"q","action":{"proportional":true}}])",
                       "spec.rules[0].action.proportional: true: give a threshold above 0, and > or >="),
             std::pair(R"("rules":[{)" + rule + R"(,"query":"q","action":{"addReplicas":1}},{)" + rule +
                           R"(,"query":"q","action":{"addReplicas":1}}])",
                       "spec.rules[1].name: a: give each rule a name of its own"),
         }) {
        const auto& [bad, sentence] = each;
        CAPTURE(each.first);
        CHECK(check_says(bad) == sentence);
    }
    CHECK(check_says("", "{}") == "spec.metrics: no source: name either prometheus or pods");
    CHECK(check_says("", R"({"prometheus":{"url":"http://p"},"pods":{"port":1}})") ==
          "spec.metrics: two sources: name either prometheus or pods");
    CHECK(check_says(R"("minReplicas":0,"zero":{"wake":{"query":"up"}})", by_pods) ==
          "spec.zero.wake: up: name prometheus in metrics, or use listen");
    CHECK(check_says(R"("minReplicas":0,"zero":{"listen":true})", by_pods) ==
          "spec.down.inFlight: none: name the metric by which the pods of metrics.pods are idle");
}

TEST_CASE("without rules there are the three of every engine, by either source") {
    for (const auto& source : {std::string(R"({"prometheus":{"url":"http://p:9090"}})"), by_pods}) {
        auto spec = spec_of(scaler("", source));
        const auto rules = rules_of(spec);
        REQUIRE(rules.size() == 3);
        CHECK((rules[0].threshold == 0.92 && rules[0].for_seconds == 180 && !rules[0].down));
        CHECK((rules[1].threshold == 0.8 && rules[1].down && rules[1].action.proportional.value_or(false)));
        CHECK((rules[2].threshold == 5 && rules[2].down));
        spec.rules = rules;
        CHECK(check(spec) == "");
        CHECK(rules_of(spec) == rules);
    }
}
