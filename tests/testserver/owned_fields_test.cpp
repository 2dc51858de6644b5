#include "testing/print_outcome.hpp"
#include "testserver/field_managers.hpp"
#include "testserver/stored_object.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

json::object object_of(std::string_view text) { return json::parse(text).value().as_object(); }

std::string text_of(const owned_set& fields) { return json::serialize(fields_v1(fields)); }

resource_type builtin(std::string_view plural) {
    for (auto& type : builtin_resource_types()) {
        if (type.plural == plural) return type;
    }
    FAIL("no such kind");
    return {};
}

resource_type things() { return {"example.com", "v1", "Thing", "things"}; }

field_writer writer(std::string manager, std::string now = "2026-01-01T00:00:00Z") {
    field_writer out;
    out.manager = std::move(manager);
    out.api_version = "v1";
    out.now = std::move(now);
    return out;
}

// What a sequence of applies makes of an object.
class history {
public:
    explicit history(resource_type t) : type(std::move(t)) {}

    history& apply(const std::string& manager, std::string_view config, bool force = false) {
        auto applied = apply_fields(type, object, object_of(config), writer(manager), force);
        REQUIRE(applied);
        object = applied->object;
        if (!applied->managed.empty()) metadata_of(object)["managedFields"] = applied->managed;
        return *this;
    }
    std::string refused(const std::string& manager, std::string_view config) const {
        const auto applied = apply_fields(type, object, object_of(config), writer(manager), false);
        REQUIRE(!applied);
        CHECK(applied.error().code == 409);
        return applied.error().message;
    }
    std::string spec() const { return json::serialize(object.at("spec")); }
    std::string owned(const std::string& manager) const {
        for (const auto& entry : read_managed_fields(object)) {
            if (entry.manager == manager) return text_of(entry.fields);
        }
        return "";
    }

    resource_type type;
    json::object object;
};

}  // namespace

TEST_CASE("paths as conflicts show them") {
    struct row {
        owned_path path;
        const char* text;
    };
    const row table[] = {
        {{"f:metadata", "f:labels", "f:nvidia.com/gpu.count"}, ".metadata.labels.nvidia.com/gpu.count"},
        {{"f:spec", "f:containers", R"(k:{"name":"a"})", "f:image"}, R"(.spec.containers[name="a"].image)"},
        {{"f:ports", R"(k:{"containerPort":80,"protocol":"TCP"})"}, R"(.ports[containerPort=80,protocol="TCP"])"},
        {{"f:metadata", "f:finalizers", R"(v:"x/y")"}, R"(.metadata.finalizers[="x/y"])"},
        {{}, ""},
    };
    for (const auto& r : table) CHECK(path_text(r.path) == r.text);
}

TEST_CASE("FieldsV1 there and back") {
    const char* texts[] = {
        "{}",
        R"({"f:data":{}})",
        R"({"f:data":{".":{},"f:x":{},"f:y":{}},"f:metadata":{"f:labels":{"f:a":{}}}})",
        R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}})",
    };
    for (const char* text : texts) {
        CAPTURE(text);
        CHECK(text_of(parse_fields_v1(json::parse(text).value())) == text);
    }
    CHECK(parse_fields_v1(json::parse(R"({"f:a":7,"f:b":{"f:c":null}})").value()).empty());
    CHECK(parse_fields_v1(json::parse("[]").value()).empty());
}

TEST_CASE("what is owned of an object, as applied and as updated") {
    const json::object pod =
        object_of(R"({"metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"1","labels":{"a":"b"}},)"
                  R"("spec":{"containers":[{"name":"c","args":["x"],"ports":[{"containerPort":80}],"resources":{}}],)"
                  R"("tolerations":[{"key":"k"}]}})");
    CHECK(text_of(fields_of(builtin("pods"), pod, false)) ==
          R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},)"
          R"("f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},)"
          R"("f:resources":{}}},"f:tolerations":{}}})");
    const json::object map = object_of(R"({"metadata":{"labels":{"a":"b"}},"data":{"x":"1"}})");
    CHECK(text_of(fields_of(builtin("configmaps"), map, true)) ==
          R"({"f:data":{".":{},"f:x":{}},"f:metadata":{"f:labels":{".":{},"f:a":{}}}})");
    CHECK(text_of(fields_of(things(), object_of(R"({"spec":{"m":{"x":1},"l":[{"name":"a"}],"e":[]}})"), false)) ==
          R"({"f:spec":{".":{},"f:e":{},"f:l":{},"f:m":{".":{},"f:x":{}}}})");
}

TEST_CASE("a CustomResourceDefinition says which lists are merged") {
    const auto type = resource_type_of_crd(json::parse(R"({"metadata":{"name":"things.example.com"},"spec":{
        "group":"example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{
        "name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
          "spec":{"type":"object","properties":{
            "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
            "plain":{"type":"array","items":{"type":"object"}},
            "parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name","kind"],
              "items":{"type":"object","properties":{"inner":{"type":"array","x-kubernetes-list-type":"map",
                "x-kubernetes-list-map-keys":["id"],"items":{"type":"object"}}}}}}}}}}}]}})")
                                               .value());
    REQUIRE(type);
    CHECK(type->list_keys.size() == 3);
    CHECK(type->list_keys.at("spec.tags").empty());
    CHECK(type->list_keys.at("spec.parts") == std::vector<std::string>{"kind", "name"});
    CHECK(type->list_keys.at("spec.parts.inner") == std::vector<std::string>{"id"});

    history h(*type);
    h.apply("a", R"({"spec":{"tags":["x"],"parts":[{"kind":"K","name":"1","inner":[{"id":1,"v":1}]}]}})");
    h.apply("b", R"({"spec":{"tags":["y"],"parts":[{"kind":"K","name":"1","inner":[{"id":2,"v":2}]},)"
                 R"({"kind":"K","name":"2"}]}})");
    CHECK(h.spec() == R"({"tags":["x","y"],"parts":[{"kind":"K","name":"1","inner":[{"id":1,"v":1},{"id":2,"v":2}]},)"
                      R"({"kind":"K","name":"2"}]})");
    CHECK(h.refused("b", R"({"spec":{"parts":[{"kind":"K","name":"1","inner":[{"id":1,"v":7}]}]}})") ==
          R"(Apply failed with 1 conflict: conflict with "a": .spec.parts[kind="K",name="1"].inner[id=1].v)");
    CHECK(h.owned("b").find(R"({"f:spec":{"f:parts")") == 0);  // what the schema declares is not owned itself
    // An empty list that is merged takes nothing from others.
    h.apply("c", R"({"spec":{"tags":[]}})");
    CHECK(h.spec().find(R"("tags":["x","y"])") != std::string::npos);
    h.apply("a", R"({"spec":{}})");
    CHECK(h.spec() == R"({"tags":["y"],"parts":[{"kind":"K","name":"1","inner":[{"id":2,"v":2}]},)"
                      R"({"kind":"K","name":"2"}]})");
    CHECK(find_duplicate_item(*type, object_of(R"({"spec":{"tags":["x","y","x"]}})")) ==
          R"(.spec.tags: duplicate entries for key [="x"])");
    CHECK(find_duplicate_item(*type, object_of(R"({"spec":{"parts":[{"kind":"K"},{"name":"1"},{"kind":"K"}]}})")) ==
          R"(.spec.parts: duplicate entries for key [kind="K"])");
    CHECK(!find_duplicate_item(*type, object_of(R"({"spec":{"plain":[{"a":1},{"a":1}]}})")));
}

TEST_CASE("a place goes with its last owner, and keeps what others own below it") {
    history h(things());
    h.apply("a", R"({"spec":{"m":{"x":1,"y":2},"n":{"z":1}}})");
    h.apply("b", R"({"spec":{"m":{"x":1,"w":3}}})");
    CHECK(h.owned("b") == R"({"f:spec":{".":{},"f:m":{".":{},"f:w":{},"f:x":{}}}})");
    h.apply("a", R"({"spec":{"k":1}})");
    CHECK(h.spec() == R"({"m":{"x":1,"w":3},"k":1})");
    h.apply("b", R"({})");
    CHECK(h.spec() == R"({"k":1})");
    CHECK(h.owned("b").empty());
    h.apply("a", R"({})");
    CHECK(!h.object.contains("spec"));
    CHECK(read_managed_fields(h.object).empty());
}

TEST_CASE("an item that its owner drops goes with what others put into it") {
    resource_type type = things();
    type.declared_fields = {"spec", "spec.parts", "spec.parts.name", "spec.parts.v"};
    type.list_keys["spec.parts"] = {"name"};
    history h(type);
    h.apply("a", R"({"spec":{"k":1,"parts":[{"name":"x"},{"name":"y"}],"m":{"p":1}}})");
    json::object after = h.object;
    after["spec"] = json::parse(R"({"k":1,"parts":[{"name":"x","v":1},{"name":"y"}],"m":{"p":1,"q":2}})").value();
    const json::array managed = follow_update(h.type, h.object, after, writer("u"));
    h.object = after;
    metadata_of(h.object)["managedFields"] = managed;
    CHECK(h.owned("u") == R"({"f:spec":{"f:m":{"f:q":{}},"f:parts":{"k:{\"name\":\"x\"}":{"f:v":{}}}}})");
    h.apply("a", R"({"spec":{"k":1}})");
    CHECK(h.spec() == R"({"k":1,"parts":null})");  // as Kubernetes leaves it, whose validation then refuses it
    CHECK(h.owned("u").empty());                   // it was removed, so nobody owns it
}

TEST_CASE("a map that its owner empties stays as null where no schema declares it, and labels go") {
    history h(things());
    h.apply("a", R"({"metadata":{"labels":{"x":"1"}},"spec":{"k":1,"u":{"deep":{"p":2}}}})");
    h.apply("a", R"({"metadata":{"labels":{}},"spec":{"k":1,"u":{"deep":{}}}})");
    CHECK(h.spec() == R"({"k":1,"u":{"deep":null}})");
    CHECK(h.owned("a") == R"({"f:metadata":{"f:labels":{}},"f:spec":{".":{},"f:k":{},"f:u":{".":{},"f:deep":{}}}})");
    CHECK(json::serialize(h.object["metadata"].as_object()["labels"]) == "null");
}

TEST_CASE("fields that are null against the schema") {
    resource_type type = things();
    type.structured_fields = {{"spec", "object"}, {"spec.parts", "array"}, {"spec.parts.m", "object"}};
    const auto found =
        find_null_fields(type, object_of(R"({"spec":{"parts":[{"m":{}},{"m":null,"n":null}],"x":null},"y":null})"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "spec.parts[1].m");
    CHECK(found[0].type == "object");
    CHECK(find_null_fields(type, object_of(R"({"spec":null})")).size() == 1);
    CHECK(find_null_fields(type, object_of(R"({"spec":{"parts":null}})"))[0].type == "array");
}

TEST_CASE("conflicts are listed level by level, manager by manager") {
    history h(builtin("configmaps"));
    h.apply("b", R"({"metadata":{"annotations":{"x":"1"},"labels":{}},"data":{"k":"1"}})");
    h.apply("a", R"({"metadata":{"annotations":{"y":"1"}}})");
    CHECK(h.refused("c", R"({"metadata":{"annotations":{"x":"2","y":"2"},"labels":{"l":"1"}},"data":{"k":"2"}})") ==
          "Apply failed with 3 conflicts: conflicts with \"a\":\n- .metadata.annotations.y\nconflicts with \"b\":\n"
          "- .data.k\n- .metadata.annotations.x");
    h.object.erase("data");
    metadata_of(h.object).erase("labels");
    CHECK(h.refused("c", R"({"metadata":{"annotations":{"x":"2"},"labels":{"l":"1"}}})") ==
          "Apply failed with 2 conflicts: conflicts with \"b\":\n- .metadata.labels\n- .metadata.annotations.x");
}

TEST_CASE("items stand in the order of both lists, the applied one's first") {
    struct row {
        const char* live;
        const char* applied;
        const char* merged;
    };
    const row table[] = {
        {R"(["a"])", R"(["b"])", R"(["a","b"])"},
        {R"(["b"])", R"(["a","b"])", R"(["a","b"])"},
        {R"(["a","b","c"])", R"(["b"])", R"(["a","b","c"])"},
        {R"(["a","b","c"])", R"(["c","b","a"])", R"(["c","b","a"])"},
        {R"(["a","x","b"])", R"(["b","a"])", R"(["x","b","a"])"},
        {R"(["x","a","y"])", R"(["n","a","m"])", R"(["x","n","a","y","m"])"},
    };
    for (const auto& r : table) {
        CAPTURE(r.live);
        CAPTURE(r.applied);
        resource_type type = things();
        type.list_keys["spec"] = {};
        json::object object;
        object["spec"] = json::parse(r.live).value();
        json::object applied;
        applied["spec"] = json::parse(r.applied).value();
        merge_fields(type, object, applied);
        CHECK(json::serialize(object.at("spec")) == r.merged);
    }
}

TEST_CASE("a map that replaces a scalar, and the other way round") {
    history h(things());
    h.apply("a", R"({"spec":{"v":1}})");
    CHECK(h.refused("b", R"({"spec":{"v":{"x":1}}})") == R"(Apply failed with 1 conflict: conflict with "a": .spec.v)");
    h.apply("b", R"({"spec":{"v":{"x":1}}})", true);
    CHECK(h.spec() == R"({"v":{"x":1}})");
    CHECK(h.owned("a") == R"({"f:spec":{}})");
    h.apply("a", R"({"spec":{"v":2}})", true);
    CHECK(h.spec() == R"({"v":2})");
    CHECK(h.owned("b") == R"({"f:spec":{}})");
}

TEST_CASE("entries are in the order of a real server, and times move with their managers only") {
    const resource_type maps = builtin("configmaps");
    json::object object;
    const auto apply = [&](const char* manager, const char* config, const char* now) {
        auto applied = apply_fields(maps, object, object_of(config), writer(manager, now), true);
        REQUIRE(applied);
        object = applied->object;
        metadata_of(object)["managedFields"] = applied->managed;
    };
    apply("z", R"({"data":{"x":"1"}})", "2026-01-01T00:00:01Z");
    apply("b", R"({"data":{"y":"1"}})", "2026-01-01T00:00:02Z");
    apply("a", R"({"data":{"z":"1"}})", "2026-01-01T00:00:02Z");
    apply("z", R"({"data":{"x":"1"}})", "2026-01-01T00:00:09Z");  // nothing new
    json::object after = object;
    after["data"].as_object()["x"] = "2";
    metadata_of(object)["managedFields"] = follow_update(maps, object, after, writer("a", "2026-01-01T00:00:00Z"));
    std::string seen;
    for (const auto& entry : read_managed_fields(object)) {
        seen += entry.operation + " " + entry.manager + " " + entry.time.substr(17) + ";";
    }
    CHECK(seen == "Apply a 02Z;Apply b 02Z;Update a 00Z;");
    const json::array same = follow_update(maps, object, object, writer("q"));
    CHECK(json::serialize(same) == json::serialize(object.at("metadata").at("managedFields")));
}
