// Decode, encode and equality of every kind of member.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/int_or_string.hpp>
#include <kcontrol/values/raw_json.hpp>

#include "model/pod.hpp"

#include <doctest/doctest.h>

#include <ostream>

using namespace kcontrol;

namespace {

struct inner {
    std::string text;
    int number = 7;

    static constexpr auto kcontrol_fields() {
        return fields(field("text", &inner::text), field("number", &inner::number));
    }
};

struct sample {
    bool flag = false;
    std::int32_t small = 0;
    std::int64_t big = 0;
    double real = 0;
    std::string text;
    inner part;
    std::optional<bool> maybe_flag;
    std::optional<std::int32_t> maybe_small;
    std::optional<std::int64_t> maybe_big;
    std::optional<std::string> maybe_text;
    std::optional<inner> maybe_part;
    std::optional<std::vector<std::string>> maybe_list;
    std::vector<std::string> texts;
    std::vector<inner> parts;
    std::vector<std::vector<std::int64_t>> matrix;
    std::map<std::string, std::string> map;
    std::map<std::string, inner> part_map;
    int_or_string port;
    std::optional<int_or_string> maybe_port;
    raw_json raw;

    static constexpr auto kcontrol_fields() {
        return fields(field("flag", &sample::flag), field("small", &sample::small), field("big", &sample::big),
                      field("real", &sample::real), field("text", &sample::text), field("part", &sample::part),
                      field("maybeFlag", &sample::maybe_flag), field("maybeSmall", &sample::maybe_small),
                      field("maybeBig", &sample::maybe_big), field("maybeText", &sample::maybe_text),
                      field("maybePart", &sample::maybe_part), field("maybeList", &sample::maybe_list),
                      field("texts", &sample::texts), field("parts", &sample::parts), field("matrix", &sample::matrix),
                      field("map", &sample::map), field("partMap", &sample::part_map), field("port", &sample::port),
                      field("maybePort", &sample::maybe_port), field("raw", &sample::raw));
    }
};

/// A type that holds itself.
struct tree {
    std::string name;
    std::vector<tree> children;

    static constexpr auto kcontrol_fields() {
        return fields(field("name", &tree::name), field("children", &tree::children));
    }
};

struct foreign {
    std::string a;
};

const std::string zeros = R"("flag":false,"small":0,"big":0,"real":0,"part":{"number":7},)";

sample read(std::string_view text) {
    auto value = from_json<sample>(text);
    REQUIRE_MESSAGE(value.has_value(), text);
    return *value;
}

}  // namespace

template <>
struct kcontrol::field_list_of<foreign> {
    static constexpr auto get() { return fields(field("a", &foreign::a)); }
};

TEST_CASE("codec: what is read and what is written back") {
    struct row {
        const char* in;
        std::string out;
    };
    const row rows[] = {
        {R"({})", "{" + zeros + R"("port":0})"},
        {R"({"unknown":{"a":[1,{"b":null}]},"flagx":1,"fla":2,"":3})", "{" + zeros + R"("port":0})"},
        {R"({"flag":true,"small":-2147483648,"big":-9223372036854775808,"real":1.5,"text":"x"})",
         R"({"flag":true,"small":-2147483648,"big":-9223372036854775808,"real":1.5,"text":"x","part":{"number":7},"port":0})"},
        {R"({"big":9223372036854775807,"real":3})",
         R"({"flag":false,"small":0,"big":9223372036854775807,"real":3,"part":{"number":7},"port":0})"},
        // 2^53 + 1 would not survive a double.
        {R"({"big":9007199254740993})",
         R"({"flag":false,"small":0,"big":9007199254740993,"real":0,"part":{"number":7},"port":0})"},
        // Null is absent, everywhere.
        {R"({"flag":null,"small":null,"big":null,"real":null,"text":null,"part":null,"maybeFlag":null,"maybePart":null,)"
         R"("texts":null,"parts":null,"map":null,"port":null,"maybePort":null,"raw":null})",
         "{" + zeros + R"("port":0})"},
        // Absent is not zero.
        {R"({"maybeFlag":false,"maybeSmall":0,"maybeBig":0,"maybeText":"","maybePart":{"number":0},"maybeList":[],"maybePort":0})",
         "{" + zeros +
             R"("maybeFlag":false,"maybeSmall":0,"maybeBig":0,"maybeText":"","maybePart":{"number":0},"maybeList":[],"port":0,"maybePort":0})"},
        {R"({"text":"","texts":[],"parts":[],"map":{},"partMap":{}})", "{" + zeros + R"("port":0})"},
        {R"({"texts":["a",null,"b"],"parts":[{"number":1},null,{}],"matrix":[[1,2],[],null]})",
         "{" + zeros +
             R"("texts":["a","","b"],"parts":[{"number":1},{"number":7},{"number":7}],"matrix":[[1,2],[],[]],"port":0})"},
        {R"({"map":{"b":"2","a":"1","c":null},"partMap":{"k":{"text":"t"}}})",
         "{" + zeros + R"("map":{"a":"1","b":"2","c":""},"partMap":{"k":{"text":"t","number":7}},"port":0})"},
        {R"({"port":"http","maybePort":8080})", "{" + zeros + R"("port":"http","maybePort":8080})"},
        {R"({"raw": {"z" : [1, 2.50, {"a":null}], "a":"\u00e4"}})",
         "{" + zeros + R"("port":0,"raw":{"z":[1,2.5,{"a":null}],"a":"ä"}})"},
        {R"({"raw":false})", "{" + zeros + R"("port":0,"raw":false})"},
        {R"({"map":{"a\"b\\c\n":"\u0001\ud83d\ude00 \/"}})", "{" + zeros +
                                                                 R"("map":{"a\"b\\c\n":"\u0001)"
                                                                 "\xf0\x9f\x98\x80"
                                                                 R"( /"},"port":0})"},
        // The last of two wins.
        {R"({"texts":["a","b"],"texts":["c"],"map":{"a":"1"},"map":{"b":"2"}})",
         "{" + zeros + R"("texts":["c"],"map":{"b":"2"},"port":0})"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.in));
        const sample value = read(row.in);
        const std::string written = to_json(value);
        CHECK(written == row.out);
        CHECK(equal(value, read(written)));
    }
}

TEST_CASE("codec: errors name the path") {
    struct row {
        const char* in;
        const char* message;
    };
    const row rows[] = {
        {R"([])", "expected an object, found a list"},
        {R"(null)", "expected an object, found null"},
        {R"({"flag":"true"})", R"(flag: expected true or false, found the string "true")"},
        {R"({"flag":1})", "flag: expected true or false, found the integer 1"},
        {R"({"small":"x"})", R"(small: expected an integer, found the string "x")"},
        {R"({"small":1.0})", "small: expected an integer, found the number 1.0"},
        {R"({"small":1e3})", "small: expected an integer, found the number 1000.0"},
        {R"({"small":true})", "small: expected an integer, found true"},
        {R"({"small":2147483648})",
         "small: expected an integer between -2147483648 and 2147483647, found the integer 2147483648"},
        {R"({"small":-2147483649})",
         "small: expected an integer between -2147483648 and 2147483647, found the integer -2147483649"},
        {R"({"big":9223372036854775808})",
         "big: expected an integer between -9223372036854775808 and 9223372036854775807, found the integer "
         "9223372036854775808"},
        {R"({"real":"1"})", R"(real: expected a number, found the string "1")"},
        {R"({"text":5})", "text: expected a string, found the integer 5"},
        {R"({"text":{}})", "text: expected a string, found an object"},
        {R"({"part":[]})", "part: expected an object, found a list"},
        {R"({"part":{"number":false}})", "part.number: expected an integer, found false"},
        {R"({"maybePart":{"number":"5"}})", R"(maybePart.number: expected an integer, found the string "5")"},
        {R"({"texts":"a"})", R"(texts: expected a list, found the string "a")"},
        {R"({"texts":["a","b",3]})", "texts[2]: expected a string, found the integer 3"},
        {R"({"parts":[{},{"number":[]}]})", "parts[1].number: expected an integer, found a list"},
        {R"({"matrix":[[1],[2,"x"]]})", R"(matrix[1][1]: expected an integer, found the string "x")"},
        {R"({"map":[]})", "map: expected an object, found a list"},
        {R"({"map":{"a.b/c":1}})", "map[a.b/c]: expected a string, found the integer 1"},
        {R"({"partMap":{"k":{"number":{}}}})", "partMap[k].number: expected an integer, found an object"},
        {R"({"partMap":{"\u001b[0m":1}})", R"(partMap[\x1b[0m]: expected an object, found the integer 1)"},
        {R"({"port":1.5})", "port: expected an integer or a string, found the number 1.5"},
        {R"({"port":99999999999})",
         "port: expected an integer between -2147483648 and 2147483647, found the integer 99999999999"},
        {R"({"small":"\u001b01234567890123456789012345678901234567890123456789"})",
         R"(small: expected an integer, found the string "\x1b012345678901234567890123456789012345678…")"},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.in));
        const auto value = from_json<sample>(row.in);
        REQUIRE(!value.has_value());
        CHECK(value.error() == errc::decode_failed);
        CHECK(value.error().message() == row.message);
    }
    for (const char* broken : {"", "{", "{\"a\":1}}", "{\"a\":nope}"}) {
        const auto value = from_json<sample>(broken);
        REQUIRE(!value.has_value());
        CHECK(value.error() == errc::decode_failed);
    }
}

TEST_CASE("codec: equality looks at every field") {
    const char* const rows[] = {
        R"({})",
        R"({"flag":true})",
        R"({"small":1})",
        R"({"big":1})",
        R"({"real":1})",
        R"({"text":"x"})",
        R"({"part":{"text":"x"}})",
        R"({"maybeFlag":false})",
        R"({"maybeSmall":0})",
        R"({"maybeText":""})",
        R"({"maybePart":{}})",
        R"({"maybePart":{"text":"x"}})",
        R"({"maybeList":[]})",
        R"({"texts":["a"]})",
        R"({"texts":["b"]})",
        R"({"texts":["a","a"]})",
        R"({"parts":[{}]})",
        R"({"map":{"a":"1"}})",
        R"({"map":{"a":"2"}})",
        R"({"map":{"b":"1"}})",
        R"({"map":{"a":"1","b":"1"}})",
        R"({"partMap":{"a":{}}})",
        R"({"port":"0"})",
        R"({"maybePort":0})",
        R"({"raw":1})",
    };
    for (const auto* a : rows) {
        for (const auto* b : rows) {
            CAPTURE(std::string(a));
            CAPTURE(std::string(b));
            const bool same = equal(read(a), read(b));
            CHECK(same == (a == b));
        }
    }
}

TEST_CASE("codec: types that hold themselves, and types of others") {
    const std::string text = R"({"name":"a","children":[{"name":"b","children":[{"name":"c"}]},{"name":"d"}]})";
    const auto value = from_json<tree>(text);
    REQUIRE(value.has_value());
    CHECK(to_json(*value) == text);
    CHECK(from_json<foreign>(R"({"a":"b"})").value().a == "b");
    CHECK(to_json(foreign{"c"}) == R"({"a":"c"})");
    CHECK(from_json<std::vector<std::int32_t>>("[1,2]").value() == std::vector<std::int32_t>{1, 2});
    CHECK(to_json(std::map<std::string, std::optional<bool>>{{"a", true}, {"b", {}}}) == R"({"a":true,"b":null})");
}

TEST_CASE("codec: a resource") {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"shop","uid":"u1","resourceVersion":"12",)"
        R"("generation":3,"creationTimestamp":"2024-05-01T12:00:00Z","deletionTimestamp":"2024-05-01T12:00:01Z",)"
        R"("deletionGracePeriodSeconds":30,"labels":{"app":"web"},"annotations":{"note":"n"},"ownerReferences":[)"
        R"({"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"u0","controller":true,"blockOwnerDeletion":true}],)"
        R"("finalizers":["example.com/f"]},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],)"
        R"("nodeName":"n1","hostNetwork":false},"status":{"phase":"Running","podIP":"10.0.0.1"}})";
    const auto value = from_json<kcontrol_test::pod>(text);
    REQUIRE(value.has_value());
    CHECK(value->metadata.namespace_ == "shop");
    CHECK(value->metadata.generation == 3);
    REQUIRE(controller_of(value->metadata) != nullptr);
    CHECK(controller_of(value->metadata)->name == "web");
    CHECK(value->spec.containers.at(0).ports.at(0).container_port == 80);
    CHECK(to_json(*value) == text);

    // Type-erased, as the cache has it.
    const auto& info = resource_of<kcontrol_test::pod>();
    CHECK(info.gvk.api_version() == "v1");
    CHECK(info.gvk.kind == "Pod");
    CHECK(info.plural == "pods");
    CHECK(info.namespaced());
    CHECK(&info == &resource_of<kcontrol_test::pod>());
    json::document document;
    const auto root = document.parse(text);
    REQUIRE(root.has_value());
    const auto object = info.decode(*root);
    REQUIRE(object.has_value());
    CHECK(to_string(object->key()) == "shop/web-0");
    CHECK(object->as<kcontrol_test::pod>()->spec.node_name == "n1");
    CHECK(info.encode(*object).value() == text);

    const auto wrong = document.parse(R"({"metadata":{"name":"x","labels":{"a":1}}})");
    const auto failed = info.decode(*wrong);
    REQUIRE(!failed.has_value());
    CHECK(failed.error().message() == "metadata.labels[a]: expected a string, found the integer 1");
}

// Asked of a type that is none, `resource` is an error of the compiler (tests/compile_fail); this is an answer.
static_assert(is_resource<kcontrol_test::pod>);
static_assert(!is_resource<inner>);
static_assert(!is_resource<int>);

TEST_CASE("codec: managedFields and other unknown members of metadata are skipped") {
    const auto value = from_json<kcontrol_test::pod>(
        R"({"metadata":{"managedFields":[{"fieldsV1":{"f:a":{}}}],"name":"x","selfLink":"y"},"spec":{"volumes":[{}]}})");
    REQUIRE(value.has_value());
    CHECK(value->metadata.name == "x");
}
