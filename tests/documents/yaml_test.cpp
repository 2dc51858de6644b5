#include <kcontrol/documents/yaml.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>

using kcontrol::errc;
namespace json = kcontrol::json;

namespace {

// The documents as JSON, one a line.
std::string as_json(std::string_view yaml) {
    const auto documents = json::parse_yaml(yaml);
    REQUIRE(documents);
    std::string out;
    for (const auto& v : *documents) out += (out.empty() ? "" : "\n") + json::serialize(v);
    return out;
}

std::string failure(std::string_view yaml) {
    const auto documents = json::parse_yaml(yaml);
    REQUIRE_FALSE(documents);
    CHECK(documents.error() == errc::decode_failed);
    return documents.error().message();
}

}  // namespace

TEST_CASE("plain scalars mean what they mean to kubectl") {
    const struct {
        const char* yaml;
        const char* json;
    } cases[] = {
        {"~", "null"},
        {"null", "null"},
        {"NULL", "null"},
        {"nULL", "\"nULL\""},
        {"true", "true"},
        {"False", "false"},
        {"yes", "true"},
        {"No", "false"},
        {"ON", "true"},
        {"off", "false"},
        {"y", "true"},
        {"N", "false"},
        {"yEs", "\"yEs\""},
        {"0", "0"},
        {"-0", "0"},
        {"+12", "12"},
        {"1_000", "1000"},
        {"0x1F", "31"},
        {"-0x10", "-16"},
        {"0o17", "15"},
        {"0755", "493"},
        {"0b101", "5"},
        {"08", "8"},
        {"0x", "\"0x\""},
        {"0xg", "\"0xg\""},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "1.8446744073709552e+19"},
        {"1.5", "1.5"},
        {"1.", "1"},
        {".5", "0.5"},
        {"-.5", "-0.5"},
        {"1e3", "1000"},
        {"1E-2", "0.01"},
        {"1e400", "\"1e400\""},
        {"1e-400", "0"},
        {".5_1", "0.51"},
        {"!", "\"\""},
        {"+-1", "\"+-1\""},
        {"--1", "\"--1\""},
        {"-", "[null]"},
        {"+", "\"+\""},
        {".", "\".\""},
        {"..5", "\"..5\""},
        {"1.2.3", "\"1.2.3\""},
        {"10.0.0.1", "\"10.0.0.1\""},
        {"1:30", "\"1:30\""},
        {"2001-12-14", "\"2001-12-14\""},
        {"2001-12-14T21:59:43Z", "\"2001-12-14T21:59:43Z\""},
        {"inf", "\"inf\""},
        {"nan", "\"nan\""},
        {"-inf", "\"-inf\""},
        {"100m", "\"100m\""},
        {"v1", "\"v1\""},
        {"a b", "\"a b\""},
        {"'yes'", "\"yes\""},
        {"\"12\"", "\"12\""},
        {"\"a\\u00e9\\n\"", "\"aé\\n\""},
        {"|\n 12\n", "\"12\\n\""},
        {">-\n a\n b\n", "\"a b\""},
        {"!!str 12", "\"12\""},
        {"! 12", "\"12\""},
        {"!!int '12'", "12"},
        {"!!float 1", "1"},
        {"!!float '1.5'", "1.5"},
        {"!!bool 'on'", "true"},
        {"!!null ''", "null"},
        {"!!seq [1]", "[1]"},
        {"!!map {a: 1}", "{\"a\":1}"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.yaml));
        CHECK(as_json(c.yaml) == c.json);
    }
    CHECK((*json::parse_yaml("!!float 1"))[0].is_double());
    CHECK((*json::parse_yaml("08"))[0].is_double());
}

TEST_CASE("a kubeconfig") {
    CHECK(as_json(R"(apiVersion: v1
kind: Config
# a comment
current-context: "dev"
clusters:
- name: dev
  cluster:
    server: https://[::1]:6443   # another
    certificate-authority-data: LS0tLS1C
    insecure-skip-tls-verify: false
users:
  - {name: me, user: {token: 'a: b'}}
empty:
preferences: {}
)") == R"({"apiVersion":"v1","kind":"Config","current-context":"dev","clusters":[{"name":"dev","cluster":{)"
       R"("server":"https://[::1]:6443","certificate-authority-data":"LS0tLS1C","insecure-skip-tls-verify":false}}],)"
       R"("users":[{"name":"me","user":{"token":"a: b"}}],"empty":null,"preferences":{}})");
}

TEST_CASE("keys are text") {
    CHECK(as_json("8080: a\n1.5: b\non: c\n'no': d\n0x10: e\n") ==
          R"({"8080":"a","1.5":"b","true":"c","no":"d","16":"e"})");
}

TEST_CASE("a stream holds any number of documents; empty ones are left out") {
    CHECK(as_json("").empty());
    CHECK(as_json(std::string_view()).empty());
    CHECK(as_json("# nothing\n").empty());
    CHECK(as_json("---\n---\n# x\n---\n").empty());
    CHECK(as_json("---\na: 1\n---\n---\nb: 2\n...\n---\n[]\n") == "{\"a\":1}\n{\"b\":2}\n[]");
    CHECK(as_json("a: 1\n---\n~\n") == "{\"a\":1}\nnull");
}

TEST_CASE("JSON is YAML, with all that JSON may hold") {
    CHECK(as_json("{\"a\":[1,\"\\ud83d\\ude00\",\"\\/\"],\n\t\"" + std::string(2000, 'k') + "\":null}") ==
          "{\"a\":[1,\"😀\",\"/\"],\"" + std::string(2000, 'k') + "\":null}");
    CHECK(as_json("{a: 1, b: [x, 'y']}") == R"({"a":1,"b":["x","y"]})");
    CHECK(failure("{\"a\":1,\"a\":2}") == "YAML line 1, column 8: key \"a\" twice");
}

TEST_CASE("anchors, aliases and merge keys are expanded") {
    CHECK(as_json("a: &x {b: 1}\nc: *x\nd: [*x]\n") == R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1}]})");
    CHECK(as_json("- &x 1\n- &x 2\n- *x\n") == "[1,2,2]");
    CHECK(as_json("a: &x\n  b: &z 1\nc: *z\nd: *x\n") == R"({"a":{"b":1},"c":1,"d":{"b":1}})");
    CHECK(as_json("&k a: *k\n") == R"({"a":"a"})");
}

TEST_CASE("merge keys give what a mapping does not say itself, the first source first") {
    CHECK(as_json("- &a {x: 1, u: 1}\n- &b {u: 2, z: 2}\n- <<: *a\n  x: 0\n- {w: 3, <<: [*b, *a], z: 4}\n") ==
          R"([{"x":1,"u":1},{"u":2,"z":2},{"x":0,"u":1},{"w":3,"z":4,"u":2,"x":1}])");
    CHECK(as_json("'<<': 1\n") == R"({"<<":1})");
    CHECK(failure("<<: 1\n") == "YAML line 1, column 5: \"<<\" needs a mapping, or a sequence of mappings");
    CHECK(failure("<<: [{a: 1}, 2]\n").find("needs a mapping") != std::string::npos);
    CHECK(failure("<<: {a: 1}\n<<: {b: 1}\n") == "YAML line 2, column 1: key \"<<\" twice");
}

TEST_CASE("what can't be JSON, or means two things, is refused with its place") {
    const struct {
        const char* yaml;
        const char* says;
    } cases[] = {
        {"a: 1\nb:\n  c: 1\n  c: 2\n", "YAML line 4, column 3: key \"c\" twice"},
        {"1: a\n'1': b\n", "line 2, column 1: key \"1\" twice"},
        {"a: .inf\n", "YAML line 1, column 4: infinities"},
        {"a: -.INF\n", "infinities"},
        {"a: .NaN\n", "NaN"},
        {"- &k x\n- {*k : 1}\n", "line 2, column 4: key that is not a scalar"},
        {"? [a]\n: b\n", "line 1, column 3: key that is not a scalar"},
        {"~: b\n", "line 1, column 1: key that is null"},
        {"? \n: b\n", "key that is null"},
        {"a: !!binary aGk=\n", "tag that is not a core one"},
        {"a: !!timestamp 2001-12-14\n", "tag that is not a core one"},
        {"a: !local x\n", "tag that is not a core one"},
        {"!<tag:example.com,2000:x> {}\n", "tag that is not a core one"},
        {"!!set {}\n", "tag that is not a core one"},
        {"!!str [a]\n", "tag that is not a core one"},
        {"a: !!int x\n", "does not fit its tag !!int"},
        {"a: !!int 1.5\n", "does not fit its tag !!int"},
        {"a: !!bool 1\n", "does not fit its tag !!bool"},
        {"a: *nowhere\n", "line 1, column 4: alias of an anchor"},
        {"a: &x [*x]\n", "alias of an anchor"},
        {"a: &x 1\n---\nb: *x\n", "line 3, column 4: alias of an anchor"},
        {"a: b: c\n", "line 1, column 5: mapping values are not allowed in this context"},
        {"a:\n\t- b\n", "line 2, column 1"},
        {"a: [1, 2\n", "line 2, column 1: did not find expected"},
        {"a: 'x\n", "unexpected end of stream"},
        {"a: \"\\q\"\n", "unknown escape character"},
        {"a: @x\n", "cannot start any token"},
        {"{", "did not find expected node content"},
        {"\x80", "YAML byte 0: "},
        {"a: \x01\n", "YAML byte 3: control characters are not allowed"},
        {"<!DOCTYPE html><html>: : x", "line 1"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.yaml));
        const std::string message = failure(c.yaml);
        CAPTURE(message);
        CHECK(message.find(c.says) != std::string::npos);
    }
    CHECK(failure("token: hunter2\n bad: hunter3\n").find("hunter") == std::string::npos);
}

TEST_CASE("budgets") {
    SUBCASE("bytes") {
        CHECK(json::parse_yaml("abcd", 4));
        const auto large = json::parse_yaml("abcde", 4);
        REQUIRE_FALSE(large);
        CHECK(large.error() == errc::too_large);
    }
    SUBCASE("depth") {
        const auto nested = [](int depth) {
            std::string text = "x";
            for (int i = 0; i < depth; ++i) text = "[" + text + "]";
            return text;
        };
        CHECK(json::parse_yaml(nested(64)));
        CHECK(failure(nested(65)).find("deeper than 64") != std::string::npos);
        CHECK_FALSE(json::parse_yaml(std::string(500'000, '[')));
        CHECK_FALSE(json::parse_yaml(std::string(500'000, '{')));
        std::string block;
        for (int i = 0; i < 70; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
        CHECK(failure(block).find("deeper than 64") != std::string::npos);
    }
    SUBCASE("aliases") {
        std::string text = "- &x 1\n";
        for (int i = 0; i < 100; ++i) text += "- *x\n";
        CHECK(json::parse_yaml(text));
        CHECK(failure(text + "- *x\n").find("more than 100 aliases") != std::string::npos);
    }
    SUBCASE("a billion laughs") {
        std::string text = "- &a0 [lol]\n";
        for (int i = 1; i < 12; ++i) {
            text += "- &a" + std::to_string(i) + " [";
            for (int k = 0; k < 8; ++k) text += std::string(k ? "," : "") + "*a" + std::to_string(i - 1);
            text += "]\n";
        }
        CHECK(failure(text).find("multiply") != std::string::npos);
    }
}

TEST_CASE("what is written as YAML reads back as it was") {
    const char* const texts[] = {"",      "a",    "5",   "true",  "y",    "No",         "~",     "null", "1.5",
                                 "0x1f",  "010",  "1e3", "1_000", "+1",   "2026-11-23", "1:20",  "it's", "a: b",
                                 "#x",    "- a",  "-",   "...",   "---",  "%x",         "`x",    "*a",   "&a",
                                 "!x",    "a\tb", " x",  "x ",    "a\nb", "a\nb\n",     "\n\na", "äöü",  "a\\b",
                                 "\"q\"", "[a]",  "{a}", "a, b",  "a:",   "<<",         "=",     ".inf", "a #b",
                                 "?",     "? a",  "@a",  "'",     "\r\n", "\x7f",       "\x01",  "a\n ", "  a\nb"};
    json::object members;
    json::array list;
    for (const char* text : texts) {
        members[text] = text;
        list.push_back(json::value(text));
    }
    members["list"] = list;
    members["nested"] = json::array({json::array({1, json::array()}), json::object(), json::object({{"a", nullptr}}),
                                     -2, 1.5, false, std::string(200, 'x') + " " + std::string(200, 'y')});
    const json::value whole(members);
    const auto read = json::parse_yaml(json::to_yaml(whole));
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    for (const auto& member : members) {
        CAPTURE(std::string(member.key()));
        const json::value* found = read->front().as_object().if_contains(member.key());
        CHECK((found == nullptr ? "nothing" : json::serialize(*found)) == json::serialize(member.value()));
    }
    CHECK(json::to_yaml(json::value({{"b", {{"c", json::array({"1", 2})}}}, {"a", json::object()}})) ==
          "a: {}\nb:\n  c:\n  - \"1\"\n  - 2\n");
    CHECK(json::to_yaml("x") == "x\n");
}
