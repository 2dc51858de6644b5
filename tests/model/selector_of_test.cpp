// Selectors from the members of objects, against what Kubernetes' own libraries make of them.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/model/required_node_affinity.hpp>

#include "go_truth/go_table.hpp"

#include <map>
#include <memory>
#include <optional>

using namespace kcontrol;
using test::go_table;
using test::text_of;

namespace {

namespace core = api::core::v1;
namespace meta = api::meta::v1;

// The first row of a table: the objects that the others are matched against.
std::vector<object_meta> objects_of(std::vector<json::array>& rows) {
    std::vector<object_meta> out;
    for (const auto& labels : rows.front()[0].as_array()) {
        auto& made = out.emplace_back();
        made.name = "n" + std::to_string(out.size() - 1);
        for (const auto& [key, value] : labels.as_object()) made.labels[std::string(key)] = text_of(value);
    }
    rows.erase(rows.begin());
    return out;
}

template <class T>
T decoded(const json::value& from) {
    auto read = from_json<T>(json::serialize(from));
    REQUIRE(read.has_value());
    return std::move(*read);
}

std::string bits(const label_selector& selector, const std::vector<object_meta>& objects) {
    std::string out;
    for (const auto& object : objects) out += selector.selects(object) ? '1' : '0';
    return out;
}

std::string bits(const required_node_affinity& affinity, const std::vector<object_meta>& nodes) {
    std::string out;
    for (const auto& node : nodes) {
        const auto found = affinity.matches(node);
        out += !found ? 'e' : (*found ? '1' : '0');
        if (!found) CHECK(found.error() == errc::invalid_argument);
    }
    return out;
}

}  // namespace

TEST_CASE("label_selector::of: selects what LabelSelectorAsSelector does") {
    auto rows = go_table("label_selector_of");
    const auto objects = objects_of(rows);
    int valid = 0, refused = 0;
    for (const auto& row : rows) {
        CAPTURE(json::serialize(row[0]));
        boxed<meta::label_selector> spec;
        if (!row[0].is_null()) spec = decoded<meta::label_selector>(row[0]);
        const auto selector = label_selector::of(spec);
        REQUIRE(selector.has_value() == !row[2].is_null());
        if (!selector) {
            ++refused;
            CHECK(selector.error() == errc::invalid_argument);
            CHECK(selector.error().message().starts_with("match"));
            continue;
        }
        ++valid;
        CHECK(bits(*selector, objects) == text_of(row[2]));
        // The text selects the same at a server; that of Go's Nothing() would select everything there.
        if (spec) CHECK(selector->to_string() == text_of(row[1]));
        const auto again = label_selector::parse(selector->to_string());
        REQUIRE(again.has_value());
        CHECK(bits(*again, objects) == text_of(row[2]));
    }
    CHECK(valid > 40);
    CHECK(refused > 20);
}

TEST_CASE("label_selector::of: absent selects nothing, empty selects everything, however it is optional") {
    object_meta object;
    object.labels["nothing"] = "x";
    const auto selects = [&](const auto& spec) { return label_selector::of(spec).value().selects(object); };
    const meta::label_selector empty;
    CHECK(selects(empty));
    CHECK(selects(boxed<meta::label_selector>(empty)));
    CHECK(selects(std::optional<meta::label_selector>(empty)));
    CHECK(selects(&empty));
    CHECK_FALSE(selects(boxed<meta::label_selector>()));
    CHECK_FALSE(selects(nullable<meta::label_selector>(nullptr)));
    CHECK_FALSE(selects(std::optional<meta::label_selector>()));
    CHECK_FALSE(selects(std::shared_ptr<const meta::label_selector>()));
    const api::apps::v1::deployment without;
    CHECK(label_selector::of(without.spec.selector).value() == label_selector::nothing());
    CHECK_FALSE(label_selector::nothing().empty());
    CHECK_FALSE(label_selector::nothing().matches({}));
}

TEST_CASE("label_selector::of: a struct of the program's own with these members") {
    struct own {
        std::map<std::string, std::string> match_labels;
        std::vector<label_expression> match_expressions;
    };
    const auto selector = label_selector::of(own{{{"app", "web"}}, {{"tier", "NotIn", {"test"}}}});
    REQUIRE(selector.has_value());
    CHECK(selector->to_string() == "app=web,tier notin (test)");
}

TEST_CASE("label_selector::of: an error names the part, the value and what it may be") {
    const auto message = [](const char* spec) {
        return label_selector::of(from_json<meta::label_selector>(spec).value()).error().message();
    };
    CHECK(message(R"({"matchExpressions":[{"key":"a","operator":"in","values":["b"]}]})") ==
          "matchExpressions[0]: operator \"in\" is none of In, NotIn, Exists, DoesNotExist");
    CHECK(message(R"({"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]})") ==
          "matchExpressions[0]: operator \"Gt\" is none of In, NotIn, Exists, DoesNotExist; Gt and Lt are for node "
          "selectors only");
    CHECK(message(R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"a","operator":"Exists",
          "values":["b","c"]}]})") ==
          "matchExpressions[1]: values [\"b\", \"c\"]: values set must be empty for exists and does not exist");
    CHECK(message(R"({"matchExpressions":[{"key":"a","operator":"In"}]})") ==
          "matchExpressions[0]: values []: for 'in', 'notin' operators, values set can't be empty");
    CHECK(
        message(R"({"matchLabels":{"app":"a b"}})").starts_with("matchLabels[\"app\"]: value \"a b\": a valid label"));
}

TEST_CASE("node_selector::of: absent, without terms, with an empty term: no node") {
    object_meta node;
    node.name = "n1";
    node.labels["cpu"] = "8";
    const auto selects = [&](const auto& spec) { return node_selector::of(spec).value().selects(node); };
    const auto read = [](const char* text) { return from_json<core::node_selector>(text).value(); };
    CHECK_FALSE(selects(boxed<core::node_selector>()));
    CHECK_FALSE(selects(core::node_selector()));
    CHECK_FALSE(selects(core::node_selector_term()));
    CHECK_FALSE(selects(read(R"({"nodeSelectorTerms":[{}]})")));
    const auto larger = read(
        R"({"nodeSelectorTerms":[{},{"matchExpressions":[{"key":"cpu","operator":"Gt","values":["4"]}],
            "matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]})");
    CHECK(selects(larger));
    CHECK(selects(std::optional<core::node_selector>(larger)));
    CHECK(selects(*std::next(larger.node_selector_terms.begin())));
    const auto message = [&](const char* text) { return node_selector::of(read(text)).error().message(); };
    CHECK(
        message(R"({"nodeSelectorTerms":[{},{"matchExpressions":[{"key":"cpu","operator":"Gt","values":["4Gi"]}]}]})")
            .starts_with("nodeSelectorTerms[1].matchExpressions[0]: value \"4Gi\": for 'Gt', 'Lt' operators, the value "
                         "must be an integer"));
    CHECK(message(R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",
              "values":["a","b"]}]}]})") ==
          "nodeSelectorTerms[0].matchFields[0]: values [\"a\", \"b\"]: values must have one element");
}

TEST_CASE("required_node_affinity: nodes as GetRequiredNodeAffinity finds them") {
    auto rows = go_table("node_affinity");
    const auto nodes = objects_of(rows);
    std::map<char, int> seen;
    for (const auto& row : rows) {
        CAPTURE(json::serialize(row[0]));
        const auto found = bits(required_node_affinity::of(decoded<core::pod_spec>(row[0])), nodes);
        CHECK(found == text_of(row[1]));
        for (const char one : found) ++seen[one];
    }
    for (const char one : {'0', '1', 'e'}) CHECK(seen[one] > 100);
    CHECK(required_node_affinity().matches(object_meta()).value());
}
