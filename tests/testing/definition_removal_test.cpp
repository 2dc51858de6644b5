// What becomes of custom objects when their definition changes or goes, and what a namespace that is being deleted says
// of its content. Answers as of Kubernetes 1.36.
#include "testing/api_server_fixture.hpp"

using namespace kcontrol;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd = crds + "/ws.x.io",
                  ws = "/apis/x.io/v1/namespaces/default/ws";

std::string definition(const std::string& properties, const std::string& metadata = {}) {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ws.x.io")" +
           metadata + R"(},"spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"ws","kind":"W","singular":"w",
           "listKind":"WList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
           "type":"object","properties":{"spec":{"type":"object","properties":{)" +
           properties + "}}}}}}]}}";
}

std::string object(const std::string& name, const std::string& metadata = {}, const std::string& spec = {}) {
    return R"({"kind":"W","apiVersion":"x.io/v1","metadata":{"name":")" + name + "\"" + metadata + R"(},"spec":{)" +
           spec + "}}";
}

std::string reason_of(const json::value& whole, std::string_view type) {
    for (const auto& one : json::find(whole, {"status", "conditions"})->as_array()) {
        if (json::get_string(one, {"type"}) != type) continue;
        return std::string(json::get_string(one, {"status"})) + " " + std::string(json::get_string(one, {"reason"})) +
               ": " + std::string(json::get_string(one, {"message"}));
    }
    return "none";
}

}  // namespace

TEST_CASE("a definition stays until the last of its objects has gone") {
    test::api_server_fixture f;
    f.post(crds, definition(""));
    f.post(ws, object("free"));
    f.post(ws, object("held", R"(,"finalizers":["x.io/hold"])"));
    const auto watch = f.client.start(ws + "?watch=1&resourceVersion=" + std::to_string(f.server.resource_version()));
    const auto deleted = f.client.call("DELETE", crd)->json();
    CHECK(json::get_string(deleted, {"kind"}) == "CustomResourceDefinition");
    CHECK(json::serialize(deleted.at("metadata").at("finalizers")) ==
          R"(["customresourcecleanup.apiextensions.k8s.io"])");
    CHECK(reason_of(deleted, "Terminating") ==
          "True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will "
          "begin "
          "soon");
    CHECK(reason_of(f.json_of(crd), "Terminating") ==
          "True InstanceDeletionInProgress: CustomResource deletion is in progress");
    CHECK(reason_of(f.json_of(crd), "Established").starts_with("True"));
    CHECK(f.names(ws) == "held");
    CHECK(json::find(f.json_of(ws + "/held"), {"metadata", "deletionTimestamp"}) != nullptr);
    CHECK(f.said("POST", ws, object("late")) ==
          "403 ws.x.io \"late\" is forbidden: create not allowed while custom resource definition is terminating");
    CHECK(f.client.merge(ws + "/held", R"({"metadata":{"labels":{"a":"b"}}})")->head.status == 200);
    CHECK(f.client.call("DELETE", crd)->head.status == 200);
    CHECK(f.names(crds) == "ws.x.io");
    CHECK_FALSE(watch->done);
    CHECK(f.client.merge(ws + "/held", R"({"metadata":{"finalizers":null}})")->head.status == 200);
    testing::manual_environment::run_ready(f.context);
    CHECK(f.said("GET", crd).starts_with("404"));
    CHECK(f.said("GET", ws) == "404");
    CHECK(watch->done);
    CHECK(watch->events() ==
          std::vector<std::string>{"DELETED free", "MODIFIED held", "MODIFIED held", "DELETED held"});
    f.post(crds, definition(""));
    CHECK(f.names(ws).empty());
}

TEST_CASE("a definition without objects goes at once, unless somebody holds it") {
    test::api_server_fixture f;
    f.post(crds, definition(""));
    CHECK(f.said("DELETE", crd + "?dryRun=All") == "200");
    CHECK(f.names(crds) == "ws.x.io");
    CHECK(json::find(f.json_of(crd), {"metadata", "finalizers"}) == nullptr);
    CHECK(f.said("DELETE", crd) == "200");
    CHECK(f.names(crds).empty());
    f.post(crds, definition("", R"(,"finalizers":["x.io/mine"])"));
    f.post(ws, object("a"));
    CHECK(f.said("DELETE", crd) == "200");
    CHECK(json::serialize(f.json_of(crd).at("metadata").at("finalizers")) == R"(["x.io/mine"])");
    CHECK(f.names(ws).empty());
    CHECK(f.client.merge(crd, R"({"metadata":{"finalizers":null}})")->head.status == 200);
    CHECK(f.names(crds).empty());
    CHECK(f.said("GET", ws) == "404");
}

TEST_CASE("stored objects have the defaults of a later schema, and lose what it does not know") {
    test::api_server_fixture f;
    f.post(crds, definition(R"("gone":{"type":"string"},"kept":{"type":"string"})"));
    f.post(ws, object("a", {}, R"("gone":"x","kept":"y")"));
    const std::string version(json::get_string(f.json_of(ws + "/a"), {"metadata", "resourceVersion"}));
    auto changed = json::parse(definition(R"("kept":{"type":"string"},"n":{"type":"integer","default":3})")).value();
    changed.as_object()["metadata"] = f.json_of(crd).at("metadata");
    const auto put = f.client.call("PUT", crd, json::serialize(changed));
    INFO(put->body);
    REQUIRE(put->head.status == 200);
    const char* const spec = R"({"kept":"y","n":3})";
    for (const char* query : {"", "?resourceVersion=0"}) {
        CAPTURE(query);
        const auto now = f.json_of(ws + "/a" + query);
        CHECK(json::equal(now.at("spec"), json::parse(spec).value()));
        CHECK(json::get_string(now, {"metadata", "resourceVersion"}) == version);
    }
    CHECK(json::equal(f.json_of(ws).at("items").at(0).at("spec"), json::parse(spec).value()));
    CHECK(f.client.merge(ws + "/a", R"({"metadata":{"labels":{"a":"b"}}})")->head.status == 200);
    CHECK(json::equal(f.json_of(ws + "/a").at("spec"), json::parse(spec).value()));
}

TEST_CASE("a namespace that is being deleted says what is left in it") {
    test::api_server_fixture f;
    const std::string ns = "/api/v1/namespaces/n", maps = ns + "/configmaps";
    f.post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
    f.post(maps, R"({"metadata":{"name":"a","finalizers":["x.io/hold","x.io/more"]}})");
    f.post(maps, R"({"metadata":{"name":"b","finalizers":["x.io/hold"]}})");
    f.post(maps, R"({"metadata":{"name":"c"}})");
    f.post("/apis/coordination.k8s.io/v1/namespaces/n/leases",
           R"({"metadata":{"name":"l","finalizers":["x.io/hold"]}})");
    CHECK(f.said("DELETE", ns) == "200");
    const auto reason = [&](std::string_view type) { return reason_of(f.json_of(ns), type); };
    CHECK(reason("NamespaceContentRemaining") ==
          "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, "
          "leases.coordination.k8s.io has 1 resource instances");
    CHECK(reason("NamespaceFinalizersRemaining") ==
          "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: x.io/hold in 3 resource "
          "instances, x.io/more in 1 resource instances");
    CHECK(reason("NamespaceDeletionDiscoveryFailure") ==
          "False ResourcesDiscovered: All resources successfully discovered");
    CHECK(reason("NamespaceDeletionGroupVersionParsingFailure") ==
          "False ParsedGroupVersions: All legacy kube types successfully parsed");
    CHECK(reason("NamespaceDeletionContentFailure") ==
          "False ContentDeleted: All content successfully deleted, may be waiting on finalization");
    const char* const release = R"({"metadata":{"finalizers":null}})";
    CHECK(f.client.merge(maps + "/b", release)->head.status == 200);
    CHECK(reason("NamespaceContentRemaining").find("configmaps. has 1 resource instances") != std::string::npos);
    CHECK(f.client.merge("/apis/coordination.k8s.io/v1/namespaces/n/leases/l", release)->head.status == 200);
    CHECK(f.client.merge(maps + "/a", release)->head.status == 200);
    CHECK(f.said("GET", ns).starts_with("404"));
}

TEST_CASE("what pods may need stays in a namespace until the last pod has ended") {
    test::api_server_fixture f;
    const std::string ns = "/api/v1/namespaces/n";
    f.post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
    f.post(ns + "/pods",
           R"({"metadata":{"name":"p","finalizers":["x.io/hold"]},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    f.post(ns + "/configmaps", R"({"metadata":{"name":"a"}})");
    CHECK(f.said("DELETE", ns) == "200");
    CHECK(f.names(ns + "/configmaps") == "a");
    CHECK(reason_of(f.json_of(ns), "NamespaceContentRemaining") ==
          "True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances");
    CHECK(f.client.merge(ns + "/pods/p", R"({"metadata":{"finalizers":null}})")->head.status == 200);
    CHECK(f.said("GET", ns).starts_with("404"));
}
