#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/writer.hpp>

#include "model/widget.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

template <class T>
std::string schema_text() {
    const auto schema = schema_of<T>();
    REQUIRE_MESSAGE(schema, schema.error().what());
    return *schema;
}

template <class Member>
struct holder {
    Member member{};
    static constexpr auto kcontrol_fields() { return fields(field("m", &holder::member)); }
};

/// The schema of a member of that type.
template <class Member>
std::string member_schema() {
    const std::string all = schema_text<holder<Member>>();
    const std::string_view before = R"({"type":"object","properties":{"m":)";
    REQUIRE(all.substr(0, before.size()) == before);
    return all.substr(before.size(), all.size() - before.size() - 2);
}

/// The schema of a property of the widget's spec.
std::string spec_property(const char* name) {
    const auto schema = json::parse(schema_text<widget>()).value();
    return json::serialize(schema.at("properties").at("spec").at("properties").at(name));
}

struct leaf {
    std::string b;
    std::string a;
    static constexpr auto kcontrol_fields() {
        return fields(field("b", &leaf::b, rules().required()), field("a", &leaf::a, rules().required()));
    }
};

struct opaque {
    int value = 0;
    friend bool operator==(const opaque&, const opaque&) = default;
};
struct stated : opaque {};

struct tree {
    std::string name;
    std::vector<tree> children;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &tree::name), field("children", &tree::children));
    }
};
struct forest {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Forest", "forests"};
    object_meta metadata;
    std::map<std::string, tree> trees;
    static constexpr auto kcontrol_fields() { return fields(field("trees", &forest::trees)); }
};

struct bad_default {
    std::string color;
    static constexpr auto kcontrol_fields() {
        return fields(field("color", &bad_default::color, rules().default_json("red")));
    }
};
struct bad_enum {
    std::int32_t n = 0;
    static constexpr auto kcontrol_fields() { return fields(field("n", &bad_enum::n, rules().enum_values("one"))); }
};
struct bad_keys {
    std::vector<leaf> leaves;
    static constexpr auto kcontrol_fields() {
        return fields(field("leaves", &bad_keys::leaves, rules().list_type_map("c")));
    }
};

/// Conditions of its own, with a struct that says which field tells them apart.
struct phase_entry {
    std::string phase;
    std::string note;
    static constexpr auto kcontrol_fields() {
        return fields(field("phase", &phase_entry::phase, rules().required()), field("note", &phase_entry::note));
    }
    static constexpr auto kcontrol_rules() { return rules().keyed_by("phase"); }
};
struct many_lists {
    std::vector<status_condition> conditions;
    list<boxed<status_condition>> more;
    std::optional<std::vector<status_condition>> atomic;
    std::vector<phase_entry> phases;
    std::map<std::string, std::vector<phase_entry>> by_zone;
    boxed<phase_entry> one;
    static constexpr auto kcontrol_fields() {
        using self = many_lists;
        return fields(field("conditions", &self::conditions, rules().max_items(8)), field("more", &self::more),
                      field("atomic", &self::atomic, rules().list_type_atomic()), field("phases", &self::phases),
                      field("byZone", &self::by_zone), field("one", &self::one));
    }
};

constexpr std::string_view many[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
constexpr auto fresh_rules = rules().enum_values(many);

struct many_choices {
    std::string choice;
    static constexpr auto kcontrol_fields() { return fields(field("choice", &many_choices::choice, fresh_rules)); }
};

}  // namespace

namespace kcontrol {
template <>
struct custom_codec<opaque> {
    static result<void> decode(json::node, opaque&) { return {}; }
    static void encode(const opaque&, json::writer& to) { to.null(); }
    static bool empty(const opaque&) { return true; }
};
template <>
struct custom_codec<stated> : custom_codec<opaque> {
    static result<void> decode(json::node, stated&) { return {}; }
    static constexpr std::string_view schema = R"({"type":"string", "pattern":"^x"})";
};
}  // namespace kcontrol

TEST_CASE("each type has its schema") {
    CHECK(member_schema<bool>() == R"({"type":"boolean"})");
    CHECK(member_schema<std::int32_t>() == R"({"type":"integer","format":"int32"})");
    CHECK(member_schema<std::int64_t>() == R"({"type":"integer","format":"int64"})");
    CHECK(member_schema<double>() == R"({"type":"number","format":"double"})");
    CHECK(member_schema<std::string>() == R"({"type":"string"})");
    CHECK(member_schema<text>() == R"({"type":"string"})");
    CHECK(member_schema<timestamp>() == R"({"type":"string","format":"date-time"})");
    CHECK(member_schema<int_or_string>() ==
          R"({"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true})");
    CHECK(member_schema<quantity_text>() ==
          R"re({"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+)re"
          R"re((\\.[0-9]*)?)|(\\.[0-9]+))))?$","anyOf":[{"type":"integer"},{"type":"string"}],)re"
          R"re("x-kubernetes-int-or-string":true})re");
    CHECK(member_schema<raw_json>() == R"({"x-kubernetes-preserve-unknown-fields":true})");
    CHECK(member_schema<opaque>() == R"({"x-kubernetes-preserve-unknown-fields":true})");
    CHECK(member_schema<stated>() == R"({"type":"string","pattern":"^x"})");
    CHECK(member_schema<std::optional<boxed<bool>>>() == R"({"type":"boolean"})");
    CHECK(member_schema<std::vector<std::string>>() == R"({"type":"array","items":{"type":"string"}})");
    CHECK(member_schema<dict<list<bool>>>() ==
          R"({"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}})");
    CHECK(member_schema<leaf>() ==
          R"({"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}})");
}

TEST_CASE("rules appear in the order of JSONSchemaProps") {
    CHECK(spec_property("replicas") ==
          R"({"description":"How many.","type":"integer","format":"int32","default":1,"maximum":10,"minimum":0})");
    CHECK(spec_property("color") == R"({"type":"string","enum":["red","green","blue"]})");
    CHECK(spec_property("name") ==
          R"({"type":"string","title":"Name","maxLength":8,"minLength":2,"pattern":"^[a-z]([-a-z0-9]*[a-z0-9])?$"})");
    CHECK(
        spec_property("ratio") ==
        R"({"type":"number","format":"double","maximum":1,"exclusiveMaximum":true,"minimum":0,"exclusiveMinimum":true})");
    CHECK(spec_property("even") == R"({"type":"integer","format":"int64","multipleOf":2})");
    CHECK(spec_property("uuid") == R"({"type":"string","format":"uuid"})");
    CHECK(spec_property("note") == R"({"type":"string","maxLength":3,"nullable":true})");
    CHECK(spec_property("level") == R"({"type":"integer","format":"int32","enum":[1,2,3]})");
    CHECK(spec_property("tags") ==
          R"({"type":"array","maxItems":3,"minItems":1,"items":{"type":"string","pattern":"^.{1,4}$"},)"
          R"("x-kubernetes-list-type":"set"})");
    CHECK(
        spec_property("labels") ==
        R"({"type":"object","maxProperties":2,"minProperties":1,"additionalProperties":{"type":"string","maxLength":5}})");
    CHECK(spec_property("weights") ==
          R"({"type":"object","additionalProperties":{"type":"array","maxItems":2,"items":)"
          R"({"type":"integer","format":"int32","maximum":9},"x-kubernetes-list-type":"atomic"}})");
    CHECK(spec_property("child") ==
          R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true})");
    CHECK(
        spec_property("immutable") ==
        R"({"type":"string","maxLength":9,"x-kubernetes-validations":[{"rule":"self == oldSelf","message":"is immutable"}]})");
}

TEST_CASE("a struct's own rules stand below those of the field") {
    CHECK(spec_property("limits") ==
          R"({"description":"Bounds.","type":"object","minProperties":1,"properties":{"high":{"type":"integer",)"
          R"("format":"int64"},"low":{"type":"integer","format":"int64"}},"x-kubernetes-map-type":"atomic",)"
          R"("x-kubernetes-validations":[{"rule":"!has(self.low) || !has(self.high) || self.low <= self.high",)"
          R"("message":"low is above high","reason":"FieldValueInvalid"}]})");
    const std::string ports = spec_property("ports");
    CHECK(ports.find(R"("items":{"description":"A port.","type":"object","required":["name","port"])") != ports.npos);
    CHECK(ports.find(R"("x-kubernetes-list-map-keys":["name","protocol"],"x-kubernetes-list-type":"map")") !=
          ports.npos);
}

TEST_CASE("a resource has apiVersion, kind and metadata in the order of names") {
    const std::string all = schema_text<widget>();
    CHECK(all.starts_with(R"({"description":"A widget.","type":"object","required":["spec"],"properties":{)"
                          R"("apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},)"
                          R"("spec":{"type":"object")"));
    // Metadata inside an object is spelled out, or the server would drop it.
    CHECK(spec_property("pod").find(R"("metadata":{"type":"object","properties":{"annotations":{"type":"object",)") !=
          std::string::npos);
}

TEST_CASE(
    "a list of conditions is merged by their type, and any list as its elements say, unless its field says more") {
    const auto properties = json::parse(schema_text<many_lists>()).value().at("properties");
    const auto list_type = [](const json::value& schema) {
        std::string text(json::get_string(schema, {"x-kubernetes-list-type"}));
        if (const auto* keys = json::find(schema, {"x-kubernetes-list-map-keys"})) text += json::serialize(*keys);
        return text;
    };
    CHECK(list_type(properties.at("conditions")) == R"(map["type"])");
    CHECK(properties.at("conditions").at("maxItems") == 8);
    CHECK(list_type(properties.at("more")) == R"(map["type"])");
    CHECK(list_type(properties.at("atomic")) == "atomic");
    CHECK(list_type(properties.at("phases")) == R"(map["phase"])");
    CHECK(list_type(properties.at("byZone").at("additionalProperties")) == R"(map["phase"])");
    CHECK(list_type(properties.at("one")).empty());
}

// What controller-gen v0.20 writes for []metav1.Condition with +listType=map and +listMapKey=type; descriptions apart.
TEST_CASE("a condition has the schema of a metav1.Condition") {
    CHECK(
        member_schema<status_condition>() ==
        R"({"description":"Condition contains details for one aspect of the current state of this API Resource.",)"
        R"("type":"object","required":["lastTransitionTime","message","reason","status","type"],"properties":{)"
        R"("lastTransitionTime":{"type":"string","format":"date-time"},"message":{"type":"string","maxLength":32768},)"
        R"("observedGeneration":{"type":"integer","format":"int64","minimum":0},)"
        R"("reason":{"type":"string","maxLength":1024,"minLength":1,"pattern":"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},)"
        R"("status":{"type":"string","enum":["True","False","Unknown"]},"type":{"type":"string","maxLength":316,)"
        R"("pattern":"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?)"
        R"([A-Za-z0-9])$"}}})");
}

TEST_CASE("enum values from an array have no limit") {
    CHECK(schema_text<many_choices>().find(R"("m","n"])") != std::string::npos);
}

TEST_CASE("what can't be expressed is an error that names the path and the remedy") {
    const auto message = [](const auto& schema) { return schema ? std::string() : schema.error().message(); };
    CHECK(message(schema_of<forest>()) ==
          "trees.*.children[]: this type contains itself, and a structural schema is finite; make the member a "
          "raw_json, or give its type a custom_codec with a schema");
    CHECK(message(schema_of<bad_default>()) == "color: the default `red` is not JSON; the JSON of a string has quotes");
    CHECK(message(schema_of<bad_enum>()) == "n: the enum value `one` is not JSON; the JSON of a string has quotes");
    CHECK(message(schema_of<bad_keys>()) ==
          "leaves: list_type_map(\"c\"): the elements need a field of that name that is required or has a default");
    CHECK(message(crd_of<forest>()).starts_with("Forest v1: trees.*.children[]: "));
}

TEST_CASE("required members are written even if they are empty") { CHECK(to_json(leaf()) == R"({"b":"","a":""})"); }
