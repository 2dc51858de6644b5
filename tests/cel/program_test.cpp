// Expressions: what they give, and what is refused by name. tests/conformance/cel.json has the libraries beside a real
// server.
#include <kcontrol/cel/program.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kcontrol;

namespace {

std::string outcome(std::string_view text, const char* self) {
    const auto parsed = cel::program::parse(text);
    if (!parsed) return "refused: " + parsed.error().message();
    const json::value given = json::parse(self).value();
    const auto v = parsed->evaluate({{"self", cel::value::of(given, {}).value()}});
    return v ? json::serialize(v->to_json()) : "error: " + v.error().message();
}

}  // namespace

TEST_CASE("operators, by their precedence") {
    CHECK(outcome("1 + 2 * 3 - 4 / 2", "0") == "5");
    CHECK(outcome("7 % 4 == 3 && !(1 > 2)", "0") == "true");
    CHECK(outcome("true || 1 / 0 > 0", "0") == "true");
    CHECK(outcome("1 / 0 > 0 || true", "0") == "true");
    CHECK(outcome("false && 1 / 0 > 0", "0") == "false");
    CHECK(outcome("1 / 0 > 0 && true", "0") == "error: division by zero");
    CHECK(outcome("self > 1 ? 'a' : self > 0 ? 'b' : 'c'", "1") == R"("b")");
    CHECK(outcome("9223372036854775807 + 1", "0") == "error: integer overflow");
    CHECK(outcome("-self", "-9223372036854775808") == "error: integer overflow");
    CHECK(outcome("-self == -2", "2") == "true");
    CHECK(outcome("int(self)", "-2.9") == "-2");
    CHECK(outcome("int(1e300)", "0") == "error: integer overflow");
    CHECK(outcome("int(-1e300)", "0") == "error: integer overflow");
    CHECK(outcome("int(9223372036854775807.0)", "0") == "error: integer overflow");
    CHECK(outcome("int(0.0 / 0.0)", "0") == "error: integer overflow");
    CHECK(outcome("1 == 1.0", "0") == "true");
    CHECK(outcome("'a' < 1", "0") == "error: no such overload: _<_(string, int)");
}

TEST_CASE("texts and their escapes") {
    CHECK(outcome(R"(self == 'it\'s')", R"("it's")") == "true");
    CHECK(outcome(R"(self == "a\nb")", R"("a\nb")") == "true");
    CHECK(outcome(R"(self == r"a\nb")", R"("a\\nb")") == "true");
    CHECK(outcome("size(self)", R"("äöü")") == "3");
    CHECK(outcome("self.matches('(')", R"("x")").starts_with("error: error parsing regexp: "));
}

TEST_CASE("lists and objects") {
    CHECK(outcome("self.a.b[1]", R"({"a":{"b":[1,2]}})") == "2");
    CHECK(outcome("self.a[2]", R"({"a":[1]})") == "error: index out of bounds: 2");
    CHECK(outcome("self['?']", R"({"?":1})") == "1");
    CHECK(outcome("self.x", "{}") == "error: no such key: x");
    CHECK(outcome("has(self.a) && !has(self.b)", R"({"a":null})") == "true");
    CHECK(outcome("self.filter(x, x > 1).map(x, x * 2)", "[1,2,3]") == "[4,6]");
    CHECK(outcome("self.all(x, x / 0 > 1 || x > 0)", "[1]") == "true");
    CHECK(outcome("self.__namespace__ + self.a__dot__b", R"({"namespace":"x","a.b":"y"})") == R"("xy")");
    CHECK(outcome("[1, 2, 3].max()", "0") == "3");
    CHECK(outcome("[].min()", "0") == "error: min called on empty list");
}

TEST_CASE("types that JSON does not have") {
    CHECK(outcome("type([]) == list && type({}) == map && type(null) == null_type", "0") == "true");
    CHECK(outcome("dyn(1) == dyn(1.0) && dyn('1') != dyn(1)", "0") == "true");
    CHECK(outcome("9007199254740993 == 9007199254740992.0", "0") == "false");
    CHECK(outcome("timestamp('2026-02-30T00:00:00Z')", "0") ==
          "error: type conversion error from 'string' to 'google.protobuf.Timestamp'");
    CHECK(outcome("timestamp('2024-02-29T23:59:59.25-05:30')", "0") == R"("2024-02-29T23:59:59.25-05:30")");
    CHECK(outcome("timestamp('0001-01-01T00:00:00Z') - duration('1s')", "0") == "error: timestamp overflow");
    CHECK(outcome("timestamp('9999-01-01T00:00:00Z') - timestamp('0001-01-01T00:00:00Z')", "0") ==
          "error: duration overflow");
    CHECK(outcome("duration('2562047h47m16.854775807s') + duration('1ns')", "0") == "error: duration overflow");
    CHECK(outcome("duration('2562048h')", "0") ==
          "error: type conversion error from 'string' to 'google.protobuf.Duration'");
    CHECK(outcome("quantity('1Gi').sub(quantity('1Mi')).compareTo(quantity('1023Mi'))", "0") == "0");
    CHECK(outcome("[quantity('1').isInteger(), ip('1.2.3.4') == ip('1.2.3.5')]", "0") == "[true,false]");
    CHECK(outcome("18446744073709551615u + 1u", "0") == "error: unsigned integer overflow");
    CHECK(outcome("[1, 2][0u] + [1, 2][1.0]", "0") == "3");
    CHECK(outcome("'%f'.format([self])", "1e300").size() > 300);
}

TEST_CASE("members by the schema beside them") {
    const json::value schema =
        json::parse(R"({"type":"object","properties":{"at":{"type":"string","format":"date-time"},
        "n":{"type":"number"},"span":{"type":"string","format":"duration"}}})")
            .value();
    const json::value v = json::parse(R"({"at":"2026-01-01T00:00:00Z","n":3,"span":"2 days","other":1})").value();
    const auto of = [&](std::string_view text) {
        cel::value_schema shape;
        shape.schema = &schema;
        auto self = cel::value::of(v, shape).value();
        const auto out = cel::program::parse(text).value().evaluate({{"self", std::move(self)}});
        return out ? json::serialize(out->to_json()) : out.error().message();
    };
    CHECK(of("self.at + self.span") == R"("2026-01-03T00:00:00Z")");
    CHECK(of("self.n / 2.0") == "1.5");
    CHECK(of("has(self.other)") == "false");  // rules see what is declared
}

TEST_CASE("what is not known is named") {
    CHECK(outcome("nope(self)", "1") == "refused: 1:1: kcontrol's CEL does not know nope()");
    CHECK(outcome("self.nope([1])", "1") == "refused: 1:6: kcontrol's CEL does not know nope()");
    CHECK(outcome("self.trim(1)", "1") ==
          "refused: 1:6: kcontrol's CEL does not know trim() as a method of 1 arguments");
    CHECK(outcome("trim(self)", "1") ==
          "refused: 1:1: kcontrol's CEL does not know trim() as a function of 1 arguments");
    CHECK(outcome("self.getHours('Europe/Berlin')", "1") ==
          "refused: 1:15: kcontrol's CEL does not know the time zone 'Europe/Berlin', only offsets as '+02:00'");
    CHECK(outcome("Message{a: 1}", "1") == "refused: 1:8: kcontrol's CEL does not know messages of Protocol Buffers");
    CHECK(outcome("authorizer.path('/').check('get').allowed()", "1") ==
          "refused: 1:12: kcontrol's CEL does not know path()");
    CHECK(outcome("9223372036854775808", "1") ==
          "refused: 1:1: kcontrol's CEL does not know the number 9223372036854775808");
    CHECK(outcome("-9223372036854775808", "1") == "-9223372036854775808");
    CHECK(outcome("self.all(1, true)", "[]") ==
          "refused: 1:10: kcontrol's CEL does not know the argument of all() that is no name");
    CHECK(outcome("self &", "1") == "refused: 1:6: kcontrol's CEL does not know '&'");
    CHECK(outcome("self ==", "1") == "refused: 1:8: kcontrol's CEL does not know the end of the expression");
    CHECK(outcome("(1", "1") == "refused: 1:3: kcontrol's CEL does not know '' where ')' should be");
    CHECK(outcome("1 'in' [1]", "1") == "refused: 1:3: kcontrol's CEL does not know 'in'");
    CHECK(outcome("[1 ']']", "1") == "refused: 1:4: kcontrol's CEL does not know ']' in a list");
    const auto deep = [](int column) {
        return "refused: 1:" + std::to_string(column) + ": kcontrol's CEL does not know so deep an expression";
    };
    CHECK(outcome(std::string(100, '!') + "true", "1") == deep(51));
    CHECK(outcome(std::string(100, '-') + "1", "1") == deep(51));
    CHECK(outcome(std::string(100, '(') + "1", "1") == deep(51));
    const auto is_too_long = [](const std::string& said) {
        return said.starts_with("refused: 1:") &&
               said.ends_with(": kcontrol's CEL does not know so long an expression");
    };
    const auto chain = [](std::string first, std::string_view link, int times) {
        for (int i = 0; i < times; ++i) first += link;
        return first;
    };
    CHECK(outcome(chain("1", " + 1", 400), "1") == "401");
    CHECK(is_too_long(outcome(chain("1", " + 1", 100'000), "1")));
    CHECK(is_too_long(outcome(chain("self", ".a", 100'000), "1")));
    CHECK(is_too_long(outcome(chain("self", "[0]", 100'000), "1")));
    CHECK(is_too_long(outcome(chain("self", ".trim()", 100'000), "1")));
}
