// The patch of an edit does to the whole object what was done to the part that a type knows.
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/object_edit.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace kcontrol;

// The original as the patch leaves it, as text; or the patch's error.
std::string patched(const std::string& original, const std::string& before, const std::string& after) {
    json::document document;
    const auto root = document.parse(original).value();
    const auto patch = json_patch_of_edit(root, before, after);
    if (!patch) return patch.error().message();
    auto out = json::parse(original).value();
    if (!patch->empty()) {
        const auto applied = json::apply_patch(out, json::parse(*patch).value());
        if (!applied) return applied.error().message() + " in " + *patch;
    }
    return json::serialize(out);
}

void check(const std::string& original, const std::string& before, const std::string& after,
           const std::string& expected) {
    INFO(original << " edited from " << before << " to " << after);
    const auto got = patched(original, before, after);
    INFO("is " << got);
    CHECK(json::equal(json::parse(got).value(), json::parse(expected).value()));
}

TEST_CASE("nothing changed: no patch, whatever the encoding adds") {
    json::document document;
    const auto root = document.parse(R"({"spec":{"unknown":1}})").value();
    CHECK(json_patch_of_edit(root, R"({"spec":{"on":false}})", R"({"spec":{"on":false}})").value().empty());
    CHECK(json_patch_of_edit(root, R"({"a":1,"b":2})", R"({"b":2,"a":1})").value().empty());
}

TEST_CASE("what the type does not know stays") {
    check(R"({"spec":{"known":1,"unknown":{"deep":[1]}}})", R"({"spec":{"known":1}})", R"({"spec":{"known":2}})",
          R"({"spec":{"known":2,"unknown":{"deep":[1]}}})");
    check(R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})", R"({"l":[{"name":"a"},{"name":"b"}]})",
          R"({"l":[{"name":"new"},{"name":"b","known":true},{"name":"a"}]})",
          R"({"l":[{"name":"new"},{"name":"b","x":2,"known":true},{"name":"a","x":1}]})");
    check(R"({"l":[{"name":"a","x":1},{"name":"b","x":2}]})", R"({"l":[{"name":"a"},{"name":"b"}]})",
          R"({"l":[{"name":"b"}]})", R"({"l":[{"name":"b","x":2}]})");
    // Without a key: by all that is shown.
    check(R"({"l":[{"k":1,"x":1},{"k":2,"x":2}]})", R"({"l":[{"k":1},{"k":2}]})", R"({"l":[{"k":0},{"k":1},{"k":2}]})",
          R"({"l":[{"k":0},{"k":1,"x":1},{"k":2,"x":2}]})");
    check(R"({"l":[{"k":1,"x":1},{"k":2}]})", R"({"l":[{"k":1},{"k":2}]})", R"({"l":[{"k":1},{"k":9}]})",
          R"({"l":[{"k":1,"x":1},{"k":9}]})");
    check(R"({"l":[{"k":3,"x":3},{"k":2,"x":2},{"k":1,"x":1}]})", R"({"l":[{"k":3},{"k":2},{"k":1}]})",
          R"({"l":[{"k":1},{"k":2},{"k":3}]})", R"({"l":[{"k":1,"x":1},{"k":2,"x":2},{"k":3,"x":3}]})");
    check(R"({"l":[{"k":1,"x":1},{"k":2,"x":2},{"k":3,"x":3}]})", R"({"l":[{"k":1},{"k":2},{"k":3}]})",
          R"({"l":[{"k":1},{"k":3}]})", R"({"l":[{"k":1,"x":1},{"k":3,"x":3}]})");
}

TEST_CASE("elements that are removed and added at different places are no edited ones") {
    check(R"({"l":[{"k":1,"x":1},{"k":2,"x":2},{"k":3,"x":3}]})", R"({"l":[{"k":1},{"k":2},{"k":3}]})",
          R"({"l":[{"k":0},{"k":1},{"k":3}]})", R"({"l":[{"k":0},{"k":1,"x":1},{"k":3,"x":3}]})");
    // Something in common: it may have been edited and moved. The others were moved: nobody knows what has its place.
    for (const char* after :
         {R"({"l":[{"k":0,"v":2},{"k":1,"v":1}]})", R"({"l":[{"k":0,"v":7},{"k":3,"v":3},{"k":1,"v":1}]})"}) {
        const auto got = patched(R"({"l":[{"k":1,"v":1},{"k":2,"v":2,"x":2},{"k":3,"v":3}]})",
                                 R"({"l":[{"k":1,"v":1},{"k":2,"v":2},{"k":3,"v":3}]})", after);
        CHECK_MESSAGE(got.starts_with("l: the edited elements can't be told from"), got);
    }
}

TEST_CASE("what could get to another element is refused, with the path of the list") {
    const auto refused = [](const char* original, const char* before, const char* after, const char* list) {
        INFO(before << " to " << after);
        const std::string got = patched(original, before, after);
        CHECK_MESSAGE(got.starts_with(std::string(list) + ": the edited elements can't be told from"), got);
    };
    // Edited, or removed and another one added?
    refused(R"({"l":[{"k":1,"x":1},{"k":2,"x":2}]})", R"({"l":[{"k":1},{"k":2}]})", R"({"l":[{"k":1},{"k":9}]})", "l");
    refused(R"({"a":{"m":[{"k":0},{"l":[{"k":1,"x":1}]}]}})", R"({"a":{"m":[{"k":0},{"l":[{"k":1}]}]}})",
            R"({"a":{"m":[{"k":0},{"l":[{"k":2}]}]}})", "a.m");
    // Which of two that look alike is gone?
    refused(R"({"l":[{"k":1,"x":1},{"k":1,"x":2}]})", R"({"l":[{"k":1},{"k":1}]})", R"({"l":[{"k":1}]})", "l");
    refused(R"({"l":[{"k":1,"x":1}]})", R"({"l":[{"k":1}]})", R"({"l":[{"k":1},{"k":1}]})", "l");
    // Where nothing is hidden it makes no difference.
    check(R"({"x":1,"l":[{"k":1},{"k":1}]})", R"({"l":[{"k":1},{"k":1}]})", R"({"l":[{"k":1},{"k":7},{"k":1}]})",
          R"({"x":1,"l":[{"k":1},{"k":7},{"k":1}]})");
    // Deeper, in an element that is known by its name.
    refused(R"({"l":[{"name":"a","m":[{"k":1,"x":1}]}]})", R"({"l":[{"name":"a","m":[{"k":1}]}]})",
            R"({"l":[{"name":"a","m":[{"k":2}]}]})", "l[0].m");
}

TEST_CASE("the keys of a built-in kind's lists are those of its schema") {
    const auto service = [](const char* ports) {
        return std::string(R"({"apiVersion":"v1","kind":"Service","spec":{"ports":)") + ports + "}}";
    };
    // The number and the protocol; its default is TCP. `name` is none: it is another port then.
    check(service(R"([{"name":"a","port":53,"protocol":"TCP","x":1},{"name":"b","port":53,"protocol":"UDP","x":2}])"),
          service(R"([{"name":"a","port":53,"protocol":"TCP"},{"name":"b","port":53,"protocol":"UDP"}])"),
          service(R"([{"name":"a","port":53,"protocol":"UDP"},{"name":"b","port":53}])"),
          service(R"([{"name":"a","port":53,"protocol":"UDP","x":2},{"name":"b","port":53,"x":1}])"));
    // An element with another key is another element.
    check(service(R"([{"port":53,"protocol":"TCP","x":1}])"), service(R"([{"port":53,"protocol":"TCP"}])"),
          service(R"([{"port":54,"protocol":"TCP"}])"), service(R"([{"port":54,"protocol":"TCP"}])"));
    // Of a list that is atomic in the schema, a member called `key` or `name` is no key.
    const auto pod = [](const char* tolerations) {
        return std::string(R"({"apiVersion":"v1","kind":"Pod","spec":{"tolerations":)") + tolerations + "}}";
    };
    CHECK(patched(pod(R"([{"key":"a","effect":"NoSchedule","x":1}])"), pod(R"([{"key":"a","effect":"NoSchedule"}])"),
                  pod(R"([{"key":"a","effect":"NoExecute"}])"))
              .starts_with("spec.tolerations: "));
}

TEST_CASE("parents that are not there are made, and only what was set goes into them") {
    check(R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a"},"spec":{"on":false,"deep":{"n":0}}})",
          R"({"metadata":{"name":"a"},"spec":{"on":false,"deep":{"n":0,"x":1}}})",
          R"({"metadata":{"name":"a"},"spec":{"deep":{"x":1}}})");
    check(R"({"spec":null})", R"({"spec":{"on":false}})", R"({"spec":{"on":true}})", R"({"spec":{"on":true}})");
    check(R"({"labels":{}})", R"({})", R"({"labels":{"a":"b"}})", R"({"labels":{"a":"b"}})");
}

TEST_CASE("removals, also of what was not there; names that a pointer escapes") {
    check(R"({"a":1,"b":2})", R"({"a":1,"c":3})", R"({})", R"({"b":2})");
    check(R"({"l":{"a/b":"1","c~d":"2"}})", R"({"l":{"a/b":"1","c~d":"2"}})", R"({"l":{"c~d":"3"}})",
          R"({"l":{"c~d":"3"}})");
    check(R"({"l":[1,2,3]})", R"({"l":[1,2,3]})", R"({})", R"({})");
}

TEST_CASE("a list that reads otherwise than it is written is replaced") {
    check(R"({"l":[1,null,2]})", R"({"l":[1,2]})", R"({"l":[1,2,3]})", R"({"l":[1,2,3]})");
}

TEST_CASE("two members of one name are an error and no guess") {
    json::document document;
    const auto root = document.parse(R"({"a":1,"a":2})").value();
    CHECK_FALSE(json_patch_of_edit(root, R"({"a":1})", R"({"a":3})"));
}

// A random document; where `full` is told, with members that nobody else knows.
json::value grow(std::mt19937& dice, int depth, bool full) {
    const auto pick = [&dice](std::uint32_t n) { return dice() % n; };
    if (depth == 0 || pick(4) == 0) return static_cast<std::int64_t>(pick(3));
    if (pick(3) == 0) {
        json::array list;
        const auto n = pick(4);
        const bool named = pick(2) == 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            json::value element = named ? json::value(json::object()) : grow(dice, depth - 1, full);
            if (named) element.get_object()["name"] = std::to_string(i);
            list.push_back(std::move(element));
        }
        return list;
    }
    json::object members;
    for (const char* name : {"a", "b", "c"}) {
        if (pick(2) == 0) members[name] = grow(dice, depth - 1, full);
    }
    if (full) members["hidden"] = static_cast<std::int64_t>(pick(100));
    return members;
}

void hide(json::value& v) {
    if (auto* members = v.if_object()) {
        members->erase("hidden");
        for (auto& member : *members) hide(member.value());
    } else if (auto* list = v.if_array()) {
        for (auto& element : *list) hide(element);
    }
}

TEST_CASE("of any object and any edit: the patch applies, and what is shown of the result is what was wanted") {
    std::mt19937 dice(20261123);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        json::value original = grow(dice, 4, true), wanted = grow(dice, 4, false);
        json::value shown = original;
        hide(shown);
        const auto text = patched(json::serialize(original), json::serialize(shown), json::serialize(wanted));
        INFO(json::serialize(original) << " to " << json::serialize(wanted) << ": " << text);
        if (text.find("the edited elements can't be told") != std::string::npos) {
            ++refused;
            continue;
        }
        auto got = json::parse(text);
        REQUIRE(got);
        hide(*got);
        REQUIRE(json::equal(*got, wanted));
    }
    CHECK(refused < 300);
}

}  // namespace
