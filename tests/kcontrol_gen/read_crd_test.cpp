#include "support.hpp"

#include <doctest/doctest.h>

using namespace kcontrol_gen;
using namespace kcontrol_test;

namespace {

const object_type& spec_of(const schema& all) {
    for (const auto& f : all.types.at(all.kinds.front().type).fields) {
        if (f.json_name == "spec") return all.types.at(f.type.object);
    }
    throw std::runtime_error("no spec");
}

shape shape_of(const std::string& property) {
    const auto all = read_schema(widget_crd("p: " + property));
    return all.value().types.size() < 2 ? shape::raw : spec_of(*all).fields.front().type.form;
}

}  // namespace

TEST_CASE("scalars of a CRD") {
    CHECK(shape_of("{type: string}") == shape::text);
    CHECK(shape_of("{type: string, format: byte}") == shape::bytes);
    CHECK(shape_of("{type: string, format: date-time}") == shape::date_time);
    CHECK(shape_of("{type: string, format: email}") == shape::text);
    CHECK(shape_of("{type: boolean}") == shape::boolean);
    CHECK(shape_of("{type: integer}") == shape::int64);
    CHECK(shape_of("{type: integer, format: int32}") == shape::int32);
    CHECK(shape_of("{type: integer, format: int64}") == shape::int64);
    CHECK(shape_of("{type: number}") == shape::number);
    CHECK(shape_of("{x-kubernetes-int-or-string: true}") == shape::int_or_string);
    CHECK(shape_of("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], "
                   "pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$'}") ==
          shape::quantity);
}

TEST_CASE("containers and objects of a CRD") {
    CHECK(shape_of("{type: array, items: {type: string}}") == shape::list);
    CHECK(shape_of("{type: object, additionalProperties: {type: string}}") == shape::map);
    CHECK(shape_of("{type: object, properties: {a: {type: string}}}") == shape::object);
}

TEST_CASE("what types can't express is kept as raw JSON, and said") {
    const std::pair<const char*, const char*> table[] = {
        {"{type: object, x-kubernetes-preserve-unknown-fields: true}", "x-kubernetes-preserve-unknown-fields"},
        {"{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}",
         "x-kubernetes-preserve-unknown-fields"},
        {"{x-kubernetes-preserve-unknown-fields: true}", "x-kubernetes-preserve-unknown-fields"},
        {"{type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}",
         "x-kubernetes-embedded-resource"},
        {"{type: object}", "an object without properties"},
        {"{type: object, additionalProperties: true}", "an object without properties"},
        {"{type: array}", "an array without a schema of its items"},
        {"{description: anything}", "no type"},
        {"{type: \"null\"}", "the unknown type null"},
        {"{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
         "properties beside additionalProperties"},
    };
    for (const auto& one : table) {
        CAPTURE(one.first);
        const auto all = read_schema(widget_crd("p: " + std::string(one.first)));
        REQUIRE(all.has_value());
        CHECK(spec_of(*all).fields.front().type.form == shape::raw);
        REQUIRE(all->remarks.size() == 1);
        CHECK(all->remarks[0].path == "Widget v1: spec.p");
        CHECK(all->remarks[0].reason == "kept as raw JSON (" + std::string(one.second) + ")");
    }
}

TEST_CASE("fields keep their order and their facts") {
    const auto all = read_schema(
        widget_crd("zeta: {type: string, enum: [A, B], default: A}, alpha: {type: array, items: {type: string}, "
                   "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}, nil: {type: string, nullable: "
                   "true}",
                   "required: [zeta]"));
    REQUIRE(all.has_value());
    const auto& fields = spec_of(*all).fields;
    REQUIRE(fields.size() == 3);
    CHECK(fields[0].json_name == "zeta");
    CHECK(fields[0].required);
    CHECK(fields[0].enum_values == std::vector<std::string>{"A", "B"});
    CHECK(fields[0].default_json == "\"A\"");
    CHECK(fields[1].json_name == "alpha");
    CHECK_FALSE(fields[1].required);
    CHECK(fields[1].list_type == "map");
    CHECK(fields[1].map_keys == std::vector<std::string>{"name"});
    CHECK(fields[2].type.nullable);
}

TEST_CASE("names, scope and subresources of a kind") {
    const auto all = read_schema(widget_crd("a: {type: string}"));
    REQUIRE(all.has_value());
    REQUIRE(all->kinds.size() == 1);
    const auto& k = all->kinds[0];
    CHECK(k.group == "example.com");
    CHECK(k.version == "v1");
    CHECK(k.name == "Widget");
    CHECK(k.plural == "widgets");
    CHECK(k.list_kind == "WidgetList");
    CHECK(k.namespaced);
    CHECK(k.subresources == std::vector<std::string>{"status"});
    for (const auto& f : all->types.at(k.type).fields) {
        CHECK(f.json_name == "spec");
        CHECK(f.by_value);
    }
}

TEST_CASE("a kind with no object below it that has a type is named as any other") {
    const auto header = header_of(widget_crd("", "x-kubernetes-preserve-unknown-fields: true"));
    CHECK(header.find("inline namespace v1 {") != std::string::npos);
    CHECK(header.find("example_com") == std::string::npos);
}

TEST_CASE("equal objects are one type, wherever they are") {
    const std::string probe = "{type: object, properties: {path: {type: string}, port: {type: integer}}}";
    const auto all = read_schema(widget_crd("livenessProbe: " + probe +
                                            ", deep: {type: object, properties: "
                                            "{readinessProbe: " +
                                            probe +
                                            "}}, other: {type: object, properties: "
                                            "{path: {type: string}}}"));
    REQUIRE(all.has_value());
    std::set<std::string> names;
    for (const auto& [key, type] : all->types) names.insert(type.name);
    CHECK(names == std::set<std::string>{"widget", "widget_spec", "probe", "deep", "other"});
}

TEST_CASE("equal objects of unlike names are types of their own") {
    const std::string named = "{type: object, properties: {name: {type: string}}}";
    CHECK(read_schema(widget_crd("secretRef: " + named + ", claim: " + named)).value().types.size() == 4);
}

TEST_CASE("descriptions do not make types different") {
    const auto all = read_schema(widget_crd(
        "one_a: {type: object, description: one, properties: {x: {type: string}}}, a: {type: object, description: two, "
        "properties: {x: {type: string, description: three}}}"));
    REQUIRE(all.has_value());
    CHECK(all->types.size() == 3);
}

TEST_CASE("lists, JSON and several documents") {
    auto second = widget_crd("a: {type: string}");
    second.replace(second.find("kind: Widget,"), 13, "kind: Gadget,");
    CHECK(read_schema(widget_crd("a: {type: string}") + "---\n" + second).value().kinds.size() == 2);
    CHECK(read_schema("apiVersion: v1\nkind: ConfigMap\n---\n" + second).value().kinds.size() == 1);

    auto indented = "  " + second;
    for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos && at + 1 < indented.size();) {
        indented.insert(++at, "  ");
    }
    indented[0] = '-';
    CHECK(read_schema("apiVersion: v1\nkind: List\nitems:\n" + indented).value().kinds.size() == 1);
    CHECK(read_schema("kind: CustomResourceDefinitionList\nitems:\n" + indented).value().kinds.size() == 1);
    CHECK(read_schema(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"g",
        "names":{"kind":"A","plural":"as"},"scope":"Cluster","versions":[{"name":"v1","schema":{"openAPIV3Schema":
        {"type":"object"}}},{"name":"v0","served":false}]}})")
              .value()
              .kinds.size() == 1);
}

TEST_CASE("broken CRDs: the message names document, member and remedy") {
    auto old = widget_crd("a: {type: string}");
    old.replace(old.find("/v1"), 3, "/v1beta1");
    CHECK(error_of(old) ==
          "test.yaml: apiVersion is apiextensions.k8s.io/v1beta1, and only apiextensions.k8s.io/v1 is read; ask a "
          "current API server for the CRD, which converts it");
    const std::string head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    CHECK(error_of(head) == "test.yaml: spec: missing");
    CHECK(error_of(head + "spec: {names: {}}") == "test.yaml: spec.group: missing or not a text");
    CHECK(error_of(head + "spec: {group: g, names: {kind: 3}}") == "test.yaml: spec.names.kind: missing or not a text");
    CHECK(error_of(head + "spec: {group: g, names: {kind: A, plural: as}}") ==
          "test.yaml: spec.versions: missing or empty");
    CHECK(error_of("a: 1\n---\n" + head + "spec: {group: g, names: {kind: A, plural: as}, versions: [{name: v1}]}") ==
          "test.yaml, document 2: spec.versions[0].schema.openAPIV3Schema: missing; every version of a v1 CRD has one");
    CHECK(contains(error_of(widget_crd("a: {type: string}") + "---\n" + widget_crd("a: {type: string}")),
                   "document 2: spec.versions[0]: Widget v1 of example.com was there already"));
    CHECK(contains(error_of("kind: Pod"), "holds no CustomResourceDefinition"));
    CHECK(contains(error_of("a: [\n"), "test.yaml: YAML line"));
    CHECK(contains(error_of(""), "it has 0 documents"));
}
