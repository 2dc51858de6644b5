#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/authentication/v1.hpp>
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/client/subresource.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

using api::apps::v1::deployment;
using api::authentication::v1::token_request;
using api::autoscaling::v1::scale;
using api::core::v1::binding;
using api::core::v1::pod;
using api::core::v1::service_account;
using api::policy::v1::eviction;

const std::string scale_path = "/apis/apps/v1/namespaces/jobs/deployments/web/scale";
const namespaced_name web{"jobs", "web"};

std::string scale_json(int replicas, const std::string& version) {
    return R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"jobs",)"
           R"("resourceVersion":")" +
           version + R"("},"spec":{"replicas":)" + std::to_string(replicas) + R"(},"status":{"replicas":1}})";
}

constexpr const char* done = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "subresource: a Scale is read and written as a Scale") {
    client c = connect();
    auto scales = c.subresource<deployment>("scale");
    net->expect("GET " + scale_path).reply(200, scale_json(2, "5"));
    const auto now = await(scales.get<scale>(web));
    REQUIRE(now.has_value());
    CHECK(now->spec.replicas == 2);
    CHECK(now->status.replicas == 1);

    scale wanted;
    wanted.spec.replicas = 7;
    net->expect("PUT " + scale_path + "?fieldManager=me&dryRun=All").reply(200, scale_json(7, "6"));
    const auto updated = await(scales.update(web, wanted, write_options().field_manager("me").dry_run()));
    REQUIRE(updated.has_value());
    CHECK(updated->spec.replicas == 7);
    const std::string& body = net->sent().back().body;
    CHECK(body.find(R"("kind":"Scale")") != std::string::npos);
    CHECK(body.find(R"("apiVersion":"autoscaling/v1")") != std::string::npos);
    CHECK(body.find(R"("name":"web")") != std::string::npos);
    CHECK(body.find(R"("namespace":"jobs")") != std::string::npos);

    scale edited = *now;
    edited.spec.replicas = 3;
    net->expect("PATCH " + scale_path)
        .with_header("Content-Type", merge_patch_type)
        .with_body(R"({"spec":{"replicas":3},"metadata":{"resourceVersion":"5"}})")
        .reply(200, scale_json(3, "7"));
    CHECK(await(scales.patch(*now, edited))->metadata.resource_version == "7");
    CHECK(await(scales.patch(*now, *now)).has_value());  // sends nothing

    net->expect("PATCH " + scale_path)
        .with_header("Content-Type", strategic_merge_patch_type)
        .with_body("{}")
        .reply(409, R"({"kind":"Status","code":409,"reason":"Conflict"})");
    CHECK(await(scales.patch<scale>(web, strategic_merge_patch_type, "{}")).error() == condition::conflict);
    CHECK(await(scales.patch<scale>(web, "text/plain", "{}")).error() == errc::invalid_argument);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "subresource: what is created has its own kind, and a Status is a success") {
    client c = connect();
    net->expect("POST /api/v1/namespaces/jobs/pods/web/eviction")
        .with_body(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web","namespace":"jobs"}})")
        .reply(201, done);
    CHECK(await(c.subresource<pod>("eviction").create(web, eviction())).has_value());

    binding bound;
    bound.target.kind = "Node";
    bound.target.name = "n1";
    net->expect("POST /api/v1/namespaces/jobs/pods/web/binding").reply(201, done);
    const auto sent = await(c.subresource<pod>("binding").create(web, bound));
    REQUIRE(sent.has_value());
    CHECK(sent->target.name == "n1");
    CHECK(net->sent().back().body.find(R"("kind":"Binding")") != std::string::npos);

    token_request asked;
    asked.spec.expiration_seconds = 600;
    net->expect("POST /api/v1/namespaces/jobs/serviceaccounts/web/token")
        .reply(201, R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"web"},)"
                    R"("spec":{"expirationSeconds":600},"status":{"token":"t","expirationTimestamp":)"
                    R"("2030-01-01T00:00:00Z"}})");
    const auto token = await(c.subresource<service_account>("token").create(web, asked));
    REQUIRE(token.has_value());
    CHECK(token->status.token == "t");

    net->expect("POST /api/v1/namespaces/jobs/pods/web/eviction")
        .reply(429, R"({"kind":"Status","status":"Failure","code":429,"reason":"TooManyRequests"})");
    CHECK(await(c.subresource<pod>("eviction").create(web, eviction())).error() == api_errc::too_many_requests);
    // A Status where an object was asked for is none.
    net->expect("GET " + scale_path).reply(200, "<html>", "text/html");
    CHECK(await(c.subresource<deployment>("scale").get<scale>(web)).error() == errc::not_an_api_server);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "subresource: what can't be meant is refused before anything is sent") {
    client c = connect();
    eviction of_another;
    of_another.metadata.name = "other";
    const auto refused = await(c.subresource<pod>("eviction").create(web, of_another));
    REQUIRE(!refused.has_value());
    CHECK(refused.error() == errc::invalid_argument);
    CHECK(refused.error().message() ==
          "Eviction: metadata.name is \"other\", but the call is about \"web\": leave it out, or make them agree");
    eviction elsewhere;
    elsewhere.metadata.namespace_ = "default";
    CHECK(await(c.subresource<pod>("eviction").create(web, elsewhere)).error() == errc::invalid_argument);
    CHECK(await(c.subresource<pod>("").create(web, eviction())).error() == errc::invalid_argument);
    CHECK(await(c.subresource<pod>("..").create(web, eviction())).error() == errc::invalid_argument);
    CHECK(await(c.subresource<pod>("eviction").create({"", "web"}, eviction())).error() == errc::invalid_argument);

    // The parent's kind there is what was sent before, and what no server takes.
    const auto parent =
        await(c.create(widgets(), make_widget("default", "a"), write_options().subresource("eviction")));
    REQUIRE(!parent.has_value());
    CHECK(parent.error() == errc::invalid_argument);
    CHECK(parent.error().message() ==
          "subresource \"eviction\": what is created there is of another kind than Widget; use client::subresource()");
    CHECK(net->sent().empty());
}
