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
