#include <kcontrol/json/reader.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

using kcontrol::errc;
namespace json = kcontrol::json;

static_assert(std::forward_iterator<json::node::member_iterator>);
static_assert(std::forward_iterator<json::node::element_iterator>);
static_assert(sizeof(json::node) == 16);

TEST_CASE("every kind of value is read") {
    json::document doc;
    const auto root =
        doc.parse(R"({"n":null,"t":true,"f":false,"i":-9223372036854775808,"u":18446744073709551615,)"
                  R"("d":1.5,"s":"a\u00e9\n\u0000z","a":[1,[2,3],{"x":4},"y"],"o":{},"e":[],"":"empty"})");
    REQUIRE(root);
    const json::node n = *root;
    CHECK(n.is_object());
    CHECK(n.size() == 11);
    CHECK(n["n"].is_null());
    CHECK(n["t"].as_bool());
    CHECK_FALSE(n["f"].as_bool());
    CHECK(n["i"].kind() == json::kind::integer);
    CHECK(n["i"].as_int64() == std::numeric_limits<std::int64_t>::min());
    CHECK(n["u"].kind() == json::kind::unsigned_integer);
    CHECK(n["u"].as_uint64() == std::numeric_limits<std::uint64_t>::max());
    CHECK(n["u"].as_double() == doctest::Approx(18446744073709551615.0));
    CHECK(n["d"].kind() == json::kind::number);
    CHECK(n["d"].as_double() == 1.5);
    CHECK(n["i"].as_double() == -9223372036854775808.0);
    CHECK(n["s"].as_string() == std::string_view("a\xc3\xa9\n\0z", 6));
    CHECK(n["a"].size() == 4);
    CHECK(n["o"].size() == 0);
    CHECK(n["o"].members().empty());
    CHECK(n["e"].elements().empty());
    CHECK(n[""].as_string() == "empty");
    CHECK(n["missing"].is_null());
    CHECK(json::node().is_null());
    CHECK(json::node().to_json() == "null");
}

TEST_CASE("members and elements come in order of appearance, whatever stands between") {
    json::document doc;
    const auto root = doc.parse(R"({"b":[1.5,[[],{}],7],"a":{"x":{"y":[]}},"c":18446744073709551615,"d":"z"})");
    REQUIRE(root);
    std::string names;
    for (auto [name, value] : root->members()) names += std::string(name) + (value.is_string() ? "!" : " ");
    CHECK(names == "b a c d!");
    std::vector<json::kind> kinds;
    for (json::node element : (*root)["b"].elements()) kinds.push_back(element.kind());
    CHECK(kinds == std::vector{json::kind::number, json::kind::array, json::kind::integer});
}

TEST_CASE("a scalar is a document") {
    json::document doc;
    CHECK(doc.parse(" 42 ")->as_int64() == 42);
    CHECK(doc.parse("\"x\"")->as_string() == "x");
    CHECK(doc.parse("null")->is_null());
    CHECK(doc.parse("-0.0")->as_double() == 0.0);
}

TEST_CASE("of members with the same name the first is found and both are seen") {
    json::document doc;
    const auto root = doc.parse(R"({"a":1,"a":2})");
    REQUIRE(root);
    CHECK((*root)["a"].as_int64() == 1);
    CHECK(root->size() == 2);
}

TEST_CASE("a document is parsed again, moved and cleared") {
    json::document doc;
    const std::string large = "[\"" + std::string(100'000, 'x') + "\"]";
    CHECK(doc.parse("[1]")->size() == 1);
    const auto second = doc.parse(large);
    REQUIRE(second);
    json::document moved = std::move(doc);
    CHECK((*second->elements().begin()).as_string().size() == 100'000);
    CHECK_FALSE(moved.parse("[1,"));
    CHECK(moved.parse("[1,2]")->size() == 2);
    moved.clear();
    CHECK(moved.parse("[1,2,3]")->size() == 3);
    CHECK(doc.parse("[]")->size() == 0);  // NOLINT: a moved-from document is an empty one
}

TEST_CASE("nesting is limited to 256, on the first parse and later ones") {
    json::document doc;
    for (const char* pair : {"[]", "{}"}) {
        // The innermost holds something: simdjson doesn't count an empty container as a level.
        const auto nested = [&](int depth) {
            std::string text = "1";
            for (int i = 0; i < depth; ++i) text = (pair[0] == '[' ? "[" : "{\"a\":") + text + pair[1];
            return text;
        };
        CAPTURE(pair);
        CHECK(doc.parse(nested(256)));
        CHECK(doc.parse(nested(256))->to_json() == nested(256));
        const auto deep = doc.parse(nested(257));
        REQUIRE_FALSE(deep);
        CHECK(deep.error() == errc::decode_failed);
        CHECK(deep.error().message() == "JSON nested deeper than 256 levels");
        CHECK_FALSE(doc.parse(nested(1500)));
        doc.clear();
    }
    json::document large;
    CHECK(large.parse("[" + std::string(10'000, ' ') + "]"));
    CHECK_FALSE(large.parse(std::string(20'000, '[')));
}

TEST_CASE("what is not JSON is refused") {
    json::document doc;
    for (const std::string text : {"",
                                   " ",
                                   "{",
                                   "}",
                                   "[1,]",
                                   "{\"a\":1,}",
                                   "{a:1}",
                                   "[1] x",
                                   "[1][2]",
                                   "nul",
                                   "tru",
                                   "01",
                                   "+1",
                                   "1.",
                                   ".5",
                                   "1e",
                                   "--1",
                                   "'a'",
                                   "\"a",
                                   "\"\\x\"",
                                   "\"\\u12\"",
                                   "\"\\ud800\"",
                                   "// c\n1",
                                   "[1 2]",
                                   "{\"a\" 1}",
                                   "{\"a\":}",
                                   "NaN",
                                   "Infinity",
                                   "\"\x01\"",
                                   "\"\xff\"",
                                   "\"\xc0\xaf\"",
                                   "1e400",
                                   "099999999999999999999",
                                   "99999999999999999999x",
                                   "[1}",
                                   "<html>"}) {
        CAPTURE(text);
        const auto parsed = doc.parse(text);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error() == errc::decode_failed);
        CHECK_FALSE(parsed.error().message().empty());
    }
    CHECK(doc.parse("1e999").error().message().find("too large for a double") != std::string::npos);
}

// Go writes a float64 below 1e21 without an exponent, so an API server does.
TEST_CASE("an integer beyond 64 bits is a number") {
    json::document doc;
    const struct {
        const char* text;
        double value;
    } cases[] = {
        {"18446744073709551616", 18446744073709551616.0},
        {"-9223372036854775809", -9223372036854775808.0},
        {"-18446744073709551615", -18446744073709551615.0},
        {"100000000000000000000", 1e20},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        for (const std::string& text :
             {std::string(c.text),
              R"({"a":"9999999999999999999999\"","b":[1.99999999999999999999999,)" + std::string(c.text) + ",7]}"}) {
            const auto parsed = doc.parse(text);
            REQUIRE(parsed);
            const json::node found = text[0] == '{' ? *++(*parsed)["b"].elements().begin() : *parsed;
            CHECK(found.kind() == json::kind::number);
            CHECK(found.as_double() == c.value);
        }
    }
    CHECK(doc.parse("-9223372036854775808")->kind() == json::kind::integer);
    CHECK(doc.parse("18446744073709551615")->kind() == json::kind::unsigned_integer);
}

TEST_CASE("to_json gives the same document") {
    json::document doc;
    const std::string text =
        R"({"a":[1,-2,18446744073709551615,0.25,null,true,false,{}],"b\"\n":"é\u0001","c":{"d":[]}})";
    const auto root = doc.parse(text);
    REQUIRE(root);
    CHECK(root->to_json() == text);
    CHECK((*root)["c"].to_json() == R"({"d":[]})");
}

namespace {

// Whether find_fault() finds something where the parser does.
bool agree(json::document& document, const std::string& text) {
    // A copy of its exact size, so that a tool that watches memory sees a read beyond the end.
    const std::vector<char> exact(text.begin(), text.end());
    return json::find_fault({exact.data(), exact.size()}).has_value() == !document.parse(text).has_value();
}

}  // namespace

TEST_CASE("find_fault: it agrees with the parser on what is well-formed") {
    json::document doc;
    for (const char* text : {
             "",
             " ",
             "null",
             "nul",
             "nulll",
             " true ",
             "truefalse",
             "false",
             "fals",
             "0",
             "-0",
             "00",
             "01",
             "-",
             "1.",
             ".5",
             "1e",
             "1e5",
             "1E+5",
             "1e400",
             "1e-400",
             "-1.5e-3",
             "+1",
             "1 2",
             "18446744073709551616",
             "-9223372036854775809",
             "0x1",
             "\"\"",
             "\"a",
             "a\"",
             "\"\\\"\"",
             "\"\\u00e9\"",
             "\"\\ud83d\\ude00\"",
             "\"\\ud83d\"",
             "\"\\ude00\"",
             "\"\\ud83dx\"",
             "\"\\u12\"",
             "\"\\u12g4\"",
             "\"\\x\"",
             "\"\x01\"",
             "\"\t\"",
             "\"\xff\"",
             "\"\xc3\xa9\"",
             "{",
             "}",
             "[",
             "]",
             "[]",
             "{}",
             "[}",
             "{]",
             "[[]",
             "[]]",
             "[1,]",
             "[,1]",
             "[,]",
             "[1,,2]",
             "[1 2]",
             "[1:2]",
             "[:]",
             "{,}",
             "{:}",
             "{\"a\"}",
             "{\"a\":}",
             "{\"a\":1,}",
             "{,\"a\":1}",
             "{\"a\"::1}",
             "{\"a\":1:2}",
             "{\"a\",1}",
             "{\"a\" 1}",
             "{1:2}",
             "{\"a\":1 \"b\":2}",
             "{\"a\":[}",
             "{\"a\":{]}",
             "{\"a\":1}{",
             "{\"a\":1} x",
             "[]{}",
             ",",
             ":",
             "[\"a\"\"b\"]",
             "[\"a\"x]",
             "[x\"a\"]",
             "[\\\"a\"]",
             "[1\x0c,2]",
             "[1\x0c 2]",
             "[1\x1a 2]",
             "{\"a\"\x1a 1}",
             "[_]",
             "[Y]",
             "[y,1]",
             "{\"a\":\x7f}",
             "[\"\\\\\",\"\\\\\"]",
             "\xef\xbb\xbf{}",
             "[1.0,2.50,1e2]",
             "{\"a\":{\"b\":[{\"c\":[[],{}]}]}}",
             "{\"a\\u0062\":1}",
             "[true,null,false]",
             "[tru]",
         }) {
        CAPTURE(text);
        CHECK(agree(doc, text));
    }
    CHECK(agree(doc, std::string("[\"a\0b\"]", 7)));
    CHECK(agree(doc, std::string("[1,\0]", 5)));
}

TEST_CASE("find_fault: it agrees with the parser on texts with a byte changed, removed or doubled") {
    const std::string sample =
        R"({"type":"ADDED","object":{"metadata":{"name":"x\"y","labels":{"a":"b\u00e9","c":""}},"n":[1,-2.5,3e2,true,)"
        R"(false,null,{"deep":[[],{},[{"x":"\\"}]]}],"text":"0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"}})";
    const std::string bytes = "{}[],:\"\\ 0-e.ntf\x01\xc3\x0c\x1a_u";
    json::document doc;
    std::size_t malformed = 0;
    std::size_t disagreements = 0;
    const auto look = [&](const std::string& text) {
        if (!doc.parse(text)) ++malformed;
        if (!agree(doc, text)) {
            ++disagreements;
            CHECK_MESSAGE(false, text);
        }
    };
    for (std::size_t at = 0; at < sample.size(); ++at) {
        std::string text = sample;
        text.erase(at, 1);
        look(text);
        text = sample;
        text.insert(at, 1, sample[at]);
        look(text);
        for (const char byte : bytes) {
            text = sample;
            text[at] = byte;
            look(text);
        }
        look(sample.substr(0, at));
    }
    CHECK(disagreements == 0);
    CHECK(malformed > 1000);
}

TEST_CASE("find_fault: the place is that of the first token that is wrong, and the parser's errors have it too") {
    json::document doc;
    const auto place = [](std::string_view text) {
        return json::find_fault(text).value_or(kcontrol::error()).message();
    };
    const auto message = [&](std::string_view text) { return doc.parse(text).error().message(); };
    CHECK(place("") == "empty text where JSON was expected");
    CHECK(place(R"({"a":1)") == "malformed JSON at byte 6");
    CHECK(place(R"({"a":[1,]})") == "malformed JSON at byte 8");
    CHECK(place(R"({"a": "\q"})") == "malformed JSON at byte 6");
    CHECK(place(R"({"a":1}})") == "malformed JSON at byte 7");
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
    CHECK(place(nested(256)).empty());
    CHECK(place(nested(257)) == "JSON nested deeper than 256 levels");
    CHECK(message("") == "empty text where JSON was expected");
    CHECK(message(" ") == "empty text where JSON was expected");
    CHECK(message(R"({"a":[1,]})") == "malformed JSON at byte 8");
    CHECK(message(R"({"a":nope})") == "malformed JSON at byte 5");
    CHECK(message(R"({"a":01})") == "JSON number malformed, or too large for a double, at byte 5");
    CHECK(message(R"({"a":"\q"})") == "JSON string with a bad escape at byte 5");
    CHECK(message("{\"a\":\"\xff\"}") == "JSON is not valid UTF-8 at byte 5");
    CHECK(message(R"(["a)") == "JSON ends inside a string at byte 1");
    for (std::size_t depth = 250; depth < 260; ++depth) {
        CHECK(agree(doc, nested(depth)));
        CHECK(agree(doc, std::string(depth, '[') + std::string(depth, ']')));
    }
    CHECK(message(nested(257)) == "JSON nested deeper than 256 levels");
}

#ifdef __x86_64__
TEST_CASE("the kernel is what the processor can do, not what this file was compiled for") {
    const auto name = json::kernel_name();
    CAPTURE(name);
    CHECK((name == "fallback" || name == "westmere" || name == "haswell" || name == "icelake"));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
        CHECK((name == "haswell" || name == "icelake"));
    }
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) CHECK(name != "fallback");
}
#endif
