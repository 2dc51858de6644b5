// What is often waited for, of objects whose kind is known at run time only.
#include <kcontrol/client/wait_conditions.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/json/reader.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

namespace {

any_object made(const std::string& text) {
    static const resource_info info = dynamic_resource({"example.com", "v1", "Widget"}, "widgets");
    json::document document;
    const auto node = document.parse(text);
    REQUIRE(node.has_value());
    auto object = info.decode(*node, nullptr);
    REQUIRE_MESSAGE(object.has_value(), object.error().what());
    return *object;
}

any_object with_conditions(const std::string& conditions) {
    return made(R"({"metadata":{"name":"a","generation":3},"status":{"conditions":)" + conditions + "}}");
}

}  // namespace

TEST_CASE("a condition holds if it is of that type and status, and of the object as it is now") {
    const auto ready = condition_is("Ready"), broken = condition_is("Ready", "False");
    CHECK(ready(with_conditions(R"([{"type":"Other","status":"False"},{"type":"Ready","status":"True"}])")));
    CHECK_FALSE(broken(with_conditions(R"([{"type":"Ready","status":"True"}])")));
    CHECK(broken(with_conditions(R"([{"type":"Ready","status":"False"}])")));
    CHECK(ready(with_conditions(R"([{"type":"Ready","status":"True","observedGeneration":3}])")));
    CHECK_FALSE(ready(with_conditions(R"([{"type":"Ready","status":"True","observedGeneration":2}])")));
    for (const char* odd : {"[]", "{}", "null", "\"Ready\"", "[7]", R"([{"status":"True"}])"}) {
        CHECK_FALSE(ready(with_conditions(odd)));
    }
    CHECK_FALSE(ready(made(R"({"metadata":{"name":"a"}})")));
    CHECK_FALSE(ready(any_object()));
}

TEST_CASE("a field has that value: a string as it is, everything else as JSON") {
    const any_object object =
        made(R"({"metadata":{"name":"a"},"spec":{"replicas":3,"on":true,"mode":"fast","l":[1]}})");
    CHECK(field_is("/spec/replicas", "3")(object));
    CHECK(field_is("/spec/on", "true")(object));
    CHECK(field_is("/spec/mode", "fast")(object));
    CHECK(field_is("/spec/l", "[1]")(object));
    CHECK_FALSE(field_is("/spec/mode", "slow")(object));
    CHECK_FALSE(field_is("/spec/none", "")(object));
    CHECK_FALSE(field_is("no pointer", "3")(object));
    CHECK_FALSE(field_is("/spec/replicas", "3")(any_object()));
}

TEST_CASE("what kubectl wait --for takes") {
    const any_object object = made(
        R"({"metadata":{"name":"a"},"spec":{"mode":"a=b"},"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
    const auto holds = [&](const char* text) { return parse_wait_condition(text).value()(object); };
    CHECK_FALSE(holds("condition=Ready"));
    CHECK(holds("condition=Ready=False"));
    CHECK(holds("jsonpath={.spec.mode}=a=b"));
    CHECK_FALSE(holds("jsonpath={.spec.mode}=a"));
    CHECK_FALSE(holds("delete"));
    CHECK(parse_wait_condition("delete").value()(any_object()));
    for (const char* odd : {"", "gone", "condition=", "jsonpath={.}=1", "jsonpath={.a", "jsonpath={a}=1", "create"}) {
        const auto refused = parse_wait_condition(odd);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(refused.error().what().find("condition=TYPE") != std::string::npos);
    }
}
