// Label and field selectors: Kubernetes' grammar and its matching rules.
#include <kcontrol/model/object_meta.hpp>
#include <kcontrol/model/selector.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

namespace {

using labels = std::map<std::string, std::string>;

struct match_row {
    const char* selector;
    labels object;
    bool expected;
};

}  // namespace

TEST_CASE("label selector: matching") {
    const match_row rows[] = {
        {"", {}, true},
        {"  ", {{"a", "b"}}, true},
        {"a=b", {{"a", "b"}}, true},
        {"a==b", {{"a", "b"}}, true},
        {"a = b", {{"a", "b"}}, true},
        {"a=b", {{"a", "c"}}, false},
        {"a=b", {}, false},
        {"a=", {{"a", ""}}, true},
        {"a=,b=c", {{"a", ""}, {"b", "c"}}, true},
        {"a=", {}, false},
        {"a!=b", {{"a", "c"}}, true},
        {"a!=b", {{"a", "b"}}, false},
        {"a!=b", {}, true},
        {"a in (b,c)", {{"a", "c"}}, true},
        {"a in ( b , c )", {{"a", "c"}}, true},
        {"a in (b,c)", {{"a", "d"}}, false},
        {"a in (b,c)", {}, false},
        {"a in (b,)", {{"a", ""}}, true},
        {"a notin (b,c)", {{"a", "d"}}, true},
        {"a notin (b,c)", {{"a", "b"}}, false},
        {"a notin (b,c)", {}, true},
        {"a", {{"a", ""}}, true},
        {"a", {}, false},
        {"!a", {}, true},
        {"! a", {}, true},
        {"!a", {{"a", "x"}}, false},
        {"a>3", {{"a", "4"}}, true},
        {"a>3", {{"a", "3"}}, false},
        {"a<3", {{"a", "2"}}, true},
        {"a<3", {{"a", "x"}}, false},
        {"a<3", {}, false},
        {"a=b,c in (d),!e,f", {{"a", "b"}, {"c", "d"}, {"f", ""}}, true},
        {"a=b,c in (d),!e,f", {{"a", "b"}, {"c", "d"}, {"e", ""}, {"f", ""}}, false},
        {"in in (in,notin)", {{"in", "notin"}}, true},
        {"kubernetes.io/hostname=n-1.x_y", {{"kubernetes.io/hostname", "n-1.x_y"}}, true},
    };
    for (const auto& row : rows) {
        CAPTURE(std::string(row.selector));
        const auto selector = label_selector::parse(row.selector);
        REQUIRE(selector.has_value());
        CHECK(selector->matches(row.object) == row.expected);
        object_meta meta;
        for (const auto& [key, value] : row.object) meta.labels[key] = value;
        CHECK(selector->selects(meta) == row.expected);
        const auto lookup = [&](std::string_view key) {
            const auto found = row.object.find(std::string(key));
            return found == row.object.end() ? std::nullopt : std::optional<std::string_view>(found->second);
        };
        CHECK(selector->matches_with(lookup) == row.expected);
        // What it prints reads back as the same selector.
        const auto again = label_selector::parse(selector->to_string());
        REQUIRE(again.has_value());
        CHECK(again->to_string() == selector->to_string());
        CHECK(again->matches(row.object) == row.expected);
    }
}

TEST_CASE("label selector: normal form") {
    CHECK(label_selector::parse("z in (b,a,b),a==1, !k ,m notin(x)").value().to_string() ==
          "a=1,!k,m notin (x),z in (a,b)");
    CHECK(label_selector().to_string() == "");
}

TEST_CASE("label selector: refused") {
    const char* rows[] = {"a=b,",  ",a=b",  "a in b",  "a in (b",    "a in (b c)", "=b",       "!",       "!a=b",
                          "a b",   "a=b c", "a==b==c", "a=(b)",      "-a=b",       "a=b-",     "a/b/c=d", "/a=b",
                          "A./b=", "a>x",   "a>",      "a=\xc3\xa4", "a,,b",       "a in (b))"};
    for (const auto* row : rows) {
        CAPTURE(std::string(row));
        const auto selector = label_selector::parse(row);
        REQUIRE(!selector.has_value());
        CHECK(selector.error() == errc::invalid_argument);
        CHECK(selector.error().message().find(row) != std::string::npos);
    }
    CHECK(!label_selector::parse(std::string(64, 'a')).has_value());
    CHECK(label_selector::parse(std::string(63, 'a')).has_value());
}

TEST_CASE("field selector") {
    const auto lookup = [](std::string_view field) -> std::string {
        if (field == "metadata.name") return "x";
        if (field == "metadata.namespace") return "y,=\\";
        return {};
    };
    struct row {
        const char* selector;
        bool expected;
    };
    const row rows[] = {
        {"", true},
        {"metadata.name=x", true},
        {"metadata.name==x", true},
        {"metadata.name=z", false},
        {"metadata.name!=x", false},
        {"metadata.name!=z", true},
        {"metadata.name=x,metadata.namespace!=z", true},
        {"metadata.name=x,,spec.nodeName=", true},
        {"metadata.namespace=y\\,\\=\\\\", true},
        {"metadata.namespace!=y\\,\\=\\\\", false},
        {"spec.nodeName!=", false},
        {"metadata.name==,metadata.name=\"\"", false},
    };
    for (const auto& r : rows) {
        CAPTURE(std::string(r.selector));
        const auto selector = field_selector::parse(r.selector);
        REQUIRE(selector.has_value());
        CHECK(selector->matches_with(lookup) == r.expected);
        const bool same = field_selector::parse(selector->to_string()).value() == *selector;
        CHECK(same);
    }
    for (const auto* bad : {"metadata.name", "=x", "!=x", "a=b=c", "a=b\\", "a=b\\c", "a===b"}) {
        CAPTURE(std::string(bad));
        const auto selector = field_selector::parse(bad);
        REQUIRE(!selector.has_value());
        CHECK(selector.error() == errc::invalid_argument);
    }
}
