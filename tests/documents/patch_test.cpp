#include <kcontrol/documents/patch.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>

using kcontrol::errc;
namespace json = kcontrol::json;

namespace {

json::value parsed(std::string_view text) {
    auto v = json::parse(text);
    REQUIRE(v);
    return std::move(*v);
}

// A seeded source of small documents that have much in common.
class documents {
public:
    explicit documents(std::uint32_t seed, bool nulls) : random_(seed), nulls_(nulls) {}

    json::value next(int depth = 3) {
        switch (below(depth > 0 ? 9 : 6)) {
        case 0: return below(2) == 0;
        case 1: return std::int64_t{below(3)};
        case 2: return below(4) / 2.0;
        case 3: return below(2) ? "a" : "b/~\"";
        case 4: return std::uint64_t{18446744073709551615u} - static_cast<unsigned>(below(2));
        case 5: return nulls_ ? json::value(nullptr) : json::value("");
        case 6: {
            json::array list;
            for (int i = below(4); i > 0; --i) list.push_back(next(depth - 1));
            return list;
        }
        default: return next_object(depth - 1);
        }
    }

    json::value next_object(int depth = 3) {
        json::object out;
        for (const char* name : {"a", "b", "~0", "/", "", "x~1y"}) {
            if (below(2)) out.emplace(name, next(depth));
        }
        return out;
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    std::mt19937 random_;  // its output is fixed by the standard, so a seed replays everywhere
    bool nulls_;
};

}  // namespace

TEST_CASE("the examples of RFC 6902, appendix A, and more") {
    const struct {
        const char* document;
        const char* patch;
        const char* outcome;  // null: an error
    } cases[] = {
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])", R"({"foo":"bar","baz":"qux"})"},
        {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
         R"({"foo":["bar","qux","baz"]})"},
        {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
        {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
        {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
         R"({"baz":"boo","foo":"bar"})"},
        {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
         R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
         R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
        {R"({"foo":["all","grass","cows","eat"]})", R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
         R"({"foo":["all","cows","eat","grass"]})"},
        {R"({"baz":"qux","foo":["a",2,"c"]})",
         R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
         R"({"baz":"qux","foo":["a",2,"c"]})"},
        {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])", nullptr},
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
         R"({"foo":"bar","child":{"grandchild":{}}})"},
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])", R"({"foo":"bar","baz":"qux"})"},
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])", nullptr},
        {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10},{"op":"test","path":"/~1","value":9}])",
         R"({"/":9,"~1":10})"},
        {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])", nullptr},
        {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
         R"({"foo":["bar",["abc","def"]]})"},
        // Not in the RFC's appendix:
        {"1", "[]", "1"},
        {"1", R"([{"op":"add","path":"","value":[2]},{"op":"add","path":"/0","value":1}])", "[1,2]"},
        {"1", R"([{"op":"replace","path":"","value":null}])", "null"},
        {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"},{"op":"remove","path":"/a/b"}])",
         R"({"a":{},"c":{"b":1}})"},
        {R"({"a":{"b":1}})", R"([{"op":"copy","from":"","path":"/c"}])", R"({"a":{"b":1},"c":{"a":{"b":1}}})"},
        {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":{"b":1}})"},
        {R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
        {R"({"":{"":1}})", R"([{"op":"replace","path":"//","value":2}])", R"({"":{"":2}})"},
        {R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])", R"({"a":1})"},
        {R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])", R"({"a":1})"},
        {R"({"a":null})", R"([{"op":"test","path":"/a","value":null}])", R"({"a":null})"},
        {R"({"a":1})", R"([{"op":"test","path":"/a","value":null}])", nullptr},
        {R"({"a":1})", R"([{"op":"test","path":"/b","value":1}])", nullptr},
        {R"({"a":1})", R"([{"op":"test","path":"/b/c","value":null}])", nullptr},
        {R"({"a":[1]})", R"([{"op":"test","path":"/a/1","value":null}])", nullptr},
        {R"({"a":[]})", R"([{"op":"add","path":"/a/0","value":1}])", R"({"a":[1]})"},
        {R"({"a":1})", R"([{"op":"add","path":"/a","value":null}])", R"({"a":null})"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.document);
        CAPTURE(c.patch);
        json::value target = parsed(c.document);
        const auto applied = json::apply_patch(target, parsed(c.patch));
        CHECK(applied.has_value() == (c.outcome != nullptr));
        CHECK(json::serialize(target) == json::serialize(parsed(c.outcome ? c.outcome : c.document)));
    }
}

TEST_CASE("a patch that can't be applied changes nothing and says which operation fails") {
    const char* document = R"({"a":[1,2],"s":"secret-value"})";
    const struct {
        const char* operation;
        const char* says;
    } cases[] = {
        {R"({"op":"test","path":"/s","value":"other-secret"})", "test failed"},
        {R"({"op":"remove","path":"/x"})", "no member \"x\""},
        {R"({"op":"remove","path":""})", "whole document"},
        {R"({"op":"replace","path":"/x","value":1})", "no member \"x\""},
        {R"({"op":"replace","path":"/a/2","value":1})", "out of range"},
        {R"({"op":"add","path":"/a/3","value":1})", "out of range"},
        {R"({"op":"remove","path":"/a/-"})", "no array index"},
        {R"({"op":"add","path":"/a/01","value":1})", "no array index"},
        {R"({"op":"add","path":"/a/+1","value":1})", "no array index"},
        {R"({"op":"add","path":"/a/1e0","value":1})", "no array index"},
        {R"({"op":"add","path":"/a/99999999999999999999","value":1})", "no array index"},
        {R"({"op":"add","path":"/s/x","value":1})", "neither object nor array"},
        {R"({"op":"add","path":"/s/x/y","value":1})", "neither object nor array"},
        {R"({"op":"add","path":"a","value":1})", "begin with '/'"},
        {R"({"op":"add","path":"/~2","value":1})", "~0 nor ~1"},
        {R"({"op":"add","path":"/~","value":1})", "~0 nor ~1"},
        {R"({"op":"add","path":"/x"})", "\"value\" is missing"},
        {R"({"op":"add","value":1})", "\"path\" is missing"},
        {R"({"op":"add","path":1,"value":1})", "\"path\" is missing or no string"},
        {R"({"path":"/a","value":1})", "\"op\" is missing"},
        {R"({"op":"increment","path":"/a","value":1})", "unknown \"op\" \"increment\""},
        {R"({"op":"move","path":"/a"})", "\"from\" is missing"},
        {R"({"op":"move","from":"/a","path":"/a/0"})", "into itself"},
        {R"({"op":"move","from":"","path":"/x"})", "into itself"},
        {R"({"op":"move","from":"/x","path":"/x"})", "no member"},
        {R"({"op":"copy","from":"/x","path":"/y"})", "no member"},
        {"[]", "must be an object"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.operation);
        json::value target = parsed(document);
        const auto applied =
            json::apply_patch(target, parsed(std::string(R"([{"op":"remove","path":"/a/0"},)") +
                                             R"({"op":"add","path":"/a/0","value":1},)" + c.operation + "]"));
        REQUIRE_FALSE(applied);
        CHECK(applied.error() == errc::invalid_argument);
        const std::string message = applied.error().message();
        CAPTURE(message);
        CHECK(message.find("operation 2") != std::string::npos);
        CHECK(message.find(c.says) != std::string::npos);
        CHECK(message.find("secret") == std::string::npos);
        CHECK(json::serialize(target) == document);
    }
    json::value target = parsed(document);
    CHECK_FALSE(json::apply_patch(target, parsed("{}")));
    CHECK_FALSE(json::apply_patch(target, json::array(10'001)));
}

TEST_CASE("a patch can't blow a document up") {
    json::value target = parsed(R"({"a":[1]})");
    json::array doubling;
    for (int i = 0; i < 64; ++i) doubling.push_back(parsed(R"({"op":"copy","from":"/a","path":"/a/-"})"));
    const auto copied = json::apply_patch(target, doubling);
    REQUIRE_FALSE(copied);
    CHECK(copied.error().message().find("copies too much") != std::string::npos);

    json::value deep = parsed("[]");
    json::array nesting;
    std::string path;
    for (int i = 0; i < 300; ++i) {
        path += "/0";
        nesting.push_back(json::object{{"op", "add"}, {"path", path}, {"value", json::array()}});
    }
    const auto nested = json::apply_patch(deep, nesting);
    REQUIRE_FALSE(nested);
    CHECK(nested.error().message().find("256") != std::string::npos);
}

TEST_CASE("the examples of RFC 7386, appendix A") {
    const struct {
        const char* document;
        const char* patch;
        const char* outcome;
    } cases[] = {
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
        {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
        {R"({"a":"foo"})", "null", "null"},
        {R"({"a":"foo"})", R"("bar")", R"("bar")"},
        {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        {"[1,2]", R"({"a":"b","c":null})", R"({"a":"b"})"},
        {"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.document);
        CAPTURE(c.patch);
        json::value target = parsed(c.document);
        json::apply_merge_patch(target, parsed(c.patch));
        CHECK(json::serialize(target) == c.outcome);
    }
}

TEST_CASE("a diff is the shortest thing to say, in an order that depends on the documents only") {
    const struct {
        const char* from;
        const char* to;
        const char* patch;
    } cases[] = {
        {R"({"a":1})", R"({"a":1})", "[]"},
        {R"({"a":1})", R"({"a":1.0})", "[]"},
        {R"({"a":1})", R"({"a":"1"})", R"([{"op":"replace","path":"/a","value":"1"}])"},
        {R"({"a":9007199254740993})", R"({"a":9007199254740992})",
         R"([{"op":"replace","path":"/a","value":9007199254740992}])"},
        {R"({"a":1,"b":2})", R"({"c":3,"b":2})", R"([{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":3}])"},
        {R"({"a":null})", R"({})", R"([{"op":"remove","path":"/a"}])"},
        {R"({"a":{"b/~":[1,2,3]}})", R"({"a":{"b/~":[1]}})",
         R"([{"op":"remove","path":"/a/b~1~0/2"},{"op":"remove","path":"/a/b~1~0/1"}])"},
        {R"([{"n":1,"x":0},{"n":2}])", R"([{"n":5,"x":0},{"n":2},{"n":3}])",
         R"([{"op":"replace","path":"/0/n","value":5},{"op":"add","path":"/2","value":{"n":3}}])"},
        {"[]", "{}", R"([{"op":"replace","path":"","value":{}}])"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.from);
        CHECK(json::serialize(json::diff(parsed(c.from), parsed(c.to))) == c.patch);
    }
    CHECK(json::serialize(json::merge_diff(parsed(R"({"a":1,"b":{"c":1,"d":2},"e":[1],"f":0})"),
                                           parsed(R"({"a":1.0,"b":{"c":1},"e":[1,2],"g":{}})"))) ==
          R"({"b":{"d":null},"e":[1,2],"f":null,"g":{}})");
    CHECK(json::serialize(json::merge_diff(parsed("[1]"), parsed("[1]"))) == "{}");
}

TEST_CASE("applying the diff of two documents to the first gives the second") {
    for (std::uint32_t seed = 0; seed < 5000; ++seed) {
        CAPTURE(seed);
        documents random(seed, true);
        const json::value from = random.next();
        const json::value to = random.next();
        json::value target = from;
        // Through text, as it goes to a server.
        const json::value patch = parsed(json::serialize(json::diff(from, to)));
        REQUIRE(json::apply_patch(target, patch));
        REQUIRE(json::equal(target, to));
        CHECK((patch.get_array().empty() == json::equal(from, to)));
        CHECK(json::diff(target, to).empty());
    }
}

TEST_CASE("applying the merge diff of two objects without nulls to the first gives the second") {
    for (std::uint32_t seed = 0; seed < 5000; ++seed) {
        CAPTURE(seed);
        documents random(seed, false);
        const json::value from = random.next_object();
        const json::value to = random.next_object();
        json::value target = from;
        const json::value patch = parsed(json::serialize(json::merge_diff(from, to)));
        json::apply_merge_patch(target, patch);
        REQUIRE(json::equal(target, to));
        CHECK((patch.get_object().empty() == json::equal(from, to)));
    }
}
