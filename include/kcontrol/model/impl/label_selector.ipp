#pragma once

#include <kcontrol/model/label_selector.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kcontrol {
namespace detail {

inline bool is_alphanumeric(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Up to 63 of letters, digits and "-_.", beginning and ending with a letter or digit.
inline bool is_label_word(std::string_view text) noexcept {
    if (text.empty() || text.size() > 63) return false;
    if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

inline bool is_dns_subdomain(std::string_view text) noexcept {
    const auto small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (text.empty() || text.size() > 253) return false;
    char before = '.';
    for (const char c : text) {
        if (!small(c) && c != '-' && c != '.') return false;
        if (!small(c) && before == '.') return false;
        if (c == '.' && before == '-') return false;
        before = c;
    }
    return small(before);
}

inline std::optional<std::int64_t> parse_label_number(std::string_view text) noexcept {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Reads the text of a label selector token by token.
class label_selector_parser {
public:
    explicit label_selector_parser(std::string_view text) : text_(text) {}

    result<label_selector> parse() {
        std::vector<label_requirement> requirements;
        if (peek().empty()) return label_selector();
        for (;;) {
            auto requirement = parse_requirement();
            if (!requirement) return requirement.error();
            requirements.push_back(std::move(*requirement));
            const auto separator = next();
            if (separator.empty()) break;
            if (separator != ",") return unexpected(separator, "',' or the end");
        }
        return label_selector(std::move(requirements));
    }

private:
    static bool is_special(char c) noexcept {
        return c == '(' || c == ')' || c == ',' || c == '!' || c == '=' || c == '<' || c == '>';
    }
    static bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    static bool is_word(std::string_view token) noexcept { return !token.empty() && !is_special(token.front()); }

    // The next token, empty at the end: an operator, a bracket, a comma or a word.
    std::string_view peek() {
        while (position_ < text_.size() && is_space(text_[position_])) ++position_;
        const auto rest = text_.substr(position_);
        if (rest.empty()) return rest;
        if (rest.starts_with("==") || rest.starts_with("!=")) return rest.substr(0, 2);
        if (is_special(rest.front())) return rest.substr(0, 1);
        std::size_t n = 0;
        while (n < rest.size() && !is_special(rest[n]) && !is_space(rest[n])) ++n;
        return rest.substr(0, n);
    }

    std::string_view next() {
        const auto token = peek();
        position_ += token.size();
        return token;
    }

    error unexpected(std::string_view found, std::string_view expected) const {
        std::string message = "label selector \"" + std::string(text_) + "\": expected " + std::string(expected);
        message += found.empty() ? ", found its end" : ", found '" + std::string(found) + "'";
        return error(errc::invalid_argument, std::move(message));
    }

    error bad(std::string_view what, std::string_view word) const {
        return error(errc::invalid_argument, "label selector \"" + std::string(text_) + "\": \"" + std::string(word) +
                                                 "\" is not " + std::string(what));
    }

    result<label_requirement> parse_requirement() {
        const bool negated = peek() == "!";
        if (negated) next();
        const auto key = next();
        if (!is_word(key)) return unexpected(key, "a label key");
        if (!is_label_key(key)) return bad("a valid label key", key);
        const auto token = peek();
        if (negated || token.empty() || token == ",") {
            return label_requirement(std::string(key), negated ? label_operator::not_exists : label_operator::exists);
        }
        next();
        if (token == "=" || token == "==") return one_value(key, label_operator::equals);
        if (token == "!=") return one_value(key, label_operator::not_equals);
        if (token == ">") return one_value(key, label_operator::greater_than);
        if (token == "<") return one_value(key, label_operator::less_than);
        if (token == "in") return value_set(key, label_operator::in);
        if (token == "notin") return value_set(key, label_operator::not_in);
        return unexpected(token, "one of =, ==, !=, in, notin, <, >");
    }

    result<label_requirement> one_value(std::string_view key, label_operator op) {
        std::string_view value = peek();
        if (value == ",") {
            value = {};  // `a=,b` compares with the empty value
        } else if (!value.empty()) {
            if (!is_word(value)) return unexpected(value, "a value");
            next();
        }
        if (!is_label_value(value)) return bad("a valid label value", value);
        const bool numeric = op == label_operator::greater_than || op == label_operator::less_than;
        if (numeric && !parse_label_number(value)) return bad("an integer", value);
        std::vector<std::string> values(1, std::string(value));
        return label_requirement(std::string(key), op, std::move(values));
    }

    result<label_requirement> value_set(std::string_view key, label_operator op) {
        if (const auto open = next(); open != "(") return unexpected(open, "'('");
        if (peek() == ")") return unexpected(")", "a value");
        std::vector<std::string> values;
        for (;;) {
            std::string_view value = peek();
            if (value == "," || value == ")") {
                value = {};  // `(a,)` holds the empty value too
            } else {
                if (!is_word(value)) return unexpected(value, "a value or ')'");
                next();
            }
            if (!is_label_value(value)) return bad("a valid label value", value);
            values.emplace_back(value);
            const auto separator = next();
            if (separator == ")") break;
            if (separator != ",") return unexpected(separator, "',' or ')'");
        }
        return label_requirement(std::string(key), op, std::move(values));
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace detail

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

KCONTROL_DECL bool label_selector::matches(const std::map<std::string, std::string>& labels) const {
    for (const auto& requirement : requirements_) {
        const auto found = labels.find(requirement.key);
        std::optional<std::string_view> value;
        if (found != labels.end()) value = found->second;
        if (!requirement.matches(value)) return false;
    }
    return true;
}

KCONTROL_DECL std::string label_selector::to_string() const {
    std::vector<const label_requirement*> sorted;
    for (const auto& requirement : requirements_) sorted.push_back(&requirement);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
    std::string text;
    for (const auto* requirement : sorted) text += (text.empty() ? "" : ",") + requirement->to_string();
    return text;
}

KCONTROL_DECL bool is_label_key(std::string_view text) noexcept {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return detail::is_label_word(text);
    return detail::is_dns_subdomain(text.substr(0, slash)) && detail::is_label_word(text.substr(slash + 1));
}

KCONTROL_DECL bool is_label_value(std::string_view text) noexcept {
    return text.empty() || detail::is_label_word(text);
}

}  // namespace kcontrol
