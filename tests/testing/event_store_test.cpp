// Events of core/v1 and of events.k8s.io are one store. Answers as of kube-apiserver 1.36.
#include "testing/api_server_fixture.hpp"

using namespace kcontrol;

namespace {

const std::string core = "/api/v1/namespaces/default/events",
                  recent = "/apis/events.k8s.io/v1/namespaces/default/events";

const char* const core_event = R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e1","namespace":"default"},
    "involvedObject":{"kind":"Pod","name":"p","namespace":"default","uid":"u","apiVersion":"v1",
    "fieldPath":"spec.containers{c}","resourceVersion":"7"},"reason":"R","message":"m",
    "source":{"component":"c","host":"h"},"firstTimestamp":"2026-01-01T00:00:00Z",
    "lastTimestamp":"2026-01-01T00:00:00Z","count":2,"type":"Normal"})";
const char* const recent_event = R"({"kind":"Event","apiVersion":"events.k8s.io/v1",
    "metadata":{"name":"e2","namespace":"default"},"eventTime":"2026-01-01T00:00:00.000000Z",
    "regarding":{"kind":"Pod","name":"p","namespace":"default"},"reason":"R2","note":"m","action":"A",
    "reportingController":"x.io/c","reportingInstance":"i","type":"Warning"})";

json::value without_metadata(json::value object) {
    object.as_object().erase("metadata");
    return object;
}

bool same(const json::value& a, const char* text) { return json::equal(a, json::parse(text).value()); }

}  // namespace

TEST_CASE("an Event is served in both groups, whoever wrote it") {
    test::api_server_fixture f;
    f.post(core, core_event);
    f.post(recent, recent_event);
    const auto e1 = f.json_of(recent + "/e1"), e2 = f.json_of(core + "/e2");
    INFO(json::serialize(e1));
    INFO(json::serialize(e2));
    CHECK(same(without_metadata(e1), R"({"kind":"Event","apiVersion":"events.k8s.io/v1","eventTime":null,"reason":"R",
        "regarding":{"kind":"Pod","namespace":"default","name":"p","uid":"u","apiVersion":"v1","resourceVersion":"7",
        "fieldPath":"spec.containers{c}"},"note":"m","type":"Normal","deprecatedSource":{"component":"c","host":"h"},
        "deprecatedFirstTimestamp":"2026-01-01T00:00:00Z","deprecatedLastTimestamp":"2026-01-01T00:00:00Z",
        "deprecatedCount":2})"));
    CHECK(same(without_metadata(e2), R"({"kind":"Event","apiVersion":"v1","involvedObject":{"kind":"Pod",
        "namespace":"default","name":"p"},"reason":"R2","message":"m","source":{},"firstTimestamp":null,
        "lastTimestamp":null,"type":"Warning","eventTime":"2026-01-01T00:00:00.000000Z","action":"A",
        "reportingComponent":"x.io/c","reportingInstance":"i"})"));
    for (const char* name : {"uid", "resourceVersion", "creationTimestamp"}) {
        const auto original = f.json_of(core + "/e1");
        CHECK(json::get_string(original, {"metadata", name}) == json::get_string(e1, {"metadata", name}));
    }
    CHECK(f.said("POST", core, recent_event).starts_with("400"));
    CHECK(
        f.said("PUT", recent + "/e9", R"({"metadata":{"name":"e9","namespace":"default"},"note":"made by an update"})")
            .starts_with("201"));
    CHECK(f.names(core) == "e1 e2 e9");
}

TEST_CASE("a change of one form of an Event is one of the other, and a watch gets it once") {
    test::api_server_fixture f;
    f.post(core, core_event);
    const std::string from = "?watch=1&resourceVersion=" + std::to_string(f.server.resource_version());
    const auto in_core = f.client.start(core + from), in_recent = f.client.start(recent + from);
    CHECK(f.client.merge(core + "/e1", R"({"count":3})")->head.status == 200);
    CHECK(json::serialize(f.json_of(recent + "/e1").at("deprecatedCount")) == "3");
    CHECK(f.client.merge(recent + "/e1", R"({"deprecatedCount":4})")->head.status == 200);
    CHECK(json::serialize(f.json_of(core + "/e1").at("count")) == "4");
    CHECK(f.client.call("DELETE", recent + "/e1")->head.status == 200);
    testing::manual_environment::run_ready(f.context);
    const std::vector<std::string> expected = {"MODIFIED e1", "MODIFIED e1", "DELETED e1"};
    CHECK(in_core->events() == expected);
    CHECK(in_recent->events() == expected);
    CHECK(f.said("GET", core + "/e1") == R"(404 events "e1" not found)");
    f.post(recent, recent_event);
    std::string taken = recent_event;
    CHECK(f.said("POST", recent, taken) == R"(409 events.events.k8s.io "e2" already exists)");
}

TEST_CASE("field selectors find Events by what they are about, in the words of their group") {
    test::api_server_fixture f;
    f.post(core, core_event);
    f.post(recent, recent_event);
    const auto found = [&f](const std::string& list, const std::string& selector) {
        return f.names(list + "?fieldSelector=" + selector);
    };
    CHECK(found(core, "involvedObject.name%3Dp") == "e1 e2");
    CHECK(found(core, "involvedObject.uid%3Du,involvedObject.kind%3DPod") == "e1");
    CHECK(found(core, "involvedObject.fieldPath%3Dspec.containers%7Bc%7D") == "e1");
    CHECK(found(core, "source%3Dc") == "e1");
    CHECK(found(core, "source%3Dx.io/c") == "e2");
    CHECK(found(core, "reportingComponent%3D") == "e1");
    CHECK(found(recent, "regarding.name%3Dp") == "e1 e2");
    CHECK(found(recent, "regarding.resourceVersion%3D7") == "e1");
    CHECK(found(recent, "reportingController%3Dx.io/c") == "e2");
    CHECK(found(recent, "type!%3DNormal") == "e2");
    CHECK(found(core, "regarding.name%3Dp") == "field label not supported: regarding.name");
    CHECK(found(recent, "involvedObject.name%3Dp") == "field label not supported: involvedObject.name");
}

TEST_CASE("a snapshot without the other form of its Events gets it") {
    test::api_server_fixture f;
    f.post(core, core_event);
    const auto then = f.server.snapshot();
    REQUIRE(f.server.remove({"", "events"}, {"default", "e1"}));
    CHECK(f.names(recent).empty());
    f.server.restore(then);
    CHECK(f.names(core) == "e1");
    CHECK(f.names(recent) == "e1");
}

TEST_CASE("an owner of another namespace is reported: the namespaced dependent goes, the other stays") {
    test::api_server_fixture f;
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    f.post("/api/v1/namespaces", R"({"metadata":{"name":"far"}})");
    f.post(maps, R"({"metadata":{"name":"owner"}})");
    const std::string uid(json::get_string(f.json_of(maps + "/owner"), {"metadata", "uid"}));
    const std::string owners =
        R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" + uid + "\"}]";
    f.post(maps, R"({"metadata":{"name":"own",)" + owners + "}}");
    f.post("/api/v1/namespaces/far/configmaps", R"({"metadata":{"name":"other",)" + owners + "}}");
    const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    f.post(roles, R"({"metadata":{"name":"wide",)" + owners + "}}");
    for (int i = 0; i < 5; ++i) f.run_for(std::chrono::seconds(10));
    CHECK(f.names(maps) == "own owner");
    CHECK(f.names("/api/v1/namespaces/far/configmaps").empty());
    CHECK(f.said("GET", roles + "/wide") == "200");
    const auto events =
        f.json_of("/api/v1/events?fieldSelector=reason%3DOwnerRefInvalidNamespace").at("items").as_array();
    REQUIRE(events.size() == 2);  // once each
    const json::value &wide = events.at(0), &other = events.at(1);
    CHECK(json::get_string(other, {"metadata", "namespace"}) == "far");
    CHECK(json::get_string(wide, {"metadata", "namespace"}) == "default");
    CHECK(json::get_string(wide, {"involvedObject", "apiVersion"}) == "rbac.authorization.k8s.io/v1");
    CHECK(json::get_string(wide, {"involvedObject", "name"}) == "wide");
    CHECK(json::get_string(other, {"type"}) == "Warning");
    CHECK(json::get_string(other, {"source", "component"}) == "garbage-collector-controller");
    CHECK(json::get_string(other, {"message"}) ==
          "ownerRef [v1/ConfigMap, namespace: far, name: owner, uid: " + uid + "] does not exist in namespace \"far\"");
    CHECK(json::get_string(wide, {"message"}) ==
          "ownerRef [v1/ConfigMap, namespace: , name: owner, uid: " + uid + "] does not exist in namespace \"\"");
    REQUIRE(f.client.call("DELETE", maps + "/owner")->head.status == 200);
    for (int i = 0; i < 5; ++i) f.run_for(std::chrono::seconds(10));
    CHECK(f.names(maps).empty());
    CHECK(f.said("GET", roles + "/wide") == "200");
}
