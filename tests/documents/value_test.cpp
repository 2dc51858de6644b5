#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/reader.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using kcontrol::errc;
namespace json = kcontrol::json;

TEST_CASE("text becomes a value and text again") {
    const std::string text =
        R"({"z":[1,-9223372036854775808,18446744073709551615,0.1,1e+300,true,null,""],"a":{"b\"":"é\n"}})";
    const auto v = json::parse(text);
    REQUIRE(v);
    CHECK(json::serialize(*v) == text);
    CHECK(v->at("z").at(2).get_uint64() == 18446744073709551615u);
    CHECK(v->at("z").at(3).get_double() == 0.1);
}

TEST_CASE("a document must be strictly JSON; the message says where it is not") {
    const struct {
        std::string text;
        const char* says;
    } cases[] = {
        {"", "empty"},
        {"[1,x]", "at byte 3"},
        {"{\"a\":1} x", "at byte 8"},
        {"[1", "at byte 2"},
        {"  [1,2,\n nul]", "at byte"},
        {"\"\xff\"", "UTF-8"},
        {"\"\\ud800\"", "at byte"},
        {"[1,] // c", "at byte 3"},
        {std::string(300, '[') + '1' + std::string(300, ']'), "deeper than 256"},
        {"1e400", "double"},
        {R"({"a":{"b":1,"b":2}})", "two members \"b\""},
        {R"([{"\u0007":1,"\u0007":2}])", "\\x07"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto v = json::parse(c.text);
        REQUIRE_FALSE(v);
        CHECK(v.error() == errc::decode_failed);
        CAPTURE(v.error().message());
        CHECK(v.error().message().find(c.says) != std::string::npos);
    }
}

TEST_CASE("values are found by path") {
    const json::value v = *json::parse(R"({"metadata":{"name":"a","labels":{}},"spec":[{"x":1}],"n":null})");
    CHECK(json::get_string(v, {"metadata", "name"}) == "a");
    CHECK(json::get_string(v, {"metadata", "labels"}).empty());
    CHECK(json::get_string(v, {"metadata", "uid"}).empty());
    CHECK(json::get_string(v, {"spec", "x"}).empty());
    CHECK(json::find(v, {}) == &v);
    CHECK(json::find(v, {"n"})->is_null());
    CHECK(json::find(v, {"n", "x"}) == nullptr);
    CHECK(json::find(v, {"metadata", "labels"})->is_object());
}

TEST_CASE("equality is that of JSON") {
    const struct {
        const char* a;
        const char* b;
        bool equal;
    } cases[] = {
        {"1", "1.0", true},
        {"1", "1.5", false},
        {"-1", "-1e0", true},
        {"9007199254740993", "9007199254740992.0", false},  // 2^53 + 1 has no double
        {"9007199254740992", "9007199254740992.0", true},
        {"18446744073709551615", "18446744073709551616.0", false},
        {"18446744073709549568", "18446744073709549568.0", true},
        {"9223372036854775807", "9223372036854775808.0", false},
        {"-9223372036854775808", "-9223372036854775808.0", true},
        {"-1", "18446744073709551615", false},
        {"0", "-0.0", true},
        {"0", "false", false},
        {"null", "0", false},
        {"\"a\"", "\"a\"", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,1]", false},
        {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})", true},
        {R"({"a":1})", R"({"b":1})", false},
        {R"({"a":1})", R"({"a":1,"b":null})", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.a);
        CAPTURE(c.b);
        CHECK(json::equal(*json::parse(c.a), *json::parse(c.b)) == c.equal);
        CHECK(json::equal(*json::parse(c.b), *json::parse(c.a)) == c.equal);
    }
    CHECK(json::equal(json::value(std::uint64_t{7}), json::value(std::int64_t{7})));
    CHECK(json::equal(json::value(std::uint64_t{7}), json::value(7.0)));
}
