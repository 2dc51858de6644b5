// Strict reading: what lenient readers let pass, with the place where it is.
#include <kcontrol/documents/strict.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

namespace {

std::string refusal(std::string_view text, const json::strict_limits& limits = {}) {
    json::document document;
    const auto root = json::parse_strict(document, text, limits);
    return root ? "" : root.error().message();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("strict: what is fine") {
    for (const char* text : {"1", "null", "\"a\"", "[]", "{}", R"({"a":{"a":{"a":[{"a":1},{"a":1}]}},"b":1})"}) {
        CAPTURE(std::string(text));
        CHECK(refusal(text) == "");
    }
    json::document document;
    CHECK(json::parse_strict(document, R"({"a":7})").value()["a"].as_int64() == 7);
}

TEST_CASE("strict: names that appear twice, with their path") {
    CHECK(refusal(R"({"a":1,"b":2,"a":3})") == "member \"a\" twice");
    CHECK(refusal(R"({"spec":{"x":[{},{"containers":[{"image":"a","image":"b"}]}]}})") ==
          "spec.x[1].containers[0]: member \"image\" twice");
    CHECK(refusal(R"([[{"":1,"":2}]])") == "[0][0]: member \"\" twice");
    // The same name, written differently.
    CHECK(refusal(R"({"a":1,"\u0061":2})") == "member \"a\" twice");
    CHECK(refusal(R"({"a\u0000":1,"a\u0000":2})") == "member \"a\\x00\" twice");
    std::string many = "{";
    for (int i = 0; i < 3000; ++i) many += "\"n" + std::to_string(i) + "\":0,";
    CHECK(refusal(many + "\"last\":0}") == "");
    CHECK(refusal(many + "\"n1234\":0}") == "member \"n1234\" twice");
}

TEST_CASE("strict: budgets") {
    CHECK(refusal(nested(128)) == "");
    CHECK(refusal(nested(129)).ends_with("[0]: nested deeper than 128 levels"));
    CHECK(refusal(R"({"a":{"b":[]}})", json::strict_limits().max_depth(2)) == "a.b: nested deeper than 2 levels");
    CHECK(refusal("7", json::strict_limits().max_depth(0)) == "");
    CHECK(refusal(nested(300), json::strict_limits().max_depth(1000)).find("256") != std::string::npos);
    json::document document;
    const auto limits = json::strict_limits().max_bytes(5);
    CHECK(json::parse_strict(document, "123456", limits).error() == errc::too_large);
    CHECK(json::parse_strict(document, "12345", limits).has_value());
}

TEST_CASE("strict: malformed text, with the byte") {
    CHECK(refusal("{} x").find("at byte 3") != std::string::npos);
    CHECK(refusal("{\"a\":1").find("at byte 6") != std::string::npos);
    CHECK(refusal("[1,]").find("at byte 3") != std::string::npos);
    CHECK(refusal("\"\xff\"") != "");
    CHECK(refusal("\"\xed\xa0\x80\"") != "");
    CHECK(refusal("{} {}") != "");
    CHECK(refusal("") != "");
    CHECK(refusal("// x\n1") != "");
    CHECK(refusal("1e999") != "");
    CHECK(refusal("\xef\xbb\xbf{}") != "");
}
