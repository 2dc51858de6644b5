// api_catalog and api_discovery: what a server serves, and which part of it could not be had.
#include <kcontrol/client/api_discovery.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

constexpr const char* core = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},
"items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[
 {"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},"scope":"Namespaced",
  "singularResource":"pod","verbs":["create","get","list"],"shortNames":["po"],"categories":["all"],
  "subresources":[{"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"},
   "verbs":["create"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Pod"},"verbs":["get"]},
   7]},
 {"resource":"nodes","responseKind":{"group":"","version":"","kind":"Node"},"scope":"Cluster",
  "singularResource":"node","verbs":["get"],"shortNames":["no"]},
 {"resource":"events","responseKind":{"group":"","version":"","kind":"Event"},"scope":"Namespaced",
  "singularResource":"event","verbs":["get"],"shortNames":["ev"]},"odd",{"resource":"x"}]}]}]})";

constexpr const char* groups = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
 {"metadata":{"name":"apps"},"versions":[
  {"version":"v1","freshness":"Current","resources":[{"resource":"deployments","responseKind":{"group":"",
   "version":"","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["get","patch"],
   "shortNames":["deploy"],"categories":["all"]}]},
  {"version":"v1beta1","freshness":"Current","resources":[{"resource":"deployments","responseKind":{"group":"apps",
   "version":"v1beta1","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["get"],
   "categories":["all"]},{"resource":"relics","responseKind":{"group":"apps","version":"v1beta1","kind":"Relic"},
   "scope":"Namespaced","singularResource":"relic","verbs":["get"]}]}]},
 {"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","freshness":"Current","resources":[
  {"resource":"events","responseKind":{"group":"","version":"","kind":"Event"},"scope":"Namespaced",
   "singularResource":"event","verbs":["get"],"shortNames":["ev"]}]}]},
 {"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]}]})";

std::string name_of(const api_resource* found) {
    return found == nullptr ? "none" : found->gvk.api_version() + " " + found->plural;
}

std::string tell(const result<api_resource>& found) { return found ? name_of(&*found) : found.error().what(); }

class discovery_fixture : public client_fixture {
public:
    api_discovery make(discovery_options options = {}) { return api_discovery(connect(), options, log); }
    void expect_catalog(const char* named = groups) {
        net->expect("GET /api").reply(200, core);
        net->expect("GET /apis").reply(200, named);
    }
};

}  // namespace

TEST_CASE_FIXTURE(discovery_fixture, "api_discovery: the aggregated form, kept for its lifetime") {
    expect_catalog();
    auto discovery = make();
    const auto got = await(discovery.catalog());
    REQUIRE(got.has_value());
    CHECK(net->sent()[0].headers.get("Accept").find("as=APIGroupDiscoveryList") != std::string_view::npos);
    const api_catalog& all = **got;
    REQUIRE(all.groups.size() == 4);
    CHECK(all.groups[1].versions == std::vector<std::string>{"v1", "v1beta1"});
    REQUIRE(all.resources.size() == 7);
    const api_resource* const pods = all.find("po");
    REQUIRE(pods != nullptr);
    CHECK(pods->gvk == group_version_kind("", "v1", "Pod"));
    CHECK(pods->namespaced);
    CHECK(pods->can("create"));
    CHECK(!pods->can("watch"));
    REQUIRE(pods->subresource("eviction") != nullptr);
    CHECK(pods->subresource("eviction")->gvk == group_version_kind("policy", "v1", "Eviction"));
    CHECK(pods->subresource("status")->gvk == group_version_kind("", "v1", "Pod"));
    CHECK(pods->subresource("scale") == nullptr);
    CHECK(!all.find("nodes")->namespaced);
    // The broken one is told, and hides nothing.
    REQUIRE(all.failures.size() == 1);
    CHECK(all.failures[0].group_version() == "metrics.k8s.io/v1beta1");
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].find("group_version=metrics.k8s.io/v1beta1") != std::string::npos);

    (void)await(discovery.catalog());
    env.advance(std::chrono::minutes(9), context);
    (void)await(discovery.catalog());
    CHECK(net->sent().size() == 2);
    env.advance(std::chrono::minutes(2), context);
    expect_catalog();
    (void)await(discovery.catalog());
    CHECK(net->sent().size() == 4);
    CHECK(logged.size() == 1);  // it is told once
    discovery.invalidate();
    expect_catalog();
    (void)await(discovery.catalog());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(discovery_fixture, "api_catalog: what a word means") {
    expect_catalog();
    auto discovery = make();
    const auto got = await(discovery.catalog());
    REQUIRE(got.has_value());
    const api_catalog& all = **got;
    const std::pair<const char*, const char*> table[] = {
        {"pods", "v1 pods"},
        {"pod", "v1 pods"},
        {"po", "v1 pods"},
        {"Pod", "v1 pods"},
        {"PODS", "v1 pods"},
        {"deploy", "apps/v1 deployments"},
        {"deployments.apps", "apps/v1 deployments"},
        {"deployments.v1beta1.apps", "apps/v1beta1 deployments"},
        {"deploy.v1.apps", "apps/v1 deployments"},
        {"relic", "apps/v1beta1 relics"},
        {"ev", "v1 events"},
        {"events.events.k8s.io", "events.k8s.io/v1 events"},
        {"event.v1.events.k8s.io", "events.k8s.io/v1 events"},
        {"pods.v1.", "v1 pods"},
        {"pods.apps", "none"},
        {"deployments.v2.apps", "none"},
        {"", "none"},
        {".", "none"},
        {"all", "none"},
    };
    for (const auto& row : table) {
        const auto& [word, meaning] = row;
        CAPTURE(row.first);
        CHECK(name_of(all.find(word)) == meaning);
    }
    CHECK(name_of(all.find(group_version_kind("apps", "", "Deployment"))) == "apps/v1 deployments");
    CHECK(name_of(all.find(group_version_kind("apps", "v1beta1", "Deployment"))) == "apps/v1beta1 deployments");
    CHECK(name_of(all.find(group_version_kind("apps", "v2", "Deployment"))) == "none");
    CHECK(name_of(all.find(group_version_kind("apps", "", "deployment"))) == "none");
    const auto category = all.in_category("all");
    REQUIRE(category.size() == 2);
    CHECK(name_of(category[0]) == "v1 pods");
    CHECK(name_of(category[1]) == "apps/v1 deployments");
    CHECK(all.preferred().size() == 6);
}

TEST_CASE_FIXTURE(discovery_fixture,
                  "api_discovery: what is missing is looked for again, but not more often than its pace") {
    expect_catalog();
    auto discovery = make();
    CHECK(tell(await(discovery.find("deploy"))) == "apps/v1 deployments");
    // Asked just now: it is not there.
    const auto missing = await(discovery.find("gizmos"));
    REQUIRE(!missing.has_value());
    CHECK(missing.error() == errc::no_such_kind);
    CHECK(missing.error() == condition::not_found);
    CHECK(missing.error().message() ==
          "the server serves no \"gizmos\"; the kinds of these could not be had: metrics.k8s.io/v1beta1");
    CHECK(net->sent().size() == 2);
    // A kind of a group that could not be had may be there: so its trouble is the answer.
    const auto hidden = await(discovery.find(group_version_kind("metrics.k8s.io", "v1beta1", "PodMetrics")));
    REQUIRE(!hidden.has_value());
    CHECK(hidden.error() == api_errc::service_unavailable);
    CHECK(await(discovery.find("pods.metrics.k8s.io")).error() == api_errc::service_unavailable);
    CHECK(await(discovery.find("pods.v1beta1.metrics.k8s.io")).error() == api_errc::service_unavailable);
    CHECK(net->sent().size() == 2);

    env.advance(std::chrono::seconds(11), context);
    expect_catalog(R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[
        {"version":"v1","resources":[{"resource":"gizmos","responseKind":{"group":"example.com","version":"v1",
        "kind":"Gizmo"},"scope":"Namespaced","singularResource":"gizmo","verbs":["get"]}]}]}]})");
    CHECK(tell(await(discovery.find("gizmo"))) == "example.com/v1 gizmos");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(discovery_fixture, "api_discovery: servers without the aggregated form") {
    const auto answer_all = [&] {
        net->expect("GET /api").reply(200, R"({"kind":"APIVersions","versions":["v1"]})");
        net->expect("GET /api/v1").reply(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
            {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"],"shortNames":["po"]},
            {"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1",
             "kind":"Eviction","verbs":["create"]},
            {"name":"pods/status","singularName":"","namespaced":true,"kind":"Pod","verbs":["get"]}]})");
        net->expect("GET /apis").reply(200, R"({"kind":"APIGroupList","groups":[
            {"name":"apps","versions":[{"version":"v1beta1"},{"version":"v1"}],"preferredVersion":{"version":"v1"}},
            {"name":"metrics.k8s.io","versions":[{"version":"v1beta1"}]}]})");
    };
    answer_all();
    net->expect("GET /apis/apps/v1").reply(200, R"({"kind":"APIResourceList","resources":[
        {"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["get"]}]})");
    net->expect("GET /apis/apps/v1beta1").reply(200, R"({"kind":"APIResourceList","resources":null})");
    net->expect("GET /apis/metrics.k8s.io/v1beta1").reply(503, "service unavailable\n", "text/plain");
    auto discovery = make(discovery_options().legacy(true));
    const auto got = await(discovery.catalog());
    REQUIRE(got.has_value());
    CHECK(net->sent()[0].headers.get("Accept") == "application/json");
    CHECK((*got)->groups.size() == 3);
    CHECK(name_of((*got)->find("deployment")) == "apps/v1 deployments");
    REQUIRE((*got)->find("po") != nullptr);
    CHECK((*got)->find("po")->subresource("eviction")->gvk == group_version_kind("policy", "v1", "Eviction"));
    CHECK((*got)->find("po")->subresource("status")->gvk == group_version_kind("", "v1", "Pod"));
    REQUIRE((*got)->failures.size() == 1);
    CHECK((*got)->failures[0].group_version() == "metrics.k8s.io/v1beta1");
    CHECK((*got)->failures[0].why == api_errc::service_unavailable);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(discovery_fixture, "api_discovery: all who ask at once share one question, and its failure") {
    auto discovery = make();
    net->expect("GET /api").reply(429, "{}").header("Retry-After", "1");
    net->expect("GET /api").reply(200, core);
    net->expect("GET /apis").reply(200, groups);
    std::optional<result<api_resource>> one, two;
    start(context, keep_outcome(discovery.find("pods"), one));
    start(context, keep_outcome(discovery.find("deploy"), two));
    manual_environment::run_ready(context);
    CHECK(!one.has_value());
    env.advance(std::chrono::seconds(2), context);
    REQUIRE(one.has_value());
    REQUIRE(two.has_value());
    CHECK(tell(*two) == "apps/v1 deployments");
    CHECK(net->verify());

    // Who is stopped leaves the others their answer.
    discovery.invalidate();
    std::stop_source stop;
    std::optional<result<std::shared_ptr<const api_catalog>>> first, second;
    net->expect("GET /api").hang();
    expect_catalog();
    start(context, keep_outcome(discovery.catalog(stop.get_token()), first));
    manual_environment::run_ready(context);
    start(context, keep_outcome(discovery.catalog(), second));
    manual_environment::run_ready(context);
    stop.request_stop();
    manual_environment::run_ready(context);
    REQUIRE(first.has_value());
    CHECK(first->error() == errc::stopped);
    REQUIRE(second.has_value());
    CHECK(second->has_value());
    CHECK(net->verify());

    discovery.invalidate();
    first.reset();
    second.reset();
    net->expect("GET /api").reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden"})").header("X", "y");
    start(context, keep_outcome(discovery.catalog(), first));
    start(context, keep_outcome(discovery.catalog(), second));
    manual_environment::run_ready(context);
    REQUIRE(first.has_value());
    CHECK(first->error() == condition::access_denied);
    REQUIRE(second.has_value());
    CHECK(!second->has_value());
}

TEST_CASE_FIXTURE(discovery_fixture, "api_discovery: answers that are none") {
    auto discovery = make();
    net->expect("GET /api").reply(404, "404 page not found\n", "text/plain");  // aggregated kinds alone
    net->expect("GET /apis").reply(200, groups);
    CHECK(await(discovery.catalog()).has_value());
    for (const char* answer : {R"({"kind":"PodList","items":[]})", R"({"kind":"APIGroupDiscoveryList","items":7})",
                               R"({"kind":"APIGroupList","groups":"x"})"}) {
        CAPTURE(answer);
        discovery.invalidate();
        net->expect("GET /api").reply(200, answer);
        CHECK(await(discovery.catalog()).error() == errc::decode_failed);
    }
    net->expect("GET /api").reply(200, "<html>", "text/html");
    CHECK(await(discovery.catalog()).error() == errc::not_an_api_server);
    net->expect("GET /api").reply(200, R"({"kind":"APIGroupDiscoveryList","items":null})");
    net->expect("GET /apis").reply(200, R"({"kind":"APIGroupDiscoveryList","items":[7,{"metadata":3,"versions":[8,
        {"version":"v1","resources":[9,{"resource":1},{"resource":"a","responseKind":"b"}]}]},{"versions":{}}]})");
    const auto odd = await(discovery.catalog());
    REQUIRE(odd.has_value());
    CHECK((*odd)->resources.empty());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(discovery_fixture,
                  "api_discovery: OpenAPI documents, asked for anew when the server says they changed") {
    const auto index = [](const std::string& hash) {
        return R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=)" + hash +
               R"("},"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=A"},)"
               R"("bad":{"serverRelativeURL":"https://elsewhere/x"},"worse":7}})";
    };
    auto discovery = make();
    net->expect("GET /openapi/v3").reply(200, index("1"), "text/plain; charset=utf-8");
    net->expect("GET /openapi/v3/api/v1?hash=1").reply(200, R"({"openapi":"3.0.0","n":1})");
    const auto one = await(discovery.openapi("", "v1"));
    REQUIRE(one.has_value());
    CHECK(**one == R"({"openapi":"3.0.0","n":1})");
    CHECK(*await(discovery.openapi("", "v1")) == *one);
    CHECK(*await(discovery.openapi_paths()) == std::vector<std::string>{"api/v1", "apis/apps/v1"});
    CHECK(await(discovery.openapi("none", "v1")).error() == condition::not_found);
    CHECK(await(discovery.openapi("a/b", "v1")).error() == errc::invalid_argument);
    CHECK(net->verify());
    env.advance(std::chrono::minutes(11), context);
    net->expect("GET /openapi/v3").reply(200, index("1"));
    CHECK(*await(discovery.openapi("", "v1")) == *one);
    env.advance(std::chrono::minutes(11), context);
    net->expect("GET /openapi/v3").reply(200, index("2"));
    net->expect("GET /openapi/v3/api/v1?hash=2").reply(200, "not JSON");
    CHECK(await(discovery.openapi("", "v1")).error() == errc::decode_failed);
    // It has changed since the index was made.
    net->expect("GET /openapi/v3/api/v1?hash=2").reply(301, "").header("Location", "/openapi/v3/api/v1?hash=3");
    net->expect("GET /openapi/v3/api/v1").reply(200, R"({"openapi":"3.0.0","n":2})");
    CHECK(**await(discovery.openapi("", "v1")) == R"({"openapi":"3.0.0","n":2})");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(discovery_fixture, "api_discovery: the server's version") {
    auto discovery = make();
    net->expect("GET /version").reply(200, R"({"major":"1","minor":"36+","gitVersion":"v1.36.1","platform":"linux"})");
    const auto version = await(discovery.version());
    REQUIRE(version.has_value());
    CHECK(version->minor == "36+");
    CHECK(version->git_version == "v1.36.1");
    CHECK(await(discovery.version())->major == "1");
    env.advance(std::chrono::minutes(11), context);
    net->expect("GET /version").reply(200, "{}");
    CHECK(await(discovery.version()).error() == errc::decode_failed);
    CHECK(net->verify());
}
