// yaml_file: the line of each part, and messages that name file and line.
#include <kcontrol/documents/yaml_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using json::yaml_file;

TEST_CASE("each part of a file has the line of its key or element") {
    const auto read = yaml_file::parse("a.yaml",
                                       "# comment\n"           // 1
                                       "profiles:\n"           // 2
                                       "- name: one\n"         // 3
                                       "  plugins:\n"          // 4
                                       "    - &p {name: x}\n"  // 5
                                       "- name: two\n"         // 6
                                       "  a/b~c:\n"            // 7
                                       "    - *p\n"            // 8
                                       "  text: |\n"           // 9
                                       "    several\n"         // 10
                                       "    lines\n"           // 11
                                       "\"last\": 1\n");       // 12
    REQUIRE(read.has_value());
    CHECK(json::get_string(read->document(), {"last"}).empty());
    CHECK(json::find(read->document(), {"last"})->as_int64() == 1);
    struct row {
        const char* pointer;
        std::size_t line;
    };
    for (const row& each :
         {row{"/profiles", 2}, row{"/profiles/0", 3}, row{"/profiles/0/name", 3}, row{"/profiles/0/plugins/0", 5},
          row{"/profiles/0/plugins/0/name", 5}, row{"/profiles/0/plugins/0/other", 5}, row{"/profiles/1/a~1b~0c", 7},
          row{"/profiles/1/a~1b~0c/0/name", 8}, row{"/profiles/1/text", 9}, row{"/last", 12}, row{"/nothing/here", 1},
          row{"", 1}}) {
        CAPTURE(each.pointer);
        CHECK(read->line_of(each.pointer) == each.line);
    }
    CHECK(read->at("/profiles/1/text", "is wrong").what() == std::string("a.yaml:9: is wrong"));
}

TEST_CASE("what is no document is answered with file and line") {
    struct row {
        const char* text;
        const char* message;
    };
    for (const row& each :
         {row{"a: 1\nb: [\n", "f:3: did not find expected node content (while parsing a flow node)"},
          row{"a: 1\nb: 2\na: 3\n", "f:3: key \"a\" twice"}, row{"a: 1\n\nb: \x01\n", "f:3: control characters"},
          row{"- *x\n", "f:1: alias of an anchor"}, row{"", "f:1: one YAML document is expected, found 0"},
          row{"a: 1\n---\nb: 2\n", "f:1: one YAML document is expected, found 2"}}) {
        CAPTURE(each.text);
        const auto read = yaml_file::parse("f", each.text);
        REQUIRE(!read.has_value());
        CHECK(read.error().code() == errc::invalid_config);
        CHECK(read.error().message().starts_with(each.message));
    }
    CHECK(yaml_file::parse("f", "a: 1", 3).error().what() == std::string("f: larger than 3 bytes"));
    CHECK(yaml_file::parse("f", R"({"a": 1, "b": 2})")->line_of("/b") == 1);
}

TEST_CASE("paths that are very long share the line of what is around them") {
    const std::string key(900, 'k');  // libyaml takes 1,024 bytes at most
    const auto read = yaml_file::parse("f", key + ":\n  " + key + ":\n  - 1\n  - 2\n");
    REQUIRE(read.has_value());
    CHECK(read->line_of("/" + key) == 1);
    CHECK(read->line_of("/" + key + "/" + key + "/1") == 1);
}
