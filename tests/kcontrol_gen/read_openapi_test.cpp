#include "support.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <kcontrol_gen/condensed.hpp>
#include <kcontrol_gen/read_openapi.hpp>

using namespace kcontrol_gen;
using namespace kcontrol_test;

namespace {

/// A group-version with a kind, a subresource, a list, a type that contains itself, and a kind inside of another.
const std::string document = R"y({"openapi":"3.0.0","info":{"title":"Toys","version":"v9"},
"paths":{
 "/apis/toys.io/v1/balls":{"get":{"x-kubernetes-action":"list","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Ball"}}},
 "/apis/toys.io/v1/namespaces/{namespace}/balls":{"parameters":[],"post":{"x-kubernetes-action":"post","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Ball"}}},
 "/apis/toys.io/v1/namespaces/{namespace}/balls/{name}":{"get":{"x-kubernetes-action":"get","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Ball"}}},
 "/apis/toys.io/v1/namespaces/{namespace}/balls/{name}/status":{"get":{"x-kubernetes-action":"get","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Ball"}}},
 "/apis/toys.io/v1/namespaces/{namespace}/balls/{name}/kick":{"post":{"x-kubernetes-action":"post","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Kick"}}},
 "/apis/toys.io/v1/boxes":{"get":{"x-kubernetes-action":"list","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Box"}}},
 "/apis/toys.io/v1/watch/boxes":{"get":{"x-kubernetes-action":"watchlist","x-kubernetes-group-version-kind":{"group":"toys.io","version":"v1","kind":"Box"}}}},
"components":{"schemas":{
 "io.toys.v1.Ball":{"type":"object","x-kubernetes-group-version-kind":[{"group":"toys.io","version":"v1","kind":"Ball"}],"required":["color"],"properties":{
  "apiVersion":{"type":"string"},"kind":{"type":"string"},
  "metadata":{"default":{},"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]},
  "spec":{"default":{},"allOf":[{"$ref":"#/components/schemas/io.toys.v1.BallSpec"}]},
  "extra":{"allOf":[{"$ref":"#/components/schemas/io.toys.v1.BallSpec"}]},
  "color":{"type":"string","default":""}}},
 "io.toys.v1.BallSpec":{"type":"object","properties":{
  "inner":{"$ref":"#/components/schemas/io.toys.v1.BallSpec"},
  "layers":{"type":"array","items":{"$ref":"#/components/schemas/io.toys.v1.BallSpec"},"x-kubernetes-list-type":"atomic"},
  "size":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
  "anything":{"$ref":"#/components/schemas/io.toys.v1.Anything"},
  "bounces":{"type":"integer","format":"int32","default":3}}},
 "io.toys.v1.Anything":{"description":"no type"},
 "io.toys.v1.Kick":{"type":"object","x-kubernetes-group-version-kind":[{"group":"toys.io","version":"v1","kind":"Kick"}],"properties":{"metadata":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"force":{"type":"number","format":"double"}}},
 "io.toys.v1.Box":{"type":"object","x-kubernetes-group-version-kind":[{"group":"toys.io","version":"v1","kind":"Box"}],"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},"balls":{"type":"array","items":{"$ref":"#/components/schemas/io.toys.v1.Ball"}}}},
 "io.toys.v1.Unused":{"type":"object","properties":{"a":{"type":"string"}}},
 "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","properties":{"name":{"type":"string"}}},
 "io.k8s.apimachinery.pkg.api.resource.Quantity":{"oneOf":[{"type":"string"},{"type":"number"}]}}}})y";

const kind* find_kind(const schema& all, const std::string& name) {
    for (const auto& k : all.kinds) {
        if (k.name == name) return &k;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("kinds of an OpenAPI document: names, scope, verbs, subresources") {
    const auto all = read_schema(document);
    REQUIRE(all.has_value());
    CHECK(all->kinds.size() == 3);
    const auto* ball = find_kind(*all, "Ball");
    REQUIRE(ball != nullptr);
    CHECK(ball->group == "toys.io");
    CHECK(ball->plural == "balls");
    CHECK(ball->list_kind == "BallList");
    CHECK(ball->namespaced);
    CHECK(ball->verbs == std::vector<std::string>{"create", "get", "list"});
    CHECK(ball->subresources == std::vector<std::string>{"kick", "status"});
    const auto* kick = find_kind(*all, "Kick");
    REQUIRE(kick != nullptr);
    CHECK(kick->plural.empty());
    const auto* box = find_kind(*all, "Box");
    REQUIRE(box != nullptr);
    CHECK_FALSE(box->namespaced);
    CHECK(box->verbs == std::vector<std::string>{"list"});
}

TEST_CASE("types: by value and optional, recursion, kinds inside of kinds, raw JSON") {
    std::vector<remark> remarks;
    const auto header = header_of(document, &remarks);
    CAPTURE(header);
    CHECK(contains(header, "namespace ns::toys::v1 {"));
    CHECK(contains(header, "    ball_spec spec;\n"));
    CHECK(contains(header, "<ball_spec> extra;\n"));
    CHECK(contains(header, "<ball_spec> layers;\n"));
    CHECK(contains(header, "<embedded_ball> balls;\n"));
    CHECK(contains(header, "struct embedded_ball {\n"));
    CHECK_FALSE(contains(header, "unused"));
    CHECK(contains(header, "kcontrol_resource{\"toys.io\", \"v1\", \"Ball\", \"balls\"}"));
    bool said = false;
    for (const auto& each : remarks) said |= each.path == "io.toys.v1.BallSpec: anything";
    CHECK(said);
}

TEST_CASE("the condensed schema says the same") {
    input direct;
    REQUIRE(direct.add_text(document, "toys.json", true).has_value());
    const auto condensed = write_condensed(direct.openapi());
    CHECK(header_of(condensed) == header_of(document));
    input again;
    REQUIRE(again.add_text(condensed, "condensed.json", true).has_value());
    CHECK(write_condensed(again.openapi()) == condensed);
    CHECK_FALSE(contains(condensed, "no type\""));  // descriptions stay out
    CHECK(contains(condensed, "\"default\":3"));
}

TEST_CASE("broken documents") {
    CHECK(contains(error_of(R"({"openapi":"2.0"})"), "is not an OpenAPI v3 document"));
    auto broken = document;
    broken.replace(broken.find("schemas/io.toys.v1.BallSpec"), 27, "schemas/io.toys.v1.Missing");
    CHECK(contains(error_of(broken), "a $ref leads to io.toys.v1.Missing, which is not in the document"));
    auto outside = document;
    outside.replace(outside.find("#/components/schemas/io.toys.v1.BallSpec"), 40, "http://elsewhere/io.toys.v1.Spec");
    CHECK(contains(error_of(outside), "a $ref to outside of the document"));
    CHECK(contains(error_of(R"({"openapi":"3.0.0"})"), "no kind was found"));
    CHECK(contains(error_of(R"({"kcontrolSchema":1,"types":{"a":[{"name":"x","type":"nonsense"}]}})"),
                   "types.a.x: type"));
    CHECK(contains(error_of(R"({"kcontrolSchema":1,"kinds":[{"kind":"A","type":"a"}]})"), "kinds: A has no type"));
}

TEST_CASE("what the project keeps of Kubernetes") {
    input in;
    const std::string file = kcontrol::test::source_file("tools/kcontrol_gen/data/kubernetes.json");
    REQUIRE(in.add_path(file).has_value());
    CHECK(std::filesystem::file_size(file) < 1000000);
    const auto all = in.finish();
    REQUIRE(all.has_value());
    CHECK(all->kinds.size() == 75);
    const auto* pod = find_kind(*all, "Pod");
    REQUIRE(pod != nullptr);
    CHECK(pod->verbs.size() == 7);
    CHECK(find_kind(*all, "Eviction")->plural.empty());
    CHECK_FALSE(find_kind(*all, "Node")->namespaced);
}
