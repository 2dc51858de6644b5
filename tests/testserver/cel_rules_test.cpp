// Rules of definitions: where one that can't be held is refused, and how often one is parsed.
// tests/conformance/rules.json has the rest.
#include "testserver/cel_rules.hpp"

#include "testserver/crd_validation.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;

namespace {

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

TEST_CASE("a definition with a rule that can't be held is refused, at its place") {
    CHECK(testing::validate_definition(definition_with_rule("self > 1"), nullptr).empty());
    const auto problems = testing::validate_definition(definition_with_rule("nope(self)"), nullptr);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].field ==
          "spec.validation.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[0].rule");
    CHECK(problems[0].text == R"x(Invalid value: "nope(self)": 1:1: kcontrol's CEL does not know nope())x");
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
