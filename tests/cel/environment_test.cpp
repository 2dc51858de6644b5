// What is known of an expression before it is evaluated: names, members and types, each problem at its place.
#include <kcontrol/cel/environment.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kcontrol;
using cel::type;

namespace {

cel::environment declared() {
    cel::environment out;
    out.declare("n", type::integer())
        .declare("s", type::string())
        .declare("any", type())
        .declare("list", type::list(type::integer()))
        .declare("labels", type::map(type::string()))
        .declare("maybe", type::optional(type::string()))
        .declare("pod", type::object({{"name", type::string()}, {"memory", type::quantity()}}));
    return out;
}

std::string problem(std::string_view text, const type& wanted = type()) {
    const auto compiled = declared().compile(text, wanted);
    return compiled ? "" : compiled.error().message();
}

std::string type_of(std::string_view text) {
    const auto found = declared().check(cel::program::parse(text).value());
    return found ? found->text() : found.error().message();
}

}  // namespace

TEST_CASE("a problem is told with its line and column") {
    CHECK(problem("n > 1") == "");
    CHECK(problem("n > x") == "1:5: undeclared reference to 'x' (in container '')");
    CHECK(problem("n > 1 &&\n  'äö' == s &&\n 'äö' == y") == "3:10: undeclared reference to 'y' (in container '')");
    CHECK(problem("pod.nome == 'a'") == "1:5: undefined field 'nome'");
    CHECK(problem("n + s") == "1:3: found no matching overload for '_+_' applied to '(int, string)'");
    CHECK(problem("pod.memory > n") ==
          "1:12: found no matching overload for '_>_' applied to '(kubernetes.Quantity, int)'");
    CHECK(problem("s.startsWith(n)") == "1:3: found no matching overload for 'startsWith' applied to 'string.(int)'");
    CHECK(problem("s.matches('(')").starts_with("1:3: invalid matches argument: error parsing regexp: "));
    CHECK(problem("list.all(x, x)") == "1:6: expected type 'bool' but found 'int'");
    CHECK(problem("n.all(x, x)").starts_with("1:3: expression of type 'int' cannot be range of a comprehension"));
    CHECK(problem("") == "1:1: kcontrol's CEL does not know the end of the expression");
    CHECK(problem("n >\n\n  'a") == "3:3: kcontrol's CEL does not know a text without an end");
}

TEST_CASE("types are inferred as far as they are known") {
    CHECK(type_of("n") == "int");
    CHECK(type_of("any.x.y") == "dyn");
    CHECK(type_of("list[0]") == "int");
    CHECK(type_of("labels.app") == "string");
    CHECK(type_of("pod.memory.compareTo(quantity('1Gi')) >= 0") == "bool");
    CHECK(type_of("maybe.orValue('x')") == "string");
    CHECK(type_of("pod.?name") == "optional_type(string)");
    CHECK(type_of("list.map(x, string(x))") == "list(string)");
    CHECK(type_of("cel.bind(x, list[0], x + 1)") == "int");
    CHECK(type_of("cel.bind(x, s, x + 1)") == "1:18: found no matching overload for '_+_' applied to '(string, int)'");
    CHECK(type_of("cel.bind(x, n, x) + x") == "1:21: undeclared reference to 'x' (in container '')");
}

TEST_CASE("the type of the value can be asked for") {
    CHECK(problem("n > 1", type::boolean()) == "");
    CHECK(problem("any.x", type::boolean()) == "");
    CHECK(problem("n", type::boolean()) == "1:1: must evaluate to bool or the unknown type, not int");
    CHECK(problem("list", type::list(type::string())) ==
          "1:1: must evaluate to list(string) or the unknown type, not list(int)");
}

TEST_CASE("a schema declares its members") {
    const json::value schema = json::parse(R"({"type":"object","properties":{"at":{"type":"string",
        "format":"date-time"},"n":{"x-kubernetes-int-or-string":true}}})")
                                   .value();
    cel::value_schema shape;
    shape.schema = &schema;
    cel::environment names;
    names.declare("self", type::of(shape).value());
    CHECK(names.compile("self.at < timestamp('2026-01-01T00:00:00Z') && self.n == 1"));
    CHECK(names.compile("self.at < 1").error().message() ==
          "1:9: found no matching overload for '_<_' applied to '(google.protobuf.Timestamp, int)'");
    CHECK(names.compile("self.other").error().message() == "1:6: undefined field 'other'");
}
