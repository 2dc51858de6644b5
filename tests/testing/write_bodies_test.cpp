// Bodies that are no objects, and writes to objects that are not there. Answers as of kube-apiserver 1.36.
#include "testing/api_server_fixture.hpp"

using namespace kcontrol;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string go_type = R"(Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
                            R"(Kind string "json:\"kind,omitempty\"" })";
const std::string no_type = "couldn't get version/kind; json parse error: ";

const char* const definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"ws.x.io"},"spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"ws","kind":"W",
    "singular":"w","listKind":"WList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{
    "openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]}})";

}  // namespace

TEST_CASE("a body that is no object is refused, and says what it is") {
    test::api_server_fixture f;
    const std::string refused = "400 the object provided is unrecognized (must be of type ConfigMap): " + no_type;
    for (const char* method : {"POST", "PUT"}) {
        CAPTURE(method);
        const std::string target = maps + (std::string(method) == "PUT" ? "/x" : "");
        const auto said = [&](const std::string& body) { return f.said(method, target, body); };
        CHECK(said("[]") == refused + "json: cannot unmarshal array into " + go_type + " (5b5d)");
        CHECK(said("\"x\"") == refused + "json: cannot unmarshal string into " + go_type + " (227822)");
        CHECK(said("5") == refused + "json: cannot unmarshal number into " + go_type + " (35)");
        CHECK(said("true") == refused + "json: cannot unmarshal bool into " + go_type + " (74727565)");
        CHECK(said("") == refused + "unexpected end of JSON input (<empty>)");
        CHECK(said("{").starts_with(refused));
    }
    const std::string unnamed =
        "422 ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required";
    CHECK(f.said("POST", maps, "null") == unnamed);
    CHECK(f.said("POST", maps, "{}") == unnamed);
    CHECK(f.said("PUT", maps + "/x", "null") ==
          "400 the name of the object (x based on URL) was undeterminable: name must be provided");
}

TEST_CASE("a body of a custom kind has to say its kind") {
    test::api_server_fixture f;
    f.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    const std::string ws = "/apis/x.io/v1/namespaces/default/ws";
    const std::string refused = "400 the object provided is unrecognized (must be of type W): ";
    CHECK(f.said("POST", ws, "null") == refused + "Object 'Kind' is missing in 'null' (6e756c6c)");
    CHECK(f.said("POST", ws, "{}") == refused + "Object 'Kind' is missing in '{}' ({})");
    CHECK(f.said("POST", ws, R"({"apiVersion":"x.io/v1","metadata":{"name":"a"}})") ==
          refused + R"(Object 'Kind' is missing in '{"apiVersion":"x.io/v1","metadata":{"name":"a"}}' )"
                    R"(({"apiVersion":"x.io/v1","metad ...))");
    CHECK(f.said("POST", ws, "[]") == refused + no_type + "json: cannot unmarshal array into " + go_type + " (5b5d)");
    CHECK(f.said("PUT", ws + "/nope", R"({"kind":"W","apiVersion":"x.io/v1","metadata":{"name":"nope"}})") ==
          R"(404 ws.x.io "nope" not found)");
}

TEST_CASE("patches that are no patches") {
    test::api_server_fixture f;
    f.post(maps, R"({"metadata":{"name":"x"}})");
    const auto said = [&f](const std::string& type, const std::string& body) {
        return f.said("PATCH", maps + "/x?fieldManager=m", body, "application/" + type);
    };
    const std::string undecodable = "400 error decoding patch: ", map = "into Go value of type map[string]interface {}";
    CHECK(said("merge-patch+json", "null") == "400 Invalid JSON Patch");
    CHECK(said("merge-patch+json", "[]") == undecodable + "json: cannot unmarshal array " + map);
    CHECK(said("merge-patch+json", "") == undecodable + "unexpected end of JSON input");
    CHECK(said("strategic-merge-patch+json", "null") == "200");
    CHECK(said("strategic-merge-patch+json", "5") == "400 json: cannot unmarshal number " + map);
    CHECK(said("strategic-merge-patch+json", "") == "400 unexpected end of JSON input");
    CHECK(said("json-patch+json", "null") == "200");
    CHECK(said("json-patch+json", "{}") ==
          undecodable + "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
    for (const char* body : {"null", "{}", ""}) {
        CAPTURE(body);
        CHECK(said("apply-patch+yaml", body) == "400 invalid object type: /, Kind=");
    }
}

TEST_CASE("the options of a delete are an object, and are read before the object is looked for") {
    test::api_server_fixture f;
    for (const std::string& target : {maps + "/nope", maps}) {
        CAPTURE(target);
        CHECK(f.said("DELETE", target, "[]") == "400 " + no_type + "json: cannot unmarshal array into " + go_type);
        CHECK(f.said("DELETE", target, R"({"kind":"Foo","apiVersion":"v1"})") ==
              R"(400 no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")");
    }
    CHECK(f.said("DELETE", maps + "/nope", "null") == R"(404 configmaps "nope" not found)");
    CHECK(f.said("DELETE", maps, "null") == "200");
}

TEST_CASE("a PUT to an object that is not there") {
    test::api_server_fixture f;
    const auto named = [](const std::string& more) { return R"({"metadata":{"name":"x")" + more + "}}"; };
    const std::string missing = R"(404 configmaps "x" not found)";
    CHECK(f.said("PUT", maps + "/x", named("")) == missing);
    CHECK(f.said("PUT", maps + "/x", named(R"(,"uid":"abc")")) == missing);
    CHECK(f.said("PUT", maps + "/x", named(R"(,"resourceVersion":"5")")) == missing);
    CHECK(f.said("PUT", maps + "/y", named("")) ==
          "400 the name of the object (x) does not match the name on the URL (y)");
    CHECK(f.said("PUT", maps + "/x", R"({"metadata":{"name":"x"},"data":{"a b":"c"}})") == missing);
    CHECK(f.said("PUT", "/api/v1/namespaces/default/pods/x/status", named("")) == R"(404 pods "x" not found)");
    const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    CHECK(
        f.said("PUT", leases + "/x", named(R"(,"uid":"abc")")) ==
        "409 Operation cannot be fulfilled on leases.coordination.k8s.io \"x\": StorageError: invalid object, Code: 4, "
        "Key: /registry/leases/default/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
        "precondition: abc, UID in object meta: ");
    CHECK(f.said("GET", leases + "/x").starts_with("404"));
    CHECK(f.said("PUT", leases + "/x", named(R"(,"resourceVersion":"5")")) == "201");
    CHECK(f.said("PUT", "/apis/coordination.k8s.io/v1/namespaces/none/leases/x", named("")) ==
          R"(404 namespaces "none" not found)");
}
