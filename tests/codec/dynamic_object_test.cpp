// dynamic_object: compact text that is read by path and edited as a tree.
#include <kcontrol/codec/dynamic_object.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

const std::string spaced = R"( { "apiVersion" : "example.com/v1", "kind":"Thing",
  "metadata":{"name":"x","namespace":"a","labels":{"k":"v"},"managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]},
  "spec":{"n":1.50,"text":"a\u00e9\n","o\tdd":"key","list":[ 1, {"x":[]} ,"y" ],"none":null,"deep":{"a":{"b":[{}]}}},"status":{} } )";

std::shared_ptr<const dynamic_object> decoded(const std::string& text, managed_fields managed = managed_fields::dropped,
                                              share_pool* pool = nullptr) {
    const auto info = dynamic_resource({"example.com", "v1", "Thing"}, "things", resource_scope::namespaced, managed);
    const auto object = info.decode_text(text, pool);
    REQUIRE_MESSAGE(object.has_value(), object.error().what());
    return object->as<dynamic_object>();
}

std::string failure(const std::string& text) {
    const auto info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    const auto object = info.decode_text(text);
    REQUIRE_FALSE(object.has_value());
    CHECK(object.error() == errc::decode_failed);
    return object.error().message();
}

}  // namespace

TEST_CASE("dynamic: kept as compact text, numbers and escapes as they came") {
    share_pool pool;
    for (share_pool* each : {static_cast<share_pool*>(nullptr), &pool}) {
        const auto object = decoded(spaced, managed_fields::dropped, each);
        CHECK(object->metadata.name == "x");
        CHECK(object->metadata.labels.at("k") == "v");
        CHECK(
            object->content.to_json() ==
            R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","namespace":"a","labels":{"k":"v"}},)"
            R"("spec":{"n":1.50,"text":"a\u00e9\n","o\tdd":"key","list":[1,{"x":[]},"y"],"none":null,"deep":{"a":{"b":[{}]}}},)"
            R"("status":{}})");
        CHECK(object->gvk() == group_version_kind("example.com", "v1", "Thing"));
    }
}

TEST_CASE("dynamic: of a name that appears twice the last one counts, by path and in the tree") {
    const auto object =
        decoded(R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},)"
                R"("spec":{"n":1,"m":{"a":1},"m":7,"n":2,"\u006e":3},"spec":{"n":4,"n":{"x":5},"n":{"x":6}}})");
    const json::value tree = object->content.tree();
    CHECK(object->content.get({"spec", "n", "x"}) == json::value(6));
    CHECK(*json::find(tree, {"spec", "n", "x"}) == json::value(6));
    CHECK_FALSE(object->content.contains({"spec", "m"}));
    CHECK(json::find(tree, {"spec", "m"}) == nullptr);
    dynamic_content edited = object->content;
    edited.edit();
    CHECK(edited.get({"spec"}) == object->content.get({"spec"}));
}

TEST_CASE("dynamic: an object without metadata gets none") {
    const auto info = dynamic_resource({"example.com", "v1", "Thing"}, "things");
    const std::string text = R"({"kind":"Thing","x":1})";
    auto written = info.encode(any_object(decoded(text))).value();
    CHECK(written == R"({"kind":"Thing","x":1,"apiVersion":"example.com/v1"})");
    auto named = std::make_shared<dynamic_object>(*decoded(text));
    named->metadata.name = "a";
    written = info.encode(any_object(std::shared_ptr<const dynamic_object>(named))).value();
    CHECK(written == R"({"kind":"Thing","x":1,"apiVersion":"example.com/v1","metadata":{"name":"a"}})");
}

TEST_CASE("dynamic: a float64 that Go wrote without an exponent") {
    const auto object = decoded(R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},)"
                                R"("x":[100000000000000000000,18446744073709552000,-9223372036854776000]})");
    CHECK(object->content.to_json().find("[100000000000000000000,18446744073709552000,-9223372036854776000]") !=
          std::string::npos);
    CHECK(json::serialize(object->content.get({"x"})) == "[1e+20,1.8446744073709552e+19,-9.223372036854776e+18]");
}

TEST_CASE("dynamic: managedFields are dropped, wherever they stand, or kept") {
    CHECK(decoded(spaced, managed_fields::kept)->content.contains({"metadata", "managedFields"}));
    CHECK_FALSE(decoded(spaced)->content.contains({"metadata", "managedFields"}));
    const std::pair<const char*, const char*> rows[] = {
        {R"({"metadata":{"managedFields":[{}],"name":"x"}})", R"({"metadata":{"name":"x"}})"},
        {R"({"metadata":{"name":"x","managedFields":[{}]}})", R"({"metadata":{"name":"x"}})"},
        {R"({"metadata":{"name":"x","managedFields":[{}],"uid":"u"}})", R"({"metadata":{"name":"x","uid":"u"}})"},
        {R"({"metadata":{"managedFields":[{}]}})", R"({"metadata":{}})"},
        {R"({"metadata":{"managedFields":null},"managedFields":1})", R"({"metadata":{},"managedFields":1})"},
        {R"({"managedFields":1})", R"({"managedFields":1})"},
        {R"({"metadata":null})", R"({"metadata":null})"},
    };
    for (const auto& [text, wanted] : rows) CHECK(decoded(text)->content.to_json() == wanted);
}

TEST_CASE("dynamic: what is written with white space, or with escapes in names, is kept as it came") {
    const std::pair<const char*, const char*> rows[] = {
        {"\t{ \"a b\" : [ 1.50 , 1E2 , \" x \" ] }\r\n", R"({"a b":[1.50,1E2," x "]})"},
        {R"({"met\u0061data":{"n\u0061me":"x","managed\u0046ields":[1] ,"uid":"u"},"x":"\u0041"})",
         R"({"met\u0061data":{"n\u0061me":"x","uid":"u"},"x":"\u0041"})"},
        {R"({"metadata": {"managedFields": [{}], "name": "x"}, "metadata": {"managedFields": 1}})",
         R"({"metadata":{"name":"x"},"metadata":{"managedFields":1}})"},
    };
    for (const auto& [text, wanted] : rows) CHECK(decoded(text)->content.to_json() == wanted);
    // Deeper than what is read at a cursor.
    const std::string deep = R"({"x":)" + std::string(250, '[') + std::string(250, ']') + "}";
    CHECK(decoded(deep)->content.to_json() == deep);
}

TEST_CASE("dynamic: read by path") {
    const auto object = decoded(spaced);
    const auto& content = object->content;
    CHECK(content.get({"spec", "n"}).get_double() == 1.5);
    CHECK(content.get_string({"spec", "text"}) == "a\xc3\xa9\n");
    CHECK(content.get_string({"spec", "o\tdd"}) == "key");
    CHECK(json::serialize(content.get({"spec", "list"})) == R"([1,{"x":[]},"y"])");
    CHECK(json::serialize(content.get({"spec", "deep", "a"})) == R"({"b":[{}]})");
    CHECK(content.get({"spec", "none"}).is_null());
    CHECK(content.contains({"spec", "none"}));
    CHECK(content.get({"spec", "missing"}).is_null());
    CHECK_FALSE(content.contains({"spec", "missing"}));
    CHECK_FALSE(content.contains({"spec", "n", "deeper"}));
    CHECK_FALSE(content.contains({"status", "phase"}));
    CHECK(content.get_string({"spec", "n"}).empty());
    CHECK(content.get({}).is_object());
    CHECK(content.contains({}));
    CHECK(dynamic_content().get({"a"}).is_null());
    CHECK(dynamic_content().to_json() == "{}");
    CHECK(dynamic_content().get({}).is_object());
}

TEST_CASE("dynamic: a copy is edited as a tree, the original stays") {
    dynamic_object copy;
    {
        const auto object = decoded(spaced);
        copy = *object;
        CHECK(copy == *object);
        copy.content["spec"].as_object()["n"] = 2;
        CHECK_FALSE(copy == *object);
        CHECK(object->content.get({"spec", "n"}).get_double() == 1.5);
    }
    CHECK(copy.content.get({"spec", "n"}).get_int64() == 2);
    CHECK(copy.content.get_string({"spec", "text"}) == "a\xc3\xa9\n");
    CHECK(copy.content.contains({"spec", "deep"}));
    CHECK_FALSE(copy.content.contains({"spec", "deep", "b"}));
    CHECK(copy.content.contains({}));
    CHECK(copy.content.get({}) == copy.content.edit());
    const dynamic_object again = copy;
    copy.content["spec"] = nullptr;
    CHECK(again.content.get({"spec", "n"}).get_int64() == 2);
    CHECK(copy.content.get_string({"kind"}) == "Thing");
    CHECK(copy.content.to_json() ==
          R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","namespace":"a","labels":{"k":"v"}},)"
          R"("spec":null,"status":{}})");
    // The order of members is not part of a value.
    dynamic_content one(json::parse(R"({"a":1,"b":[1.0]})")->as_object());
    dynamic_content two = decoded(R"({"b":[1],"a":1})")->content;
    CHECK(one == two);
    CHECK(two == one);
}

TEST_CASE("dynamic: all of the text is checked") {
    CHECK(failure("[]") == "expected an object");
    CHECK(failure("3") == "expected an object");
    CHECK(failure(R"({"metadata":{"name":1}})") == "metadata.name: expected a string, found the integer 1");
    CHECK(failure(R"({"metadata":[]})") == "metadata: expected an object, found a list");
    for (const char* text : {R"({"spec":{"a":01}})", R"({"spec":{"a":1,}})", R"({"spec":[1 2]})", R"({"spec":nope})",
                             R"({"spec":{"a" 1}})", R"({"spec":"\x"})", R"({"spec":{"\u12":1}})", R"({"spec":{,}})",
                             R"({"spec":["\ud800"]})", R"({"spec":[:]})", R"({"spec":{"a":[1,,2]}})"}) {
        CAPTURE(text);
        CHECK(failure(text).find("at byte ") != std::string::npos);
    }
}
