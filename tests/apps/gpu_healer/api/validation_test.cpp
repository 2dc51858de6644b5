// What is refused, each bad field by its name: by the schema, and by check(); and what a policy means that leaves a
// field out.
#include "api/validation.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/schema/validate.hpp>

#include <doctest/doctest.h>

using namespace gpu_healer;

namespace {

std::string policy(const std::string& more, const std::string& selector = R"({"matchLabels":{"gpu":"true"}})") {
    return R"({"metadata":{"name":"gpus"},"spec":{"nodeSelector":)" + selector + (more.empty() ? "" : "," + more) +
           "}}";
}
std::string schema_says(const std::string& more) {
    const auto found = kcontrol::validate_json<healing_policy>(policy(more));
    return found ? to_string(*found) : found.error().what();
}
std::string check_says(const std::string& more, const std::string& selector = R"({"matchLabels":{"gpu":"true"}})") {
    const auto read = kcontrol::from_json<healing_policy>(policy(more, selector));
    REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().what()));
    return check(read->spec);
}
std::string step(const std::string& action) {
    return R"("repairs":[{"name":"all","steps":[{"name":"reset",)" + action + "}]}]";
}

}  // namespace

TEST_CASE("the schema refuses bad fields, each by its name") {
    CHECK(schema_says("") == "");
    CHECK(schema_says(step(R"("awx":{"url":"https://awx","jobTemplate":7,"tokenFrom":{"name":"awx","key":"token"},)"
                           R"("extraVars":{"host":"{node}"}})")) == "");
    for (const auto& each : {
             std::pair(std::string(R"("triggers":[])"), "spec.triggers"),
             std::pair(std::string(R"("triggers":[{"condition":{"type":"T","status":"false"}}])"),
                       "spec.triggers[0].condition.status"),
             std::pair(std::string(R"("taint":{"effect":"NoExecute"})"), "spec.taint.effect"),
             std::pair(std::string(R"("taint":{"value":"a b"})"), "spec.taint.value"),
             std::pair(std::string(R"("breaker":{"maxPercent":0})"), "spec.breaker.maxPercent"),
             std::pair(std::string(R"("breaker":{"maxPercent":101})"), "spec.breaker.maxPercent"),
             std::pair(std::string(R"("breaker":{"minNodes":0})"), "spec.breaker.minNodes"),
             std::pair(std::string(R"("drain":{"mode":"Delete"})"), "spec.drain.mode"),
             std::pair(std::string(R"("drain":{"onTimeout":"Kill"})"), "spec.drain.onTimeout"),
             std::pair(std::string(R"("atOnce":0)"), "spec.atOnce"),
             std::pair(std::string(R"("maxAttempts":0)"), "spec.maxAttempts"),
             std::pair(std::string(R"("verify":{"holdSeconds":-1})"), "spec.verify.holdSeconds"),
             std::pair(step(R"("webhook":{"url":"ftp://hook"})"), "spec.repairs[0].steps[0].webhook.url"),
             std::pair(step(R"("webhook":{"url":"https://hook","method":"GET"})"),
                       "spec.repairs[0].steps[0].webhook.method"),
             std::pair(step(R"("awx":{"url":"https://awx","jobTemplate":0,"tokenFrom":{"name":"a","key":"b"}})"),
                       "spec.repairs[0].steps[0].awx.jobTemplate"),
             std::pair(step(R"("manual":{"message":""})"), "spec.repairs[0].steps[0].manual.message"),
         }) {
        const auto& [bad, field] = each;
        CAPTURE(each.first);
        CHECK_MESSAGE(schema_says(bad).find(field) != std::string::npos, schema_says(each.first));
    }
}

TEST_CASE("what fields say together is refused with field, value and remedy") {
    CHECK(check_says("") == "");
    CHECK(check_says("", "{}") == "spec.nodeSelector: empty: name the label of the nodes");
    for (const auto& each : {
             std::pair(std::string(R"("taint":{"effect":"NoExecute"})"),
                       "spec.taint.effect: NoExecute: use NoSchedule: NoExecute evicts without budgets"),
             std::pair(std::string(R"("taint":{"key":"node.kubernetes.io/unreachable"})"),
                       "spec.taint.key: node.kubernetes.io/unreachable: use a key that is not the cluster's own"),
             std::pair(std::string(R"("triggers":[])"),
                       "spec.triggers: none: give one, or leave the field out for the default"),
             std::pair(std::string(R"("breaker":{"maxPercent":101})"), "spec.breaker.maxPercent: 101: give 1 to 100"),
             std::pair(step(R"("manual":{"message":"m"},"webhook":{"url":"http://h"})"),
                       "spec.repairs[all].steps[reset]: reset: give one of webhook, awx, job and manual"),
             std::pair(step(R"("timeoutSeconds":5)"),
                       "spec.repairs[all].steps[reset]: reset: give one of webhook, awx, job and manual"),
             std::pair(step(R"("webhook":{"url":"ftp://h"})"),
                       "spec.repairs[all].steps[reset].webhook.url: ftp://h: begin with https:// or http://"),
             std::pair(step(R"("webhook":{"url":"http://h/{host}"})"),
                       "spec.repairs[all].steps[reset].webhook.url: {host}: use {node}, {uid}, {reason}, {gpus}, "
                       "{attempt}, {token}"),
             std::pair(step(R"("webhook":{"url":"http://h","body":"{\"a\":{\"b\":\"{name}\"}}"})"),
                       "spec.repairs[all].steps[reset].webhook.body: {name}: use {node}, {uid}, {reason}, {gpus}, "
                       "{attempt}, {token}"),
         }) {
        const auto& [bad, sentence] = each;
        CAPTURE(each.first);
        CHECK(check_says(bad) == sentence);
    }
    CHECK(check_says(step(R"("webhook":{"url":"http://h/{node}?t={token}","body":"{\"gpus\":\"{gpus}\"}"})")) == "");
}

TEST_CASE("without triggers there are those of the labeler") {
    const auto triggers = triggers_of({});
    CHECK(fired(triggers, "kcontrol.dev/GPUHealthy", "False", "GPUFailed") != nullptr);
    CHECK(fired(triggers, "kcontrol.dev/GPUHealthy", "Unknown", "DriverHangs") != nullptr);
    CHECK(fired(triggers, "kcontrol.dev/GPUHealthy", "Unknown", "Starting") == nullptr);
    CHECK(fired(triggers, "kcontrol.dev/GPUHealthy", "True", "GPUFailed") == nullptr);
}

TEST_CASE("a reason becomes a valid value of a taint, and UUIDs are read from a message") {
    CHECK(taint_of({}, "GPUFailed").value == "GPUFailed");
    CHECK(taint_of({}, "-a b/c!").value == "a-b-c");
    CHECK(taint_of({}, std::string(80, 'x')).value.size() == 63);
    const auto gpus = gpus_in(
        "GPU-11111111-2222-3333-4444-555555555555 and GPU-1 and "
        "GPU-11111111-2222-3333-4444-555555555555, MIG-aaaaaaaa-2222-3333-4444-555555555555.");
    CHECK(gpus == std::vector<std::string>{"GPU-11111111-2222-3333-4444-555555555555",
                                           "MIG-aaaaaaaa-2222-3333-4444-555555555555"});
}

TEST_CASE("a node is healthy by the opposite of its fault, unless the policy says by what") {
    fault of;
    of.type = "T";
    of.status = "True";
    CHECK(healthy_condition_of({}, of)->status == "False");
    of.status = "Unknown";
    CHECK(healthy_condition_of({}, of)->status == "True");
    CHECK_FALSE(healthy_condition_of({}, std::nullopt));
}
