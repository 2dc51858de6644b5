#include "jobs/field_path.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

field_path at(std::string_view text) {
    const auto parsed = field_path::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return *parsed;
}

}  // namespace

TEST_CASE("field path: names, all of a list, all of a map, and dots in names") {
    kcontrol::json::document document;
    const auto root = document.parse(R"({"spec":{"tasks":[{"replicas":2},{"replicas":3},{}],"on":true},
        "status":{"ranks":{"a":{"up":1},"b":{"up":4}},"phase":"Up","text":""},"labels":{"a.b/c":"x"}})");
    REQUIRE(root.has_value());
    CHECK(at("status.phase").text(*root) == "Up");
    CHECK(at("spec.on").text(*root) == "true");
    CHECK(at("spec.tasks[].replicas").sum(*root, 7) == 5);
    CHECK(at("spec.tasks[].replicas").text(*root) == "2");
    CHECK(at("status.ranks[].up").sum(*root, 7) == 5);
    CHECK(at("labels.a\\.b/c").text(*root) == "x");
    for (const char* nowhere : {"status.phase.more", "none", "spec.tasks.replicas", "status.phase[]"}) {
        CAPTURE(nowhere);
        CHECK(at(nowhere).first(*root).is_null());
        CHECK(at(nowhere).text(*root).empty());
        CHECK(at(nowhere).sum(*root, 7) == 7);
    }
    CHECK(field_path().text(*root).empty());
    CHECK(field_path().sum(*root, 3) == 3);
    CHECK(at("status.phase").sum(*root, 7) == 7);
    CHECK(says_yes(at("status.phase").first(*root)));
    CHECK_FALSE(says_yes(at("status.text").first(*root)));
    CHECK(says_yes(at("spec.on").first(*root)));
}

TEST_CASE("field path: numbers that nobody means do not overflow") {
    kcontrol::json::document document;
    const auto root = document.parse(R"({"a":[9223372036854775807,9223372036854775807,-5]})");
    CHECK(at("a[]").sum(*root, 0) == std::int64_t{1} << 31);
}

TEST_CASE("field path: what is none is refused with the remedy") {
    for (const char* text : {"", ".", "a.", ".a", "a..b", "a[0]", "[]", "a[]b", "a b", "a\\b", "a[", "$.a]"}) {
        CAPTURE(text);
        const auto parsed = field_path::parse(text);
        REQUIRE_FALSE(parsed.has_value());
        CHECK(parsed.error().message() == "\"" + std::string(text) +
                                              "\" is no path; write names with dots between them, such as "
                                              "status.conditions, [] behind a list or map to take all of it, and \\. "
                                              "for a dot in a name");
    }
}
