// Selectors, against what Kubernetes' own libraries answer.
#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/model/selector.hpp>

#include "go_truth/go_table.hpp"

#include <map>

using namespace kcontrol;
using test::go_table;
using test::text_of;

namespace {

using labels = std::map<std::string, std::string>;

// The first row of a table: the objects that the others are matched against.
std::vector<labels> take_objects(std::vector<json::array>& rows) {
    std::vector<labels> out;
    for (const auto& object : rows.front()[0].as_array()) {
        auto& set = out.emplace_back();
        for (const auto& [key, value] : object.as_object()) set[std::string(key)] = text_of(value);
    }
    rows.erase(rows.begin());
    return out;
}

std::vector<label_expression> expressions(const json::value* from) {
    std::vector<label_expression> out;
    if (!from || from->is_null()) return out;
    for (const auto& entry : from->as_array()) {
        label_expression one{text_of(entry.at("key")), text_of(entry.at("operator")), {}};
        if (const auto* values = entry.as_object().if_contains("values")) {
            for (const auto& value : values->as_array()) one.values.push_back(text_of(value));
        }
        out.push_back(std::move(one));
    }
    return out;
}

std::string bits(const label_selector& selector, const std::vector<labels>& objects) {
    std::string out;
    for (const auto& object : objects) out += selector.matches(object) ? '1' : '0';
    return out;
}

// We print `==` as `=`.
std::string with_one_sign(std::string text) {
    for (auto at = text.find("=="); at != std::string::npos; at = text.find("==")) text.erase(at, 1);
    return text;
}

}  // namespace

TEST_CASE("label selector: reads, prints and matches as Go does") {
    auto rows = go_table("label_selector");
    const auto objects = take_objects(rows);
    for (const auto& row : rows) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto selector = label_selector::parse(text);
        CHECK(selector.has_value() == !row[1].is_null());
        if (!selector) {
            CHECK(selector.error() == errc::invalid_argument);
            continue;
        }
        if (row[1].is_null()) continue;
        CHECK(selector->to_string() == with_one_sign(text_of(row[1])));
        CHECK(bits(*selector, objects) == text_of(row[2]));
        const auto again = label_selector::parse(selector->to_string());
        REQUIRE(again.has_value());
        CHECK(again->to_string() == selector->to_string());
    }
}

TEST_CASE("label selector: from matchLabels and matchExpressions") {
    auto rows = go_table("label_selector_object");
    const auto objects = take_objects(rows);
    for (const auto& row : rows) {
        const auto& object = row[0].as_object();
        CAPTURE(json::serialize(row[0]));
        labels match_labels;
        if (const auto* from = object.if_contains("matchLabels")) {
            for (const auto& [key, value] : from->as_object()) match_labels[std::string(key)] = text_of(value);
        }
        const auto selector = label_selector::make(match_labels, expressions(object.if_contains("matchExpressions")));
        CHECK(selector.has_value() == !row[1].is_null());
        if (!selector || row[1].is_null()) continue;
        CHECK(bits(*selector, objects) == text_of(row[2]));
    }
}

TEST_CASE("node selector: matches as the scheduler does") {
    auto rows = go_table("node_selector");
    const auto objects = take_objects(rows);
    int matched = 0;
    for (const auto& row : rows) {
        CAPTURE(json::serialize(row[0]));
        std::vector<node_selector_term> terms;
        for (const auto& from : row[0].at("nodeSelectorTerms").as_array()) {
            const auto& term = from.as_object();
            terms.push_back(
                {expressions(term.if_contains("matchExpressions")), expressions(term.if_contains("matchFields"))});
        }
        const auto selector = node_selector::make(terms);
        CHECK(selector.has_value() == text_of(row[2]).empty());
        if (!selector) continue;
        std::string found;
        for (std::size_t i = 0; i < objects.size(); ++i) {
            const std::string name = i == 9 ? "" : "n" + std::to_string(i);
            found += selector->matches(objects[i], name) ? '1' : '0';
        }
        CHECK(found == text_of(row[1]));
        matched += found.find('1') != std::string::npos;
    }
    CHECK(matched > 10);
    CHECK(!node_selector().matches({}, "n"));
}

TEST_CASE("field selector: reads, prints and matches as Go does") {
    auto rows = go_table("field_selector");
    const auto objects = take_objects(rows);
    for (const auto& row : rows) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto selector = field_selector::parse(text);
        if (!selector && selector.error().message().find("the field is missing") != std::string::npos) continue;
        CHECK(selector.has_value() == !row[1].is_null());
        if (!selector) {
            CHECK(selector.error() == errc::invalid_argument);
            continue;
        }
        if (row[1].is_null()) continue;
        CHECK(selector->to_string() == text_of(row[1]));
        std::string found;
        for (const auto& object : objects) {
            const auto lookup = [&](std::string_view field) {
                const auto at = object.find(std::string(field));
                return at == object.end() ? std::string() : at->second;
            };
            found += selector->matches_with(lookup) ? '1' : '0';
        }
        CHECK(found == text_of(row[2]));
    }
}

TEST_CASE("selectors: what is wrong, with the remedy") {
    const auto message = [](const char* text) { return label_selector::parse(text).error().message(); };
    CHECK(message("a-=b").find("name part must consist of alphanumeric characters") != std::string::npos);
    CHECK(message("a=b/c").find("value \"b/c\": a valid label must be") != std::string::npos);
    CHECK(message("a>b").find("must be an integer") != std::string::npos);
    CHECK(message("a in b").find("expected '('") != std::string::npos);
    const auto node = node_selector::make({{{{"a", "In", {"b"}}, {"a", "Near", {}}}, {}}});
    CHECK(node.error().message() ==
          "nodeSelectorTerms[0].matchExpressions[1]: operator \"Near\" is none of In, NotIn, Exists, DoesNotExist, Gt, "
          "Lt");
    CHECK(label_selector::make({}, {{"a", "Gt", {"1"}}}).error().message().find("node selectors only") !=
          std::string::npos);
}
