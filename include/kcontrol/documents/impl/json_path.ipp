// Reading a JSONPath. The grammar is client-go's (util/jsonpath/parser.go), with its oddities: what it takes, we take.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/utf8.hpp>
#include <kcontrol/documents/impl/json_path_program.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Takes the escape sequences of a Go string apart.
class go_unquoter {
public:
    go_unquoter(std::string_view text, char quote) : text_(text), quote_(quote) {}

    bool read(std::string& out) {
        while (!text_.empty()) {
            if (text_.front() != '\\') {
                out += text_.front();
                text_.remove_prefix(1);
            } else if (!escape(out)) {
                return false;
            }
        }
        return true;
    }

private:
    bool escape(std::string& out) {
        if (text_.size() < 2) return false;
        const char c = text_[1];
        constexpr std::string_view letters = "abfnrtv\\", means = "\a\b\f\n\r\t\v\\";
        text_.remove_prefix(2);
        if (const auto at = letters.find(c); at != std::string_view::npos) {
            out += means[at];
            return true;
        }
        if (c == '\'' || c == '"') {
            out += c;
            return c == quote_;
        }
        if (c == 'x' || (c >= '0' && c <= '7')) {
            if (c != 'x') text_ = std::string_view(text_.data() - 1, text_.size() + 1);
            const auto byte = digits(c == 'x' ? 2 : 3, c == 'x' ? 16 : 8);
            if (!byte || *byte > 0xff) return false;
            out += static_cast<char>(*byte);
            return true;
        }
        if (c != 'u' && c != 'U') return false;
        const auto letter = digits(c == 'u' ? 4 : 8, 16);
        if (!letter || *letter > 0x10ffff || (*letter >= 0xd800 && *letter < 0xe000)) return false;
        append_utf8(out, *letter);
        return true;
    }

    std::optional<std::uint32_t> digits(std::size_t count, int base) {
        std::uint32_t out = 0;
        if (text_.size() < count) return std::nullopt;
        const auto [end, problem] = std::from_chars(text_.data(), text_.data() + count, out, base);
        if (problem != std::errc() || end != text_.data() + count) return std::nullopt;
        text_.remove_prefix(count);
        return out;
    }

    std::string_view text_;
    char quote_;
};

/// Reads what stands between braces, up to the closing one.
class json_path_parser {
public:
    /// `text` ends with the closing brace.
    explicit json_path_parser(std::string_view text) : text_(text) {}

    /// Empty if it went well, otherwise what is wrong.
    std::string parse(json_path_list& out) {
        while (problem_.empty() && !starts("}")) step(out);
        if (problem_.empty()) ++at_;
        return problem_;
    }
    bool at_end() const { return at_ == text_.size(); }

private:
    using kind = json_path_node::kind;

    // A part of a path, as a path of its own. What follows a brace in it does not count, as in client-go.
    static std::string parse_part(std::string_view text, json_path_list& out) {
        const std::string braced = std::string(text) + "}";
        return json_path_parser(braced).parse(out);
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_word(char c) {
        const auto lower = static_cast<char>(c | 0x20);
        return c == '_' || is_digit(c) || (lower >= 'a' && lower <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    }
    static bool is_terminator(char c) { return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos; }

    bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
    bool more() const { return at_ < text_.size(); }

    void step(json_path_list& out) {
        if (starts("[?(")) return filter(out);
        if (starts("..")) return recursive(out);
        if (!more() || text_[at_] == '\r' || text_[at_] == '\n') return fail("it does not end");
        const char c = text_[at_];
        if (c == ' ' || c == '@' || c == '$') {
            ++at_;
        } else if (c == '[') {
            elements(out);
        } else if (c == '"' || c == '\'') {
            quoted(out, c);
        } else if (c == '.') {
            ++at_;
            field(out);
        } else if (c == '+' || c == '-' || is_digit(c)) {
            number(out);
        } else if (is_word(c)) {
            word(out);
        } else {
            fail(std::string("'") + c + "' has no meaning here");
        }
    }

    // Up to a character that ends names; a backslash keeps what follows it, and goes.
    void field(json_path_list& out) {
        const std::size_t begin = at_;
        std::string name;
        for (; more() && !is_terminator(text_[at_]); ++at_) {
            if (text_[at_] == '\\' && ++at_ == text_.size()) break;
            if (text_[at_] != '\\') name += text_[at_];
        }
        if (text_.substr(begin, at_ - begin) == "*") return void(out.emplace_back(kind::members));
        out.emplace_back(kind::field, std::move(name));
    }

    void recursive(json_path_list& out) {
        if (!out.empty() && out.back().what == kind::recursive) return fail("\"..\" follows another one");
        at_ += 2;
        out.emplace_back(kind::recursive);
        if (more() && is_word(text_[at_])) field(out);
    }

    void word(json_path_list& out) {
        const std::size_t begin = at_;
        while (more() && !is_terminator(text_[at_])) ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name != "true" && name != "false") return void(out.emplace_back(kind::unknown, std::string(name)));
        out.emplace_back(kind::literal).literal = name == "true";
    }

    void number(json_path_list& out) {
        const bool plus = text_[at_] == '+';
        const std::size_t begin = at_ + (plus ? 1 : 0);
        ++at_;
        while (more() && (text_[at_] == '.' || is_digit(text_[at_]))) ++at_;
        const std::string_view digits = text_.substr(begin, at_ - begin);
        const char* const last = digits.data() + digits.size();
        std::int64_t whole = 0;
        const auto [end, problem] = std::from_chars(digits.data(), last, whole);
        if (problem == std::errc() && end == last) {
            out.emplace_back(kind::literal).literal = whole;
        } else if (const auto real = real_number_of(digits); real) {
            out.emplace_back(kind::literal).literal = *real;
        } else {
            fail("\"" + std::string(digits) + "\" is no number");
        }
    }

    // "-1.5", "2." and ".5", which JSON writes with a digit on both sides. libc++ has no std::from_chars for doubles.
    static std::optional<double> real_number_of(std::string_view digits) {
        const bool negative = digits.starts_with('-');
        if (negative) digits.remove_prefix(1);
        const std::size_t dot = std::min(digits.find('.'), digits.size());
        std::string_view whole = digits.substr(0, dot), rest = digits.substr(std::min(dot + 1, digits.size()));
        if (whole.empty() && rest.empty()) return std::nullopt;
        while (whole.starts_with('0')) whole.remove_prefix(1);
        const auto read = json::parse((negative ? "-" : "") + (whole.empty() ? std::string("0") : std::string(whole)) +
                                      "." + (rest.empty() ? std::string("0") : std::string(rest)));
        if (!read || !read->is_double()) return std::nullopt;
        return read->get_double();
    }

    // Where a quote ends: at the same one without a backslash before it, even if that is escaped itself.
    void quoted(json_path_list& out, char quote) {
        const std::size_t begin = ++at_;
        while (more() && text_[at_] != '\n' && (text_[at_] != quote || text_[at_ - 1] == '\\')) ++at_;
        if (!more() || text_[at_] == '\n') return fail("a quote does not end");
        std::string text;
        if (!go_unquoter(text_.substr(begin, at_ - begin), quote).read(text)) {
            return fail("a quoted text has an escape sequence that Go does not know");
        }
        ++at_;
        out.emplace_back(kind::text).literal = std::move(text);
    }

    // What stands in brackets. They end at the first closing one, quotes or not.
    void elements(json_path_list& out) {
        const std::size_t end = text_.find_first_of("]\n", at_);
        if (end == std::string_view::npos || text_[end] == '\n') return fail("\"[\" without \"]\"");
        std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (inside == "*") inside = ":";
        if (inside.find(',') != std::string_view::npos) return either(out, inside);
        const bool in_quotes = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'';
        if (in_quotes && inside.substr(1, inside.size() - 2).find('\'') == std::string_view::npos) {
            json_path_list part;
            problem_ = parse_part("." + std::string(inside.substr(1, inside.size() - 2)), part);
            std::move(part.begin(), part.end(), std::back_inserter(out));
            return;
        }
        slice(out, inside);
    }

    void either(json_path_list& out, std::string_view inside) {
        json_path_node node(kind::either);
        for (bool last = false; !last && problem_.empty();) {
            const std::size_t comma = inside.find(',');
            last = comma == std::string_view::npos;
            std::string_view part = inside.substr(0, comma);
            if (!last) inside.remove_prefix(comma + 1);
            while (part.starts_with(' ')) part.remove_prefix(1);
            while (part.ends_with(' ')) part.remove_suffix(1);
            problem_ = parse_part("[" + std::string(part) + "]", node.lists.emplace_back());
        }
        out.push_back(std::move(node));
    }

    // FROM, FROM:TO or FROM:TO:STEP, each of which may be absent.
    void slice(json_path_list& out, std::string_view inside) {
        json_path_node node(kind::elements);
        const std::string whole(inside);
        std::optional<std::int64_t>* const parts[] = {&node.from, &node.to, &node.step};
        std::size_t given = 0;
        for (bool last = false; !last; ++given) {
            const std::size_t colon = inside.find(':');
            last = colon == std::string_view::npos;
            const std::string_view part = inside.substr(0, colon);
            if (!last) inside.remove_prefix(colon + 1);
            if (given == std::size(parts)) return fail("\"[" + whole + "]\" is no index and no slice");
            if (part.empty()) continue;
            std::int64_t number = 0;
            const auto [end, bad] = std::from_chars(part.data(), part.data() + part.size(), number);
            // Beyond that, sums of an index and a length would overflow.
            constexpr std::int64_t most = std::int64_t{1} << 62;
            if (bad != std::errc() || end != part.data() + part.size() || number > most || number < -most) {
                return fail("\"[" + whole + "]\" is no index and no slice");
            }
            *parts[given] = number;
        }
        node.one = given == 1;
        if (node.one) node.to = node.from.value_or(0) + 1;
        out.push_back(std::move(node));
    }

    void filter(json_path_list& out) {
        at_ += 3;
        const std::size_t begin = at_;
        char quote = 0;
        bool closed = false;
        for (;; ++at_) {
            if (!more() || text_[at_] == '\n') return fail("a filter does not end");
            const char c = text_[at_];
            if ((c == '"' || c == '\'') && quote == 0) {
                quote = c;
            } else if (c == quote && text_[at_ - 1] != '\\') {
                closed = true;
            } else if (c == ')' && (quote == 0 || closed)) {
                break;
            }
        }
        const std::string_view inside = text_.substr(begin, at_ - begin);
        ++at_;
        if (!starts("]")) return fail("\")\" of a filter without \"]\"");
        ++at_;
        comparison(out, inside);
    }

    void comparison(json_path_list& out, std::string_view inside) {
        constexpr std::string_view signs = "!<>=";
        json_path_node node(kind::filter);
        node.lists.resize(2);
        const std::size_t sign = inside.find_first_of(signs);
        std::size_t right = inside.find_first_not_of(signs, sign);
        if (right == std::string_view::npos) right = inside.size() - 1;
        const bool compares = sign != std::string_view::npos && sign != 0 && right > sign;
        problem_ = parse_part(compares ? inside.substr(0, sign) : inside, node.lists[0]);
        if (compares) {
            node.text = inside.substr(sign, right - sign);
            if (problem_.empty()) problem_ = parse_part(inside.substr(right), node.lists[1]);
        }
        out.push_back(std::move(node));
    }

    void fail(std::string why) { problem_ = std::move(why); }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string problem_;
};

}  // namespace detail

KCONTROL_DECL result<json_path> json_path::parse(std::string_view text) {
    const bool braced = text.starts_with('{');
    const std::string inside = braced ? std::string(text.substr(1)) : std::string(text) + "}";
    detail::json_path_program program;
    detail::json_path_parser parser(inside);
    std::string problem = parser.parse(program.nodes);
    if (problem.empty() && !parser.at_end())
        problem = "something follows its closing brace: it is a template, not a path";
    if (problem.empty() && program.nodes.empty() && !braced && text.empty()) problem = "it is empty";
    if (!problem.empty()) {
        return error(errc::invalid_argument, "the JSONPath \"" + escape_control(text) +
                                                 "\": " + escape_control(problem) +
                                                 "; write .a.b, ['a'], [0], [1:3], [*], ..a or [?(@.a==\"b\")]");
    }
    json_path out;
    out.text_ = text;
    out.program_ = std::make_shared<const detail::json_path_program>(std::move(program));
    return out;
}

}  // namespace kcontrol
