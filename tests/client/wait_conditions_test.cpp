// What is often waited for, of objects whose kind is known at run time only.
#include <kcontrol/client/wait_conditions.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/json/reader.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

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
}

TEST_CASE("conditions ignore case, and speak of a generation of their own or of the status") {
    const any_object object = with_conditions(R"([{"type":"Ready","status":"True"}])");
    for (const char* text : {"condition=ready", "condition=READY=true", "Condition=Ready=TRUE"}) {
        CAPTURE(text);
        CHECK(parse_wait_condition(text).value()(object));
    }
    CHECK_FALSE(parse_wait_condition("condition=Read").value()(object));
    CHECK_FALSE(parse_wait_condition("condition=Ready=Tru").value()(object));
    const auto status = [](const char* generation) {
        return made(std::string(R"({"metadata":{"name":"a","generation":3},"status":{"observedGeneration":)") +
                    generation + R"(,"conditions":[{"type":"Ready","status":"True"}]}})");
    };
    CHECK(condition_is("Ready")(status("3")));
    CHECK_FALSE(condition_is("Ready")(status("2")));
}

TEST_CASE("a path leads to one value, as kubectl reads it") {
    const any_object object = made(
        R"({"metadata":{"name":"a","labels":{"tier":"a","app.example.com/tier":"web"}},"spec":{"n":3,"real":0.5,"on":true,"none":null,)"
        R"("mode":" fast ","a=b":"c==d","l":["x",{"name":"y"}],"deep":{"its":"q","a:b*":"r"}}})");
    for (const char* text : {"jsonpath={.spec.n}=3",
                             "jsonpath={.spec.n}='3'",
                             "jsonpath={.spec.n}=\"3\"",
                             "jsonpath=.spec.n=3",
                             "jsonpath=spec.n=3",
                             "jsonpath={$.spec.n}=3",
                             "JSONPath={.spec.n}=3",
                             "jsonpath={.spec.n}",
                             "jsonpath={.spec.none}",
                             "jsonpath={.spec.l}",
                             "jsonpath={.spec.real}=0.5",
                             "jsonpath={.spec.on}=true",
                             "jsonpath={.spec.mode}=fast",
                             "jsonpath={.spec['a=b']}=c==d",
                             "jsonpath={['spec']['mode']}=fast",
                             "jsonpath={.spec.l[0]}=x",
                             "jsonpath={.spec.l[-2]}=x",
                             "jsonpath={.spec.l[1].name}=y",
                             "jsonpath={.spec.deep['its']}=q",
                             "jsonpath={.spec.deep['a:b*']}=r",
                             R"(jsonpath={.metadata.labels.app\.example\.com/tier}=web)"}) {
        CAPTURE(text);
        const auto holds = parse_wait_condition(text);
        REQUIRE_MESSAGE(holds, holds.error().message());
        CHECK((*holds)(object));
        CHECK_FALSE((*holds)(any_object()));
    }
    for (const char* text :
         {"jsonpath={.spec.n}=4", "jsonpath={.spec.l[2]}=x", "jsonpath={.spec.l[-3]}", "jsonpath={.none}",
          "jsonpath={.spec.n.deeper}", "jsonpath={.spec[0]}", "jsonpath={.spec.l.name}=y"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_wait_condition(text).value()(object));
    }
    CHECK(parse_wait_condition("create").value()(object));
    CHECK_FALSE(parse_wait_condition("create").value()(any_object()));
}

TEST_CASE("a list or an object that is compared ends the wait, as in kubectl") {
    const any_object object = made(R"({"metadata":{"name":"a"},"spec":{"l":[{"n":1},{"n":2}],"deep":{"n":3}}})");
    for (const char* text : {"jsonpath={.spec.l}=1", "jsonpath={.spec.deep}=1"}) {
        CAPTURE(text);
        const auto holds = parse_wait_condition(text);
        REQUIRE(holds);
        CHECK_THROWS_AS((void)(*holds)(object), std::runtime_error);
        CHECK_FALSE((*holds)(any_object()));
    }
}

TEST_CASE("what can't be waited for is refused with the reason") {
    struct row {
        const char* text;
        const char* reason;
    };
    for (const row& one : {row{"", "is nothing to wait for: write condition=TYPE"},
                           {"gone", "is nothing to wait for: write condition=TYPE"},
                           {"condition=", "the type of the condition is missing"},
                           {"condition==True", "the type of the condition is missing"},
                           {"condition=Ready=", "the status behind = is empty"},
                           {"jsonpath=", "the path names no field"},
                           {"jsonpath={.a", "the path has no }"},
                           {"jsonpath={.a}{.b}=1", "there is more than one path"},
                           {"jsonpath={.a}!=7", "other comparisons are not known"},
                           {"jsonpath={.a}==7", "other comparisons are not known"},
                           {"jsonpath=.a!=7", "other comparisons are not known"},
                           {"jsonpath={.a}=", "the value behind = is empty"},
                           {"jsonpath={.a}=''", "the value behind = is empty"},
                           {"jsonpath={.a[\"b\"]}=1", "is no index and no slice"},
                           {"jsonpath={.a..b}=1", "\"..\" can lead to several values"},
                           {"jsonpath={..a}=1", "\"..\" can lead to several values"},
                           {"jsonpath={.a[*]}=1", "a wildcard can lead to several values"},
                           {"jsonpath={.a.*}=1", "a wildcard can lead to several values"},
                           {"jsonpath={.a[0:2]}=1", "a slice can lead to several values"},
                           {"jsonpath={.a['b','c']}=1", "a union can lead to several values"},
                           {"jsonpath={.c[?(@.type==\"}\")].status}=True", "or condition=TYPE=STATUS"},
                           {"jsonpath={.a[0}=1", "\"[\" without \"]\""}}) {
        CAPTURE(one.text);
        const auto refused = parse_wait_condition(one.text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_argument);
        CHECK_MESSAGE(refused.error().message().find(one.reason) != std::string::npos, refused.error().message());
    }
}
