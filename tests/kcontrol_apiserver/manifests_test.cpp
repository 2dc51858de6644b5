#include "apiserver/manifests.hpp"

#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace kcontrol_apiserver;
namespace json = kcontrol::json;

namespace {

class fixture {
public:
    kcontrol::result<void> load(const std::string& path) {
        auto objects = read_manifests(env, path);
        if (!objects) return objects.error();
        return create_all(api, std::move(*objects), notes);
    }
    bool refuses(const std::string& name, const std::string& text, std::string_view why) {
        directory.write(name, text);
        const auto done = load(directory.path(name));
        const std::string said = done ? "accepted" : done.error().message();
        if (said.find(why) != std::string::npos) return true;
        MESSAGE(said);
        return false;
    }

    std::vector<std::string> notes;
    kcontrol::testing::temporary_directory directory;
    kcontrol::system_environment env;
    boost::asio::io_context context;
    kcontrol::testing::api_server api{env, context.get_executor(),
                                      kcontrol::testing::api_server_options().default_and_validate(true)};
};

constexpr const char* definition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

}  // namespace

TEST_CASE("a directory is loaded whatever the order of its files: definitions and namespaces come first") {
    fixture f;
    f.directory.write("a.yaml", R"(apiVersion: example.com/v1
kind: Thing
metadata: {name: one, namespace: lab}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: lab, uid: old, resourceVersion: "7"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: lab}
  spec: {containers: [{name: main, image: web}]}
  status: {phase: Running}
)");
    f.directory.write("b.json", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lab"}})");
    f.directory.write("c.yml", definition);
    f.directory.write("README.md", "not: [yaml");
    const auto done = f.load(f.directory.path(""));
    REQUIRE_MESSAGE(done.has_value(), done.error().message());
    CHECK(f.api.get({"example.com", "things"}, {"lab", "one"}));
    const auto settings = f.api.get({"", "configmaps"}, {"lab", "settings"});
    REQUIRE(settings);
    CHECK(json::get_string(*settings, {"metadata", "uid"}) != "old");
    const auto pod = f.api.get({"", "pods"}, {"lab", "web"});
    REQUIRE(pod);
    CHECK(json::get_string(*pod, {"status", "phase"}) == "Running");
    // Once more: what is there stays.
    const auto version = f.api.resource_version();
    CHECK(f.load(f.directory.path("")));
    CHECK(f.api.resource_version() == version);
}

TEST_CASE("what can't be loaded is named with its file, its place and the remedy") {
    fixture f;
    CHECK(f.refuses("a.yaml", "kind: Pod\nmetadata: {name: a}\n", "apiVersion is missing; every object says"));
    CHECK(f.refuses("b.yaml", "a: 1\n---\n{apiVersion: v1, kind: Pod}\n", "b.yaml, document 1: apiVersion"));
    CHECK(f.refuses("c.yaml", "{apiVersion: v1, kind: Pod, metadata: {}}", "metadata.name is missing; give"));
    CHECK(f.refuses("d.yaml", "a: [", "d.yaml: "));
    CHECK(f.refuses("e.yaml", "{apiVersion: x/v1, kind: Foo, metadata: {name: a}}",
                    "Foo a: the server serves no x/v1 Foo"));
    CHECK(f.refuses("f.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: nowhere}}",
                    "ConfigMap nowhere/a: namespaces \"nowhere\" not found"));
    CHECK(f.refuses("g.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: []}}",
                    "spec.containers: Required value"));
    const auto nothing = f.load("/nonexistent.yaml");
    REQUIRE(!nothing);
    CHECK(nothing.error().message().find("/nonexistent.yaml") != std::string::npos);
}

TEST_CASE("what is dropped of an object that was being deleted is said") {
    fixture f;
    f.directory.write("a.yaml", R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: leaving
  uid: 5e8d87be-c266-4726-94a3-dbe24d6f412c
  deletionTimestamp: "2026-11-28T18:30:53Z"
  deletionGracePeriodSeconds: 0
  finalizers: [example.com/hold]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: staying, resourceVersion: "7"}
)");
    REQUIRE(f.load(f.directory.path("a.yaml")));
    REQUIRE(f.notes.size() == 1);
    const std::string note = f.notes.front();
    INFO(note);
    for (const char* said : {"a.yaml, document 1", "ConfigMap leaving", "metadata.deletionTimestamp",
                             "2026-11-28T18:30:53Z", "delete it after the start"}) {
        CHECK(note.find(said) != std::string::npos);
    }
    const auto loaded = f.api.get({"", "configmaps"}, {"default", "leaving"}).value();
    CHECK(json::find(loaded, {"metadata", "deletionTimestamp"}) == nullptr);
    CHECK(json::find(loaded, {"metadata", "finalizers"}) != nullptr);
}
