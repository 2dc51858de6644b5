// JSONPath beside client-go's.
#include <kcontrol/documents/json_path.hpp>

#include "go_truth/go_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kcontrol;
using test::go_table;
using test::text_of;

namespace {

json::value document(std::string_view text) { return json::parse(text).value(); }

std::string found(const json::value& in, std::string_view path) {
    const auto read = json_path::parse(path);
    if (!read) return read.error().message();
    const auto values = read->find(in);
    return values ? printed(*values) : values.error().message();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("json path: what client-go reads, refuses, finds and prints") {
    std::vector<json::value> documents;
    std::size_t tried = 0;
    for (const auto& row : go_table("json_path")) {
        if (row[0] == "document") {
            documents.push_back(row[1]);
            continue;
        }
        ++tried;
        const std::string path = text_of(row[0]), problem = text_of(row[2]);
        CAPTURE(path);
        CAPTURE(row[1].as_int64());
        const auto read = json_path::parse("{" + path + "}");
        // A template is no path.
        if (path.find('}') != std::string::npos) {
            CHECK(!read.has_value());
            continue;
        }
        REQUIRE(read.has_value() == (problem != "parse"));
        if (!read) {
            CHECK(read.error() == errc::invalid_argument);
            continue;
        }
        const auto values = read->find(documents.at(static_cast<std::size_t>(row[1].as_int64())));
        const bool of_template = path.starts_with("range") || path.ends_with(" end") || path == "end";
        if (of_template) {
            CHECK(!values.has_value());
            continue;
        }
        REQUIRE(values.has_value() == problem.empty());
        if (!values) continue;
        const auto& wanted = row[3].as_array();
        REQUIRE(values->size() == wanted.size());
        if (row[4].as_bool()) {
            for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(json::equal(*(*values)[i], wanted[i]));
            CHECK(printed(*values) == text_of(row[5]));
            continue;
        }
        // Go takes the members of an object in any order.
        for (const auto& one : wanted) {
            const auto count = [&one](const auto& v) { return json::equal(v, one); };
            CHECK(std::count_if(wanted.begin(), wanted.end(), count) ==
                  std::count_if(values->begin(), values->end(), [&](const auto* v) { return count(*v); }));
        }
    }
    CHECK(tried > 500);
}

TEST_CASE("json path: with and without braces, and members in the order of their names") {
    const json::value in = document(R"({"z":{"b":1,"a":"x"},"a.b":"y","list":[1,2.5,null,"<"]})");
    CHECK(found(in, ".z.b") == "1");
    CHECK(found(in, "{.z.b}") == "1");
    CHECK(found(in, "{$.z.b}") == "1");
    CHECK(found(in, ".z.*") == "x 1");
    CHECK(found(in, ".z") == R"({"a":"x","b":1})");
    CHECK(found(in, R"(.a\.b)") == "y");
    CHECK(found(in, ".list[*]") == "1 2.5 null <");
    CHECK(found(in, ".list") == R"([1,2.5,null,"\u003c"])");
    CHECK(found(in, ".none").empty());
    CHECK(found(in, "{}") == printed({&in}));
    CHECK(json_path::parse("{.z}").value().text() == "{.z}");
}

TEST_CASE("json path: values live as long as the document and a copy of the path") {
    const json::value in = document("{}");
    const auto values = json_path::parse("{'a text'}").value();
    const json_path copy = values;  // NOLINT: the copy is what is tested
    CHECK(printed(copy.find(in).value()) == "a text");
}

TEST_CASE("json path: what is wrong is said, with the path") {
    const json::value in = document(R"({"list":[{"a":1},{"a":"x"}],"o":{}})");
    CHECK(has(found(in, ""), "the JSONPath \"\": it is empty; write .a.b"));
    CHECK(has(found(in, "{.a"), "\"{.a\": it does not end"));
    CHECK(has(found(in, "{.a}{.b}"), "it is a template, not a path"));
    CHECK(has(found(in, ".list[x]"), "\"[x]\" is no index and no slice"));
    CHECK(has(found(in, ".list[?(@.a==1].b"), "a filter does not end"));
    CHECK(has(found(in, ".list[2]"), "an index is beyond the list, which has 2 elements"));
    CHECK(has(found(in, ".o[0]"), "an index where there is no list"));
    CHECK(has(found(in, ".list[?(@.a==1)]"), "a filter compares what can't be compared, by =="));
    CHECK(has(found(in, ".list[?(@.a==x)]"), "\"x\" has no meaning; a text needs quotes"));
    CHECK(has(found(in, ".a\n"), ".a\\x0a"));
}

TEST_CASE("json path: a document of many members does not become a list without end") {
    json::value in = document("{}");
    for (int depth = 0; depth < 200; ++depth) in = json::object{{"a", std::move(in)}};
    const auto path = json_path::parse("..a..a..a..a");
    const auto values = path.value().find(in);
    REQUIRE(!values.has_value());
    CHECK(values.error() == errc::limit_exceeded);
}
