// lazy_document: it reads what document reads, and finds what is malformed in what it reads.
#include <kcontrol/json/lazy.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

using kcontrol::errc;
namespace json = kcontrol::json;

static_assert(std::forward_iterator<json::lazy_node::member_iterator>);
static_assert(std::forward_iterator<json::lazy_node::element_iterator>);
static_assert(sizeof(json::lazy_node) == 16);

namespace {

// The text as read wholly in one way; empty if it is malformed.
std::string by_document(const std::string& text) {
    json::document document;
    const auto root = document.parse(text);
    return root ? root->to_json() : std::string();
}

std::string by_lazy(json::lazy_document& document, const std::string& text) {
    const auto root = document.scan(text);
    if (!root) return {};
    std::string read = root->to_json();
    return root->take_fault() ? std::string() : read;
}

// Whether both find something, and the same.
bool agree(json::lazy_document& document, const std::string& text) {
    // A copy of its exact size, so that a tool that watches memory sees a read beyond the end.
    const std::vector<char> exact(text.begin(), text.end());
    return by_lazy(document, std::string(exact.begin(), exact.end())) == by_document(text);
}

}  // namespace

TEST_CASE("lazy: every kind of value is read") {
    const std::string text =
        R"( {"n":null , "t":true,"f":false,"i":-9223372036854775808,"u":18446744073709551615,)"
        R"("d":1.5,"s":"a\u00e9\n\u0000z\ud83d\ude00", "a":[ 1,[2,3],{"x":4},"y" ],"o":{},"e":[],"":"empty"} )";
    json::lazy_document doc;
    const auto root = doc.scan(text);
    REQUIRE(root);
    const json::lazy_node n = *root;
    CHECK(n.is_object());
    CHECK(n.size() == 11);
    CHECK(n["n"].is_null());
    CHECK(n["t"].as_bool());
    CHECK(n["t"].kind() == json::kind::boolean);
    CHECK_FALSE(n["f"].as_bool());
    CHECK(n["i"].kind() == json::kind::integer);
    CHECK(n["i"].as_int64() == std::numeric_limits<std::int64_t>::min());
    CHECK(n["i"].as_double() == -9223372036854775808.0);
    CHECK(n["u"].kind() == json::kind::unsigned_integer);
    CHECK(n["u"].as_uint64() == std::numeric_limits<std::uint64_t>::max());
    CHECK(n["u"].as_double() == 18446744073709551615.0);
    CHECK(n["d"].kind() == json::kind::number);
    CHECK(n["d"].as_double() == 1.5);
    CHECK(n["s"].as_string() == std::string_view("a\xc3\xa9\n\0z\xf0\x9f\x98\x80", 10));
    CHECK(n["a"].size() == 4);
    CHECK(n["a"].raw() == R"([ 1,[2,3],{"x":4},"y" ])");
    CHECK(n["a"].to_json() == R"([1,[2,3],{"x":4},"y"])");
    CHECK(n["t"].raw() == "true");
    CHECK(n["o"].size() == 0);
    CHECK(n["o"].members().empty());
    CHECK(n["e"].elements().empty());
    CHECK(n[""].as_string() == "empty");
    CHECK(n["missing"].is_null());
    CHECK(json::lazy_node().is_null());
    CHECK(json::lazy_node().to_json() == "null");
    CHECK(json::lazy_node().raw() == "null");
    CHECK(json::lazy_node().kind() == json::kind::null);
    CHECK_FALSE(json::lazy_node().take_fault());
    CHECK_FALSE(n.take_fault());
}

TEST_CASE("lazy: what is well-formed reads as with the other reader, what is malformed is found by both") {
    json::lazy_document doc;
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

TEST_CASE("lazy: texts with a byte changed, removed or doubled read as with the other reader") {
    const std::string sample =
        R"({"type":"ADDED","object":{"metadata":{"name":"x\"y","labels":{"a":"b\u00e9","c":""}},"n":[1,-2.5,3e2,true,)"
        R"(false,null,{"deep":[[],{},[{"x":"\\"}]]}],"text":"0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"}})";
    const std::string bytes = "{}[],:\"\\ 0-e.ntf\x01\xc3\x0c\x1a_u";
    json::lazy_document doc;
    std::size_t malformed = 0;
    std::size_t disagreements = 0;
    const auto look = [&](const std::string& text) {
        if (by_document(text).empty()) ++malformed;
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

TEST_CASE("lazy: the inside of what is passed over is looked at for brackets, strings and UTF-8 only") {
    json::lazy_document doc;
    const auto root = doc.scan(R"({"bad":{"n":01,"x":nope,,"y" 1},"good":1})");
    REQUIRE(root);
    CHECK((*root)["good"].as_int64() == 1);
    CHECK_FALSE(root->take_fault());
    // But not when it is read.
    CHECK((*root)["bad"]["n"].is_null());
    const auto fault = root->take_fault();
    REQUIRE(fault);
    CHECK(*fault == errc::decode_failed);
    CHECK(fault->message() == "malformed JSON at byte 12");
    CHECK_FALSE(root->take_fault());
    for (const char* text :
         {R"({"bad":{]},"good":1})", R"({"bad":{"x":"},"good":1})", "{\"bad\":{\"x\":\"\xff\"},\"good\":1}",
          R"({"bad":[[],"good":1})", "{\"bad\":{\"x\":\"\n\"},\"good\":1}"}) {
        CAPTURE(text);
        CHECK_FALSE(doc.scan(text));
    }
}

TEST_CASE("lazy: errors say what is wrong") {
    json::lazy_document doc;
    const auto message = [&](const std::string& text) { return doc.scan(text).error().message(); };
    CHECK(message("") == "empty text where JSON was expected");
    CHECK(message("{\"a\":1") == "malformed JSON");
    CHECK(message("{\"a\":1}}") == "malformed JSON");
    CHECK(message("\"\xff\"") == "JSON is not valid UTF-8");
    CHECK(message("[\"a") == "JSON ends inside a string");
    CHECK(message(std::string(257, '[') + std::string(257, ']')) == "JSON nested deeper than 256 levels");
    CHECK(doc.scan(std::string(256, '[') + std::string(256, ']')).has_value());
}

TEST_CASE("lazy: a document is scanned again, moved and cleared") {
    json::lazy_document doc;
    const std::string first = "[\"a\\n\"]";
    const std::string second = "[" + std::string(20000, ' ') + "\"b\"]";
    CHECK(doc.scan(first)->to_json() == first);
    CHECK(doc.scan(second)->to_json() == "[\"b\"]");
    json::lazy_document other = std::move(doc);
    CHECK(other.scan(first)->to_json() == first);
    other.clear();
    CHECK(other.scan(first)->to_json() == first);
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
