// CEL of rules: what it gives, and what this server refuses by name. tests/conformance/rules.json has the rest.
#include "testserver/cel.hpp"

#include "support/print.hpp"
#include "testserver/cel_rules.hpp"
#include "testserver/crd_validation.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using testing::cel_expression;

namespace {

std::string outcome(std::string_view text, const char* self) {
    text_checks texts;
    const auto parsed = cel_expression::parse(text);
    if (!parsed) return "refused: " + parsed.error().message();
    const auto v = parsed->evaluate(json::parse(self).value(), nullptr, texts);
    return v ? json::serialize(*v) : "error: " + v.error().message();
}

json::object definition_with_rule(const std::string& rule) {
    json::value crd =
        json::parse(R"({"metadata":{"name":"as.example.com"},"spec":{"group":"example.com","scope":"Cluster",
        "names":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},"versions":[{"name":"v1","served":true,
        "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
        "properties":{"when":{"type":"string","format":"date-time"},"n":{"type":"integer",
        "x-kubernetes-validations":[{"rule":"true"}]}}}}}}}]}})")
            .value();
    boost::system::error_code none;
    json::value* place = crd.find_pointer(
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n/x-kubernetes-validations/0/rule", none);
    *place = rule;
    return crd.as_object();
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
    CHECK(outcome("'a' < 1", "0") == "error: no such overload");
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

TEST_CASE("what is not known is named") {
    CHECK(outcome("quantity(self)", "1") == "refused: this server's CEL does not know quantity()");
    CHECK(outcome("self.format([1])", "1") == "refused: this server's CEL does not know format()");
    CHECK(outcome("self.?a", "{}") == "refused: this server's CEL does not know optionals");
    CHECK(outcome("1u", "1") == "refused: this server's CEL does not know unsigned and hexadecimal numbers");
    CHECK(outcome("{'a': 1}", "1") == "refused: this server's CEL does not know '{'");
    CHECK(outcome("b'a'", "1") == "refused: this server's CEL does not know bytes");
    CHECK(outcome("self &", "1") == "refused: this server's CEL does not know '&'");
    CHECK(outcome("self ==", "1") == "refused: this server's CEL does not know the end of the expression");
    CHECK(outcome("(1", "1") == "refused: this server's CEL does not know '' where ')' should be");
    CHECK(outcome("1 'in' [1]", "1") == "refused: this server's CEL does not know 'in'");
    CHECK(outcome("[1 ']']", "1") == "refused: this server's CEL does not know ']' in a list");
    const std::string deep = "refused: this server's CEL does not know so deep an expression";
    CHECK(outcome(std::string(100, '!') + "true", "1") == deep);
    CHECK(outcome(std::string(100, '-') + "1", "1") == deep);
    CHECK(outcome(std::string(100, '(') + "1", "1") == deep);
    const std::string longer = "refused: this server's CEL does not know so long an expression";
    const auto chain = [](std::string first, std::string_view link, int times) {
        for (int i = 0; i < times; ++i) first += link;
        return first;
    };
    CHECK(outcome(chain("1", " + 1", 400), "1") == "401");
    CHECK(outcome(chain("1", " + 1", 100'000), "1") == longer);
    CHECK(outcome(chain("self", ".a", 100'000), "1") == longer);
    CHECK(outcome(chain("self", "[0]", 100'000), "1") == longer);
    CHECK(outcome(chain("self", ".trim()", 100'000), "1") == longer);
}

TEST_CASE("a definition with a rule that can't be held is refused, at its place") {
    CHECK(testing::validate_definition(definition_with_rule("self > 1"), nullptr).empty());
    const auto problems = testing::validate_definition(definition_with_rule("isURL(self)"), nullptr);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].field ==
          "spec.validation.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[0].rule");
    CHECK(problems[0].text == R"x(Invalid value: "isURL(self)": this server's CEL does not know isURL())x");
}

TEST_CASE("an expression is parsed once, however many objects are held against it") {
    testing::detail::parsed_rules rules;
    const auto* first = rules.find("self.size > 1");
    REQUIRE(first != nullptr);
    CHECK(rules.find("self.size > 1") == first);
    CHECK(rules.find("self.") == nullptr);
    CHECK(rules.find("self.") == nullptr);
    CHECK(rules.find("true") != nullptr);
    CHECK(rules.find("self.size > 1") == first);
    CHECK(rules.size() == 3);
}
