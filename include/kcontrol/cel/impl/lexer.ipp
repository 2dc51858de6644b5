#pragma once

#include <kcontrol/base/utf8.hpp>
#include <kcontrol/cel/impl/lexer.hpp>

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::cel::detail {
inline bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

class expression_lexer {
public:
    explicit expression_lexer(std::string_view text) : rest_(text), size_(text.size()) {}

    std::vector<expression_token> all() {
        std::vector<expression_token> out;
        do {
            skip_spaces();
            const std::size_t at = size_ - rest_.size();
            out.push_back(next());
            out.back().at = at;
        } while (problem.empty() && out.back().what != expression_token::kind::end);
        return out;
    }

    std::string problem;

private:
    void fail(std::string what) {
        if (problem.empty()) problem = std::move(what);
    }

    void skip_spaces() {
        while (!rest_.empty()) {
            if (rest_.starts_with("//")) {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else if (std::string_view(" \t\r\n\f").find(rest_.front()) != std::string_view::npos) {
                rest_.remove_prefix(1);
            } else {
                return;
            }
        }
    }

    expression_token next() {
        if (rest_.empty()) return {};
        const char c = rest_.front();
        // r"…", b'…' and both.
        std::size_t prefix = 0;
        while (prefix < 2 && prefix < rest_.size() &&
               std::string_view("rRbB").find(rest_[prefix]) != std::string_view::npos) {
            ++prefix;
        }
        if (prefix < rest_.size() && (rest_[prefix] == '"' || rest_[prefix] == '\'')) return text_token(prefix);
        if (begins_name(c)) {
            std::size_t end = 1;
            while (end < rest_.size() && (begins_name(rest_[end]) || is_digit(rest_[end]))) ++end;
            return token(expression_token::kind::name, end);
        }
        if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return number_token();
        for (const std::string_view sign : {"&&", "||", "==", "!=", "<=", ">="}) {
            if (rest_.starts_with(sign)) return token(expression_token::kind::sign, 2);
        }
        if (std::string_view("<>+-*/%!?:.,()[]{}").find(c) == std::string_view::npos) {
            fail(std::string("'") + c + "'");
        }
        return token(expression_token::kind::sign, 1);
    }

    expression_token token(expression_token::kind what, std::size_t length) {
        expression_token out;
        out.what = what;
        out.text = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return out;
    }

    expression_token number_token() {
        const bool hexadecimal = rest_.starts_with("0x") || rest_.starts_with("0X");
        std::size_t end = hexadecimal ? 2 : 0;
        bool fraction = false;
        for (; end < rest_.size(); ++end) {
            const char c = rest_[end];
            if (is_digit(c)) continue;
            if (hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) continue;
            if (hexadecimal) break;
            const bool exponent = c == 'e' || c == 'E';
            const bool sign = (c == '-' || c == '+') && (rest_[end - 1] == 'e' || rest_[end - 1] == 'E');
            // "1.f()" is a call, "1.5" a number.
            const bool dot = c == '.' && end + 1 < rest_.size() && is_digit(rest_[end + 1]);
            if (!exponent && !sign && !dot) break;
            fraction = true;
        }
        const bool is_unsigned = !fraction && end < rest_.size() && (rest_[end] == 'u' || rest_[end] == 'U');
        expression_token out = token(expression_token::kind::number, end + (is_unsigned ? 1 : 0));
        const char* const first = out.text.data() + (hexadecimal ? 2 : 0);
        const char* const last = out.text.data() + end;
        const int base = hexadecimal ? 16 : 10;
        const auto read = [&](auto number, auto... how) {
            const auto got = std::from_chars(first, last, number, how...);
            if (got.ec != std::errc() || got.ptr != last) return false;
            out.held = number;
            return true;
        };
        bool known = false;
        if (fraction) {
            known = read(double());
        } else if (is_unsigned) {
            known = read(std::uint64_t(), base);
        } else {
            // 2^63 is a number only behind a minus: the parser looks at that.
            known = read(std::int64_t(), base) || out.text == "9223372036854775808";
        }
        if (!known) fail("the number " + out.text);
        return out;
    }

    expression_token text_token(std::size_t prefix) {
        const std::string_view marks = rest_.substr(0, prefix);
        const bool raw = marks.find_first_of("rR") != std::string_view::npos;
        const bool bytes = marks.find_first_of("bB") != std::string_view::npos;
        rest_.remove_prefix(prefix);
        const std::string_view thrice = rest_.substr(0, 3);
        const bool is_long = thrice == "\"\"\"" || thrice == "'''";
        const std::string quote(rest_.substr(0, is_long ? 3 : 1));
        rest_.remove_prefix(quote.size());
        expression_token out;
        out.what = expression_token::kind::text;
        while (!rest_.empty() && !rest_.starts_with(quote) && problem.empty()) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '\\' && !raw && !rest_.empty()) {
                escape(out.text, bytes);
            } else if (c == '\n' && !is_long) {
                fail("a line break in a text");
            } else {
                out.text += c;
            }
        }
        if (rest_.empty()) {
            fail("a text without an end");
        } else {
            rest_.remove_prefix(quote.size());
        }
        if (bytes) {
            out.held = bytes_value{out.text};
        } else {
            out.held = out.text;
        }
        return out;
    }

    void escape(std::string& to, bool bytes) {
        constexpr std::string_view names = "abfnrtv\\'\"`?", meant = "\a\b\f\n\r\t\v\\'\"`?";
        const char c = rest_.front();
        if (const std::size_t known = names.find(c); known != std::string_view::npos) {
            to += meant[known];
            rest_.remove_prefix(1);
            return;
        }
        const bool octal = c >= '0' && c <= '3';
        const std::size_t digits = octal ? 3 : c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (!octal) rest_.remove_prefix(1);
        std::uint32_t code = 0;
        const std::string_view number = rest_.substr(0, digits);
        const auto read = std::from_chars(number.data(), number.data() + number.size(), code, octal ? 8 : 16);
        const bool whole = digits != 0 && number.size() == digits && read.ptr == number.data() + number.size();
        const bool known = whole && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) && !(bytes && digits > 3);
        if (!known) return fail(std::string("the escape \\") + c);
        rest_.remove_prefix(digits);
        if (bytes) {
            to += static_cast<char>(code);
        } else {
            append_utf8(to, code);
        }
    }

    std::string_view rest_;
    std::size_t size_;
};

KCONTROL_DECL std::vector<expression_token> tokens_of(std::string_view text, std::string& problem) {
    expression_lexer lexer(text);
    auto out = lexer.all();
    problem = std::move(lexer.problem);
    return out;
}

}  // namespace kcontrol::cel::detail
