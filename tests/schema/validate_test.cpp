#include <kcontrol/schema/validate.hpp>

#include "model/widget.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

/// What is said about a widget with that spec.
std::string check(const std::string& spec) {
    const auto errors =
        validate_json<widget>(R"({"apiVersion":"schema.example.com/v1","kind":"Widget","spec":)" + spec + "}");
    REQUIRE(errors);
    return to_string(*errors);
}

/// The same where the rest of the spec is right.
std::string check_member(const std::string& members) { return check(R"({"color":"red",)" + members + "}"); }

struct numbers {
    std::optional<double> big;
    std::optional<std::int64_t> whole;
    int_or_string port;
    static constexpr auto kcontrol_fields() {
        return fields(field("big", &numbers::big, rules().maximum(2e7)),
                      field("whole", &numbers::whole, rules().minimum(0.5).multiple_of(0.5)),
                      field("port", &numbers::port, rules().maximum(80).pattern("^[a-z]+$")));
    }
};

struct broken_pattern {
    std::string value;
    static constexpr auto kcontrol_fields() {
        return fields(field("value", &broken_pattern::value, rules().pattern("(")));
    }
};

struct formats {
    std::string date, date_time, hex, host, name, other, bytes;
    static constexpr auto kcontrol_fields() {
        return fields(field("date", &formats::date, rules().format("date")),
                      field("dateTime", &formats::date_time, rules().format("datetime")),
                      field("hex", &formats::hex, rules().format("hexcolor")),
                      field("host", &formats::host, rules().format("hostname")),
                      field("name", &formats::name, rules().format("k8s-short-name")),
                      field("other", &formats::other, rules().format("no such format")),
                      field("bytes", &formats::bytes, rules().format("byte")));
    }
};

template <class T>
std::string check_as(const std::string& text) {
    return to_string(validate_json<T>(text).value());
}

}  // namespace

TEST_CASE("what the schema allows") {
    for (const std::string members : {R"("replicas":10)",
                                      R"("replicas":null)",
                                      R"("replicas":3.0)",
                                      R"("name":"ab")",
                                      R"("ratio":0.5)",
                                      R"("even":-4)",
                                      R"("note":null)",
                                      R"("uuid":"550E8400-e29b-41d4-a716-446655440000")",
                                      R"("notBefore":"2024-02-29T23:59:59.5+02:00")",
                                      R"("tags":["ä€😀!"])",
                                      R"("labels":{"a":"b"})",
                                      R"("ports":[{"name":"a","port":1},{"name":"a","port":1,"protocol":"UDP"}])",
                                      R"("limits":{"low":1})",
                                      R"("memory":"1.5Gi")",
                                      R"("memory":2)",
                                      R"("maxSurge":"25%")",
                                      R"("maxSurge":3)",
                                      R"("extra":[1,null])",
                                      R"("child":{"apiVersion":"v1","kind":"Pod"})",
                                      R"("pod":{"metadata":{"labels":{"a":"b"}},"image":"x"})",
                                      R"("level":2)",
                                      R"("unknown":true)",
                                      R"("weights":{"a":[9],"b":[]})"}) {
        CAPTURE(members);
        CHECK(check_member(members) == "");
    }
}

TEST_CASE("what it refuses, in the server's words") {
    struct row {
        std::string members;
        std::string said;
    };
    const row rows[] = {
        {R"("replicas":11)",
         "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"},
        {R"("replicas":-1)",
         "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0"},
        {R"("replicas":"3")",
         R"(spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string")"},
        {R"("replicas":1.5)",
         R"(spec.replicas: Invalid value: "float64": spec.replicas in body must be of type int32: "float64")"},
        {R"("replicas":true)", R"(spec.replicas: Invalid value: "": spec.replicas in body must be of type int32: "")"},
        {R"("name":"a")", R"(spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long)"},
        {R"("name":"abcdefghi")", "spec.name: Too long: may not be more than 8 bytes"},
        {R"("name":"Ab\n")",
         R"(spec.name: Invalid value: "Ab\n": spec.name in body should match '^[a-z]([-a-z0-9]*[a-z0-9])?$')"},
        {R"("tags":["a",null])",
         R"(spec.tags[1]: Invalid value: "null": spec.tags[1] in body must be of type string: "null")"},
        {R"("labels":{"a":null})",
         "spec.labels: Invalid value: 0: spec.labels in body should have at least 1 properties"},
        {R"("level":"1")",
         R"([spec.level: Invalid value: "string": spec.level in body must be of type integer: "string", spec.level: )"
         R"(Unsupported value: "1": supported values: "1", "2", "3"])"},
        {R"("ratio":0)", "spec.ratio: Invalid value: 0: spec.ratio in body should be greater than 0"},
        {R"("ratio":1.5)", "spec.ratio: Invalid value: 1.5: spec.ratio in body should be less than 1"},
        {R"("even":3)", "spec.even: Invalid value: 3: spec.even in body should be a multiple of 2"},
        {R"("paused":"yes")",
         R"(spec.paused: Invalid value: "string": spec.paused in body must be of type boolean: "string")"},
        {R"("uuid":"x")", R"(spec.uuid: Invalid value: "x": spec.uuid in body must be of type uuid: "x")"},
        {R"("notBefore":"2023-02-29T00:00:00Z")",
         R"(spec.notBefore: Invalid value: "2023-02-29T00:00:00Z": spec.notBefore in body must be of type date-time: "2023-02-29T00:00:00Z")"},
        {R"("tags":[])", "spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items"},
        {R"("tags":["a","b","c","d"])", "spec.tags: Too many: 4: must have at most 3 items"},
        {R"("tags":["a","b","a"])", R"(spec.tags[2]: Duplicate value: "a")"},
        {R"("tags":["abcde"])",
         R"(spec.tags[0]: Invalid value: "abcde": spec.tags[0] in body should match '^.{1,4}$')"},
        {R"("tags":"a")", R"(spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string")"},
        {R"("ports":[{"name":"a","port":1,"protocol":"TCP"},{"name":"a","port":2}])",
         R"(spec.ports[1]: Duplicate value: {"name":"a","protocol":"TCP"})"},
        {R"("ports":[{"port":0}])",
         "[spec.ports[0].name: Required value, spec.ports[0].port: Invalid value: 0: spec.ports[0].port in body should "
         "be greater than or equal to 1]"},
        {R"("ports":[null,{"name":"a","port":1},null])",
         R"([spec.ports[0]: Invalid value: "null": spec.ports[0] in body must be of type object: "null", )"
         R"(spec.ports[2]: Invalid value: "null": spec.ports[2] in body must be of type object: "null", )"
         R"(spec.ports[2]: Duplicate value: {}])"},
        {R"("note":18446744073709551616)",
         R"(spec.note: Invalid value: "number": spec.note in body must be of type string: "number")"},
        {R"("ports":[7])",
         R"([spec.ports[0]: Invalid value: "integer": spec.ports[0] in body must be of type object: "integer", )"
         R"(spec.ports[0]: Invalid value: 7: must be an object for an array of list-type map])"},
        {R"("labels":{})", "spec.labels: Invalid value: 0: spec.labels in body should have at least 1 properties"},
        {R"("labels":{"a":"1","b":"2","c":"3"})", "spec.labels: Too many: 3: must have at most 2 items"},
        {R"("labels":{"k":"123456"})", "spec.labels.k: Too long: may not be more than 5 bytes"},
        {R"("weights":{"a":[10,1,1]})",
         "[spec.weights.a[0]: Invalid value: 10: spec.weights.a[0] in body should be less than or equal to 9, "
         "spec.weights.a: Too many: 3: must have at most 2 items]"},
        {R"("limits":{"unknown":1})",
         "spec.limits: Invalid value: 0: spec.limits in body should have at least 1 properties"},
        {R"("memory":1.5)",
         R"(spec.memory: Invalid value: "number": spec.memory in body must be of type integer,string: "number")"},
        {R"("child":{"apiVersion":""})",
         R"([spec.child.apiVersion: Invalid value: "": must not be empty, spec.child.kind: Required value])"},
        {R"("child":1)",
         R"(spec.child: Invalid value: "integer": spec.child in body must be of type object: "integer")"},
        {R"("pod":{"metadata":{"labels":{"a":1}}})",
         R"([spec.pod.image: Required value, spec.pod.metadata.labels.a: Invalid value: "integer": )"
         R"(spec.pod.metadata.labels.a in body must be of type string: "integer"])"},
        {R"("level":4)", R"(spec.level: Unsupported value: 4: supported values: "1", "2", "3")"},
    };
    for (const row& r : rows) {
        CAPTURE(r.members);
        CHECK(check_member(r.members) == r.said);
    }
    CHECK(check("{}") == "spec.color: Required value");
    CHECK(check(R"({"color":"pink"})") ==
          R"(spec.color: Unsupported value: "pink": supported values: "red", "green", "blue")");
    CHECK(check(R"({"color":null})") == "spec.color: Required value");
    CHECK(check_as<widget>("{}") == "spec: Required value");
    CHECK(check_as<widget>("[]").find("must be of type object") != std::string::npos);
}

TEST_CASE("numbers as the server compares and prints them") {
    CHECK(check_as<numbers>(R"({"big":30000000})") ==
          "big: Invalid value: 30000000: big in body should be less than or equal to 20000000");
    CHECK(check_as<numbers>(R"({"big":3e7})") ==
          "big: Invalid value: 3e+07: big in body should be less than or equal to 2e+07");
    CHECK(check_as<numbers>(R"({"whole":0})") ==
          "whole: Invalid value: 0: whole in body should be greater than or equal to 0.5");
    CHECK(check_as<numbers>(R"({"whole":1})") == "");
    CHECK(check_as<numbers>(R"({"port":81})") ==
          "port: Invalid value: 81: port in body should be less than or equal to 80");
    CHECK(check_as<numbers>(R"({"port":"x"})") == "");
    CHECK(check_as<numbers>(R"({"port":"X"})") == R"(port: Invalid value: "X": port in body should match '^[a-z]+$')");
}

TEST_CASE("a broken pattern matches nothing and says so") {
    CHECK(check_as<broken_pattern>(R"({"value":"x"})").find("should match '(, but pattern is invalid: missing )") !=
          std::string::npos);
}

TEST_CASE("formats") {
    CHECK(
        check_as<formats>(R"({"date":"2024-02-29","dateTime":"2024-12-31t00:00:00z","hex":"#aBc","host":"a.example.com",
                                "name":"a-1","other":"","bytes":"YQ=="})") == "");
    const auto errors = validate_json<formats>(R"({"date":"2024-13-01","dateTime":"2024-12-31T24:00:00Z","hex":"#ab",
        "host":"-","name":"A","bytes":"YQ"})")
                            .value();
    CHECK(errors.size() == 6);
    for (const auto& e : errors) CHECK(e.kind == field_error_kind::type_invalid);
}

TEST_CASE("typed objects are checked as they would be sent") {
    widget object;
    object.spec.color = "red";
    CHECK(validate(object).empty());
    object.spec.replicas = 11;
    object.spec.ports.push_back({"", 80, "TCP"});
    const auto errors = validate(object);
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].path == "spec.ports[0].name");
    CHECK(errors[0].kind == field_error_kind::invalid);
    CHECK(errors[1].path == "spec.replicas");
    CHECK(errors[1].value == "11");
    CHECK(errors[1].reason() == "FieldValueInvalid");
    CHECK(errors[1].body() == "Invalid value: 11: spec.replicas in body should be less than or equal to 10");

    // Required and empty is there all the same, as an empty text.
    widget empty;
    CHECK(to_string(validate(empty)) ==
          R"(spec.color: Unsupported value: "": supported values: "red", "green", "blue")");
}

TEST_CASE("conditions: each type once, and each as the server takes one") {
    const auto check_conditions = [](const std::string& list) {
        const auto errors = validate_json<widget>(R"({"spec":{"color":"red"},"status":{"conditions":[)" + list + "]}}");
        REQUIRE(errors);
        return to_string(*errors);
    };
    const std::string rest =
        R"("status":"True","reason":"Up","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"})";
    CHECK(check_conditions(R"({"type":"Ready",)" + rest + R"(,{"type":"Synced",)" + rest) == "");
    CHECK(check_conditions(R"({"type":"Ready",)" + rest + R"(,{"type":"Ready",)" + rest) ==
          R"(status.conditions[1]: Duplicate value: {"type":"Ready"})");
    CHECK(check_conditions(
              R"({"type":"Ready","status":"Yes","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"})") ==
          R"([status.conditions[0].reason: Required value, status.conditions[0].status: Unsupported value: "Yes": )"
          R"(supported values: "True", "False", "Unknown"])");
}

TEST_CASE("text that is not JSON is an error of its own") {
    CHECK(validate_json<widget>("{").error() == errc::decode_failed);
}
