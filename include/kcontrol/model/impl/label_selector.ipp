#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/impl/label_selector_parser.hpp>
#include <kcontrol/model/impl/quoted_values.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::optional<std::int64_t> parse_label_number(std::string_view text) noexcept {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

inline std::optional<label_operator> label_operator_named(std::string_view name) noexcept {
    if (name == "In") return label_operator::in;
    if (name == "NotIn") return label_operator::not_in;
    if (name == "Exists") return label_operator::exists;
    if (name == "DoesNotExist") return label_operator::not_exists;
    if (name == "Gt") return label_operator::greater_than;
    if (name == "Lt") return label_operator::less_than;
    return std::nullopt;
}

inline void add_label_value_count_problem(label_operator op, const std::vector<std::string>& values,
                                          name_problems& to) {
    const auto wrong = [&](const char* rule) { to.push_back(quoted_values(values) + rule); };
    switch (op) {
    case label_operator::in:
    case label_operator::not_in:
        if (values.empty()) wrong("for 'in', 'notin' operators, values set can't be empty");
        break;
    case label_operator::equals:
    case label_operator::not_equals:
        if (values.size() != 1) wrong("exact-match compatibility requires one single value");
        break;
    case label_operator::exists:
    case label_operator::not_exists:
        if (!values.empty()) wrong("values set must be empty for exists and does not exist");
        break;
    case label_operator::greater_than:
    case label_operator::less_than:
        if (values.size() != 1) wrong("for 'Gt', 'Lt' operators, exactly one value is required");
        break;
    }
}

}  // namespace detail

KCONTROL_DECL result<label_requirement> label_requirement::make(std::string key, label_operator op,
                                                                std::vector<std::string> values) {
    const auto quoted = [](std::string_view text) { return "\"" + escape_control(text.substr(0, 300)) + "\": "; };
    name_problems problems;
    if (const auto wrong = check_label_key(key); !wrong.empty()) {
        problems.push_back("key " + quoted(key) + join_problems(wrong));
    }
    detail::add_label_value_count_problem(op, values, problems);
    const bool numeric = op == label_operator::greater_than || op == label_operator::less_than;
    for (const auto& value : values) {
        if (numeric && !detail::parse_label_number(value)) {
            problems.push_back("value " + quoted(value) + "for 'Gt', 'Lt' operators, the value must be an integer");
        }
        if (const auto wrong = check_label_value(value); !wrong.empty()) {
            problems.push_back("value " + quoted(value) + join_problems(wrong));
        }
    }
    if (!problems.empty()) return error(errc::invalid_argument, join_problems(problems));
    return label_requirement(std::move(key), op, std::move(values));
}

KCONTROL_DECL result<label_requirement> label_requirement::make(label_expression expression) {
    const auto named = detail::label_operator_named(expression.op);
    if (named) return make(std::move(expression.key), *named, std::move(expression.values));
    return error(errc::invalid_argument, "operator \"" + escape_control(expression.op.substr(0, 80)) +
                                             "\" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt");
}

KCONTROL_DECL label_requirement::label_requirement(std::string k, label_operator o, std::vector<std::string> v)
    : key(std::move(k)), op(o), values(std::move(v)) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

KCONTROL_DECL bool label_requirement::matches(std::optional<std::string_view> label) const {
    const auto listed = [&] { return std::find(values.begin(), values.end(), *label) != values.end(); };
    switch (op) {
    case label_operator::equals:
    case label_operator::in: return label && listed();
    case label_operator::not_equals:
    case label_operator::not_in: return !label || !listed();
    case label_operator::exists: return label.has_value();
    case label_operator::not_exists: return !label;
    case label_operator::greater_than:
    case label_operator::less_than: break;
    }
    if (!label || values.empty()) return false;
    const auto mine = detail::parse_label_number(*label);
    const auto bound = detail::parse_label_number(values.front());
    if (!mine || !bound) return false;
    return op == label_operator::greater_than ? *mine > *bound : *mine < *bound;
}

KCONTROL_DECL std::string label_requirement::to_string() const {
    const std::string first = values.empty() ? std::string() : values.front();
    switch (op) {
    case label_operator::equals: return key + "=" + first;
    case label_operator::not_equals: return key + "!=" + first;
    case label_operator::exists: return key;
    case label_operator::not_exists: return "!" + key;
    case label_operator::greater_than: return key + ">" + first;
    case label_operator::less_than: return key + "<" + first;
    case label_operator::in:
    case label_operator::not_in: break;
    }
    std::string text = key + (op == label_operator::in ? " in (" : " notin (");
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + values[i];
    return text + ")";
}

KCONTROL_DECL result<label_selector> label_selector::parse(std::string_view text) {
    return detail::label_selector_parser(text).parse();
}

KCONTROL_DECL label_selector label_selector::nothing() {
    return label_selector({label_requirement("nothing", label_operator::exists),
                           label_requirement("nothing", label_operator::not_exists)});
}

KCONTROL_DECL result<label_selector> label_selector::make(const std::map<std::string, std::string>& match_labels,
                                                          const std::vector<label_expression>& match_expressions) {
    std::vector<label_requirement> requirements;
    for (const auto& [key, value] : match_labels) {
        auto requirement = label_requirement::make(key, label_operator::equals, {value});
        if (!requirement) {
            return requirement.error().with_context("matchLabels[\"" + escape_control(key.substr(0, 80)) + "\"]");
        }
        requirements.push_back(std::move(*requirement));
    }
    for (std::size_t i = 0; i < match_expressions.size(); ++i) {
        const std::string path = "matchExpressions[" + std::to_string(i) + "]";
        const auto& wanted = match_expressions[i];
        const auto op = detail::label_operator_named(wanted.op);
        if (!op || *op == label_operator::greater_than || *op == label_operator::less_than) {
            const char* const more = op ? "; Gt and Lt are for node selectors only" : "";
            return error(errc::invalid_argument, path + ": operator \"" + escape_control(wanted.op.substr(0, 80)) +
                                                     "\" is none of In, NotIn, Exists, DoesNotExist" + more);
        }
        auto requirement = label_requirement::make(wanted.key, *op, wanted.values);
        if (!requirement) return requirement.error().with_context(path);
        requirements.push_back(std::move(*requirement));
    }
    return label_selector(std::move(requirements));
}

KCONTROL_DECL bool label_selector::matches(const std::map<std::string, std::string>& labels) const {
    for (const auto& requirement : requirements_) {
        const auto found = labels.find(requirement.key);
        std::optional<std::string_view> value;
        if (found != labels.end()) value = found->second;
        if (!requirement.matches(value)) return false;
    }
    return true;
}

KCONTROL_DECL bool label_selector::selects(const object_meta& meta) const {
    return matches_with([&](std::string_view key) -> std::optional<std::string_view> {
        if (const text* const value = meta.labels.get(key)) return value->view();
        return std::nullopt;
    });
}

KCONTROL_DECL std::string label_selector::to_string() const {
    std::vector<const label_requirement*> sorted;
    for (const auto& requirement : requirements_) sorted.push_back(&requirement);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
    std::string text;
    for (const auto* requirement : sorted) text += (text.empty() ? "" : ",") + requirement->to_string();
    return text;
}

KCONTROL_DECL bool is_label_key(std::string_view text) { return check_label_key(text).empty(); }
KCONTROL_DECL bool is_label_value(std::string_view text) { return check_label_value(text).empty(); }

}  // namespace kcontrol
