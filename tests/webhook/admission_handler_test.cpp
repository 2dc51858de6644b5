// Chains of defaulters and validators: what they see, what becomes of what they say.
#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/documents/patch.hpp>

#include "support/print.hpp"
#include "webhook/crontab.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

json::value answer_to(const admission_handler& handler, const std::string& review) {
    const auto asked = decode_admission_review(review).value();
    return json::parse(to_json(ask(handler, review), asked)).value().at("response");
}

TEST_CASE("defaulters run one after the other, plain or as coroutines, and the answer is the difference") {
    const auto handler = defaulting_handler<crontab>(
        [](crontab& c) {
            if (!c.spec.replicas) c.spec.replicas = 1;
        },
        [](crontab& c, const admission_context& ctx) -> awaitable<result<void>> {
            c.metadata.labels["made-by"] = ctx.user().name;
            co_return result<void>();
        },
        [](crontab& c) -> awaitable<void> {
            c.spec.replicas = *c.spec.replicas + 1;
            co_return;
        });
    const std::string object = crontab_json(R"("spec":{"schedule":"x","secret":{"of":"others"}})");
    const auto answer =
        answer_to(handler, crontab_review(R"("operation":"CREATE","userInfo":{"username":"anna"},"object":)" + object));
    CHECK(answer.at("uid") == "u-1");
    CHECK(answer.at("allowed") == true);
    CHECK(answer.at("patchType") == "JSONPatch");
    auto edited = json::parse(object).value();
    const auto patch = json::parse(decode_base64(json::get_string(answer, {"patch"})).value()).value();
    REQUIRE(json::apply_patch(edited, patch));
    CHECK(edited.at("spec").at("replicas") == 2);
    CHECK(edited.at("spec").at("secret").at("of") == "others");
    CHECK(edited.at("metadata").at("labels").at("made-by") == "anna");
    CHECK_FALSE(edited.at("spec").as_object().contains("suspended"));
}

TEST_CASE("nothing to default: no patch; a deletion is let through unseen") {
    int called = 0;
    const auto handler = defaulting_handler<crontab>([&called](crontab& c) { ++called, c.spec.replicas = 1; });
    CHECK(answer_to(handler, create_review(R"("spec":{"replicas":1})")) ==
          json::parse(R"({"uid":"u-1","allowed":true})").value());
    CHECK(called == 1);
    const auto deleted = crontab_review(R"("operation":"DELETE","oldObject":)" + crontab_json(R"("spec":{})"));
    CHECK(answer_to(handler, deleted) == json::parse(R"({"uid":"u-1","allowed":true})").value());
    CHECK(called == 1);
}

TEST_CASE("a defaulter that fails refuses with its words, and the next one is not called") {
    bool next = false;
    const auto handler = defaulting_handler<crontab>(
        [](crontab&) -> result<void> { return error(errc::invalid_argument, "no such time zone"); },
        [&next](crontab&) { next = true; });
    const auto answer = answer_to(handler, create_review(R"("spec":{})"));
    CHECK(answer.at("allowed") == false);
    CHECK(answer.at("status").at("message") == "no such time zone");
    CHECK(answer.at("status").at("reason") == "Forbidden");
    CHECK(answer.at("status").at("code") == 403);
    CHECK_FALSE(next);
}

TEST_CASE("an object that does not fit its type is refused with the member's path") {
    const auto handler = defaulting_handler<crontab>([](crontab&) {});
    const auto answer = answer_to(handler, create_review(R"("spec":{"replicas":"many"})"));
    CHECK(answer.at("allowed") == false);
    CHECK(answer.at("status").at("code") == 400);
    CHECK(json::get_string(answer, {"status", "message"}).find("request.object: spec.replicas: ") == 0);
}

TEST_CASE("a webhook that is asked about another kind says so") {
    const auto handler = validating_handler<crontab>([](const admission_of<crontab>&) { return admission_verdict(); });
    const auto answer =
        answer_to(handler, R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",
        "kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","object":{}}})");
    CHECK(answer.at("allowed") == false);
    CHECK(json::get_string(answer, {"status", "message"}).find("request.kind: ") == 0);
}

TEST_CASE("a validator sees old and new, the user, dry run, operation and subresource") {
    std::string seen;
    const auto handler =
        validating_handler<crontab>([&seen](const admission_of<crontab>& of, const admission_context& ctx) {
            seen = std::string(to_string(ctx.operation())) + (ctx.dry_run() ? " dry " : " ") + ctx.user().name + " " +
                   ctx.request().subresource + (of.is_create() ? " create" : "") + (of.is_update() ? " update" : "") +
                   (of.is_delete() ? " delete" : "") + (of.is_connect() ? " connect" : "") + " " +
                   of.subject().spec.schedule;
            return admission_verdict();
        });
    const std::string rest = R"("dryRun":true,"subResource":"status","userInfo":{"username":"anna"},)";
    const std::string old_object = crontab_json(R"("spec":{"schedule":"old"})");
    const std::string object = crontab_json(R"("spec":{"schedule":"new"})");
    ask(handler, crontab_review(rest + R"("operation":"CREATE","object":)" + object));
    CHECK(seen == "CREATE dry anna status create new");
    ask(handler, crontab_review(rest + R"("operation":"UPDATE","object":)" + object + R"(,"oldObject":)" + old_object));
    CHECK(seen == "UPDATE dry anna status update new");
    ask(handler, crontab_review(rest + R"("operation":"DELETE","oldObject":)" + old_object));
    CHECK(seen == "DELETE dry anna status delete old");
    ask(handler, crontab_review(rest + R"("operation":"CONNECT","object":)" + object));
    CHECK(seen == "CONNECT dry anna status connect new");
}

TEST_CASE("causes and warnings of several validators add up, worded as the API server's own") {
    const auto handler = validating_handler<crontab>(
        schema_validator<crontab>(),
        [](const admission_of<crontab>&) -> awaitable<admission_verdict> {
            admission_verdict out;
            out.forbid("spec.args", "args are set by the operator").warn("schedule is deprecated, use spec.times");
            co_return out;
        },
        [](const admission_of<crontab>&) {
            admission_verdict out;
            out.annotate("checked", "yes");
            return out;
        });
    const auto answer = answer_to(handler, create_review(R"("spec":{"replicas":11})"));
    CHECK(
        json::serialize(answer) ==
        R"({"uid":"u-1","allowed":false,"status":{"status":"Failure","message":"CronTab.stable.example.com \"nightly\" )"
        R"(is invalid: [spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10, )"
        R"(spec.args: Forbidden: args are set by the operator]","reason":"Invalid","details":{"name":"nightly",)"
        R"("group":"stable.example.com","kind":"CronTab","causes":[{"reason":"FieldValueInvalid","message":)"
        R"("Invalid value: 11: spec.replicas in body should be less than or equal to 10","field":"spec.replicas"},)"
        R"({"reason":"FieldValueForbidden","message":"Forbidden: args are set by the operator","field":"spec.args"}]},)"
        R"("code":422},"warnings":["schedule is deprecated, use spec.times"],"auditAnnotations":{"checked":"yes"}})");
}

TEST_CASE("a refusal with a status of its own is the last word") {
    bool next = false;
    const auto handler = validating_handler<crontab>(
        [](const admission_of<crontab>&) { return admission_verdict::deny("not on a Friday"); },
        [&next](const admission_of<crontab>&) {
            next = true;
            return admission_verdict();
        });
    const auto answer = answer_to(handler, create_review(R"("spec":{})"));
    CHECK(answer.at("status").at("message") == "not on a Friday");
    CHECK_FALSE(next);
}

TEST_CASE("what errors a validator returns decides about the status") {
    const auto refuse = [](error why) {
        const auto handler =
            validating_handler<crontab>([why](const admission_of<crontab>&) -> result<void> { return why; });
        const auto status = answer_to(handler, create_review(R"("spec":{})")).at("status");
        return std::to_string(status.at("code").as_int64()) + " " + std::string(json::get_string(status, {"reason"}));
    };
    api_status conflict;
    conflict.code = 409, conflict.reason = "Conflict", conflict.message = "in use";
    CHECK(refuse(error(conflict)) == "409 Conflict");
    CHECK(refuse(error(errc::timeout)) == "504 Timeout");
    CHECK(refuse(error(errc::stopped)) == "503 ServiceUnavailable");
    CHECK(refuse(error(errc::callback_failed)) == "500 InternalError");
    CHECK(refuse(error(errc::connection_lost)) == "403 Forbidden");
}

TEST_CASE("kinds known at run time are edited and checked as well, and keep what they are") {
    const auto info = dynamic_resource({"stable.example.com", "v1", "CronTab"}, "crontabs");
    const auto handler =
        detail::make_defaulting_handler(info, {detail::make_default_step<dynamic_object>([](dynamic_object& o) {
                                            o.content["spec"].as_object()["added"] = 1;
                                            o.metadata.annotations["seen"] = "yes";
                                        })});
    const std::string object = R"({"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly",)"
                               R"("managedFields":[{"manager":"kubectl"}]},"spec":{"big":1.50}})";
    const auto answer = answer_to(handler, crontab_review(R"("operation":"CREATE","object":)" + object));
    auto edited = json::parse(object).value();
    const auto patch = json::parse(decode_base64(json::get_string(answer, {"patch"})).value()).value();
    REQUIRE(json::apply_patch(edited, patch));
    CHECK(edited ==
          json::parse(R"({"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly",)"
                      R"("managedFields":[{"manager":"kubectl"}],"annotations":{"seen":"yes"}},)"
                      R"("spec":{"big":1.5,"added":1}})")
              .value());
}

}  // namespace
