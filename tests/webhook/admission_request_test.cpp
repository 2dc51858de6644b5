// What of an AdmissionReview is read, and how what is wrong with one is told.
#include "support/print.hpp"
#include "webhook/crontab.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

std::string refusal(const std::string& text) {
    const auto read = decode_admission_review(text);
    return read ? std::string("it was read") : read.error().message();
}

TEST_CASE("everything that a validator may ask for is read") {
    const auto read =
        decode_admission_review(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{
        "uid":"705ab4f5","kind":{"group":"autoscaling","version":"v1","kind":"Scale"},
        "resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale",
        "requestKind":{"group":"autoscaling","version":"v1beta1","kind":"Scale"},
        "requestResource":{"group":"apps","version":"v1beta1","resource":"deployments"},"requestSubResource":"scale",
        "name":"web","namespace":"shop","operation":"UPDATE","dryRun":true,
        "userInfo":{"username":"admin","uid":"014f","groups":["system:authenticated","ops"],"extra":{"key":["a","b"]}},
        "object":{"spec":{"replicas":3}},"oldObject":{"spec":{"replicas":1}},"options":{"kind":"UpdateOptions"}}})");
    REQUIRE(read);
    CHECK(read->uid == "705ab4f5");
    CHECK(read->kind == group_version_kind("autoscaling", "v1", "Scale"));
    CHECK(read->resource == group_version_resource{"apps", "v1", "deployments"});
    CHECK(read->subresource == "scale");
    CHECK(read->request_kind.version == "v1beta1");
    CHECK(read->request_resource.version == "v1beta1");
    CHECK(read->request_subresource == "scale");
    CHECK(read->operation == admission_operation::update);
    CHECK(read->user.name == "admin");
    CHECK(read->user.in_group("ops"));
    CHECK_FALSE(read->user.in_group("dev"));
    CHECK(read->user.extra.at("key") == std::vector<std::string>{"a", "b"});
    CHECK(read->dry_run);
    CHECK(read->object["spec"]["replicas"].as_int64() == 3);
    CHECK(read->old_object["spec"]["replicas"].as_int64() == 1);
    CHECK(read->options["kind"].as_string() == "UpdateOptions");
    CHECK(read->describe() == R"(update Scale/scale "web" in namespace "shop")");
}

TEST_CASE("what the client sent is what the webhook sees where nothing was converted") {
    const auto read = decode_admission_review(create_review(R"("spec":{})"));
    REQUIRE(read);
    CHECK(read->request_kind == read->kind);
    CHECK(read->request_resource == read->resource);
    CHECK_FALSE(read->dry_run);
    CHECK(read->subject().is_object());
}

TEST_CASE("a copy keeps the text that its objects are places of") {
    std::optional<admission_request> copy;
    {
        auto read = decode_admission_review(create_review(R"("spec":{"schedule":"* * * * *"})"));
        REQUIRE(read);
        copy = *read;
    }
    CHECK(copy->object["spec"]["schedule"].as_string() == "* * * * *");
}

TEST_CASE("what is wrong is named by its path") {
    CHECK(refusal("{").find("byte") != std::string::npos);
    CHECK(refusal("[]") == "expected an AdmissionReview, found no object");
    CHECK(refusal(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})") ==
          "apiVersion: expected admission.k8s.io/v1, found \"admission.k8s.io/v1beta1\"; name v1 in the "
          "configuration's list of review versions");
    CHECK(refusal(R"({"kind":"Pod","apiVersion":"admission.k8s.io/v1"})") ==
          "kind: expected AdmissionReview, found \"Pod\"");
    CHECK(refusal(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})") == "request: it is missing");
    CHECK(refusal(crontab_review(R"("operation":"CREATE","object":{},"userInfo":{"groups":["a",7]})"))
              .find("request.userInfo.groups[1]: ") == 0);
    CHECK(refusal(crontab_review(R"("operation":"CREATE","object":{},"dryRun":"no")")).find("request.dryRun: ") == 0);
    CHECK(refusal(crontab_review(R"("operation":"PATCH","object":{})")) ==
          "request.operation: expected CREATE, UPDATE, DELETE or CONNECT, found \"PATCH\"");
    CHECK(refusal(crontab_review(R"("operation":"CREATE")")) ==
          "request.object: it is missing; a request to CREATE has one");
    CHECK(refusal(crontab_review(R"("operation":"UPDATE","object":{})")) ==
          "request.oldObject: it is missing; a request to UPDATE has one");
    CHECK(refusal(crontab_review(R"("operation":"DELETE")")) ==
          "request.oldObject: it is missing; a request to DELETE has one");
    CHECK(refusal(crontab_review(R"("operation":"CREATE","object":[])")) == "request.object: expected an object");
    CHECK(refusal(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"kind":{"kind":"A"}}})") ==
          "request.uid: it is missing");
    CHECK(refusal(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1"}})") ==
          "request.kind.kind: it is missing");
}

TEST_CASE("a long or hostile text is not repeated as it is") {
    const auto told =
        refusal(crontab_review(R"("object":{},"operation":")" + std::string(5000, 'x') + R"(\u001b[2J")"));
    CHECK(told.size() < 300);
    CHECK(told.find('\x1b') == std::string::npos);
}

}  // namespace
