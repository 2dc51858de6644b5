// Values from a program, variables of macros and of cel.bind, errors by their types, and what an evaluation may cost.
#include <kcontrol/cel/environment.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kcontrol;

namespace {

std::string outcome(std::string_view text, const cel::program::variables& given = {},
                    const cel::evaluation_options& how = cel::evaluation_options()) {
    const auto parsed = cel::program::parse(text);
    if (!parsed) return "refused: " + parsed.error().message();
    const auto v = parsed->evaluate(given, how);
    return v ? json::serialize(v->to_json()) : v.error().message();
}

std::string within(std::uint64_t limit, std::string_view text, const cel::program::variables& given = {}) {
    return outcome(text, given, cel::evaluation_options().cost_limit(limit));
}

constexpr const char* exceeded = "actual cost limit exceeded";

}  // namespace

TEST_CASE("variables are what a program makes of them") {
    const cel::value items = cel::list_value({1, "two", 3.5, true, nullptr, quantity::parse("1Gi").value()});
    CHECK(outcome("v", {{"v", items}}) == R"([1,"two",3.5,true,null,"1Gi"])");
    const cel::value map = cel::map_value({{"a", 1}, {"b", items}});
    CHECK(outcome("v.a == 1 && v.b.size() == 6 && !has(v.c)", {{"v", map}}) == "true");
    CHECK(outcome("v", {{"v", cel::map_value({{"one", "text"}})}}) == R"({"one":"text"})");
    CHECK(outcome("v", {{"v", cel::map_value({})}}) == "{}");
    CHECK(outcome("v", {{"v", cel::list_value({"one"})}}) == R"(["one"])");
    CHECK(outcome("v.c", {{"v", map}}) == "no such key: c");
    CHECK(outcome("v.b[6]", {{"v", map}}) == "index out of bounds: 6");
    const cel::value open = cel::map_value::with_default({{"a", 1}}, cel::map_value({}));
    CHECK(outcome("v.x.size() == 0 && v['y'].size() == 0 && !('x' in v) && v.a == 1", {{"v", open}}) == "true");
    CHECK(outcome("v.x.y", {{"v", open}}) == "no such key: y");
    CHECK(outcome("w", {{"v", 1}}) == "undeclared reference to 'w'");
    // A copy of JSON needs it no longer.
    const cel::value copied = cel::value::copy_of(json::parse(R"({"a":[{"b":1}]})").value());
    CHECK(outcome("v.a[0].b", {{"v", copied}}) == "1");
}

TEST_CASE("cel.bind names a value, for one expression") {
    CHECK(outcome("cel.bind(x, 2, x * x)") == "4");
    CHECK(outcome("cel.bind(x, 2, cel.bind(y, x + 1, [x, y]))") == "[2,3]");
    CHECK(outcome("cel.bind(x, 1, cel.bind(x, x + 1, x) + x)") == "3");
    CHECK(outcome("cel.bind(x, 1 / 0, true)") == "division by zero");
    CHECK(outcome("[1, 2].map(i, cel.bind(j, i * 10, j + v))", {{"v", 5}}) == "[15,25]");
    CHECK(outcome("cel.bind(1, 2, 3)") ==
          "refused: 1:10: kcontrol's CEL does not know the argument of cel.bind() that is no name");
    CHECK(outcome("cel.bind(x, 2)") ==
          "refused: 1:5: kcontrol's CEL does not know cel.bind() as a function of 2 arguments");
}

TEST_CASE("includes() is of lists and of other values") {
    CHECK(outcome("[1, 2].includes(2)") == "true");
    CHECK(outcome("[1, 2].includes(3)") == "false");
    CHECK(outcome("'a'.includes('a')") == "true");
    CHECK(outcome("'ab'.includes('a')") == "false");
}

TEST_CASE("an operator or function that is not for these values is named with their types") {
    CHECK(outcome("'a' + 1") == "no such overload: _+_(string, int)");
    CHECK(outcome("1 in 2") == "no such overload: _in_(int, int)");
    CHECK(outcome("'a'.startsWith(1)") == "no such overload: string.startsWith(int)");
    CHECK(outcome("v.compareTo('1Gi')", {{"v", quantity::parse("1Gi").value()}}) ==
          "no such overload: kubernetes.Quantity.compareTo(string)");
    CHECK(outcome("size(1)") == "no such overload: size(int)");
}

TEST_CASE("an evaluation ends when it costs more than it may") {
    CHECK(within(1, "v", {{"v", 1}}) == "1");
    CHECK(within(0, "v", {{"v", 1}}) == exceeded);
    CHECK(within(3, "v + v", {{"v", 1}}) == "2");
    CHECK(within(2, "v + v", {{"v", 1}}) == exceeded);
    CHECK(within(0, "1") == "1");
    // Texts by their length, lists by their items.
    const cel::value text = std::string(1000, 'a');
    CHECK(within(103, "v == v", {{"v", text}}) == exceeded);
    CHECK(within(203, "v == v", {{"v", text}}) == "true");
    CHECK(within(200, "lists.range(100).size()") == exceeded);
    // Nothing decides in its place.
    CHECK(within(50, "lists.range(100).size() > 0 || true") == exceeded);
    CHECK(within(50, "[1, 2].exists(x, lists.range(100).size() > 0)") == exceeded);
    CHECK(within(50, "optional.of(lists.range(100)).hasValue() ? 1 : 2") == exceeded);
}

TEST_CASE("the usual limit stops what would not end soon") {
    CHECK(outcome("lists.range(1000).all(x, lists.range(1000).all(y, lists.range(1000).all(z, x + y + z >= 0)))") ==
          exceeded);
    std::string doubled = "x";
    for (int i = 0; i < 40; ++i) doubled = "cel.bind(x, x + x, " + doubled + ")";
    CHECK(outcome("cel.bind(x, 'abcdefgh', " + doubled + ".size())") == exceeded);
    CHECK(outcome("cel.bind(x, lists.range(900), x.map(i, x).map(j, x.map(i, j)).size())") == exceeded);
    const cel::value large = std::string(1'000'000, 'a');
    CHECK(outcome("v.replace('', v).size()", {{"v", large}}) == exceeded);
    CHECK(outcome("lists.range(100000).map(i, v).size()", {{"v", large}}) == exceeded);
}
