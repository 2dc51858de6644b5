// Reads the text of a label selector.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/label_selector.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

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
        std::string message =
            "label selector \"" + escape_control(text_.substr(0, 256)) + "\": expected " + std::string(expected);
        message += found.empty() ? ", found its end" : ", found '" + escape_control(found.substr(0, 80)) + "'";
        return error(errc::invalid_argument, std::move(message));
    }

    result<label_requirement> checked(std::string_view key, label_operator op, std::vector<std::string> values = {}) {
        auto requirement = label_requirement::make(std::string(key), op, std::move(values));
        if (requirement) return requirement;
        return requirement.error().with_context("label selector \"" + escape_control(text_.substr(0, 256)) + "\"");
    }

    result<label_requirement> parse_requirement() {
        const bool negated = peek() == "!";
        if (negated) next();
        const auto key = next();
        if (!is_word(key)) return unexpected(key, "a label key");
        const auto token = peek();
        if (negated || token.empty() || token == ",") {
            return checked(key, negated ? label_operator::not_exists : label_operator::exists);
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
        return checked(key, op, {std::string(value)});
    }

    result<label_requirement> value_set(std::string_view key, label_operator op) {
        if (const auto open = next(); open != "(") return unexpected(open, "'('");
        std::vector<std::string> values;
        for (;;) {
            std::string_view value = peek();
            if (value == "," || value == ")") {
                value = {};  // `(a,)` holds the empty value too
            } else {
                if (!is_word(value)) return unexpected(value, "a value or ')'");
                next();
            }
            values.emplace_back(value);
            const auto separator = next();
            if (separator == ")") break;
            if (separator != ",") return unexpected(separator, "',' or ')'");
        }
        return checked(key, op, std::move(values));
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace kcontrol::detail
