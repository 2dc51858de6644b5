#pragma once

#include <kcontrol/cel/impl/functions.hpp>
#include <kcontrol/cel/impl/lexer.hpp>
#include <kcontrol/cel/impl/parsed_expression.hpp>
#include <kcontrol/cel/program.hpp>

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::cel {
namespace detail {
// "x__dash__y" is the member "x-y".
inline std::string unescaped_name(std::string name) {
    for (const auto& [escaped, meant] : {std::pair("__underscores__", "__"), std::pair("__dot__", "."),
                                         std::pair("__dash__", "-"), std::pair("__slash__", "/")}) {
        for (auto at = name.find(escaped); at != std::string::npos; at = name.find(escaped)) {
            name.replace(at, std::string_view(escaped).size(), meant);
        }
    }
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) return name.substr(2, name.size() - 4);
    return name;
}

// "google.protobuf.Timestamp" of names joined by dots, else empty.
inline std::string dotted_name(const expression_node& node) {
    if (node.what == expression_node::kind::name) return node.text;
    if (node.what != expression_node::kind::member || node.is_optional) return {};
    const std::string before = dotted_name(node.children[0]);
    return before.empty() ? before : before + "." + node.text;
}

/// Recursive descent, by CEL's precedences.
class expression_parser {
public:
    explicit expression_parser(std::vector<expression_token> tokens) : tokens_(std::move(tokens)) {}

    expression_node parse() {
        expression_node root = conditional();
        if (peek().what != expression_token::kind::end) fail("'" + peek().text + "'");
        return root;
    }

    std::string problem;
    std::size_t place = 0;  ///< of the problem

private:
    using kind = expression_node::kind;

    const expression_token& peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }
    expression_token take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
    // A text in quotes is no operator, whatever it says.
    bool sees(std::string_view sign) const {
        return peek().what != expression_token::kind::text && peek().text == sign;
    }
    bool accept(std::string_view sign) {
        const bool fits = sees(sign);
        if (fits) ++at_;
        return fits;
    }
    void expect(std::string_view sign) {
        if (!accept(sign)) fail("'" + peek().text + "' where '" + std::string(sign) + "' should be");
    }
    void fail(std::string what) { fail(std::move(what), peek().at); }
    void fail(std::string what, std::size_t at) {
        if (problem.empty()) problem = std::move(what), place = at;
        at_ = tokens_.size() - 1;
    }

    // A chain ("a + a + …") needs no depth to be read, but one for each link to be walked.
    expression_node join(kind what, const expression_token& by, std::vector<expression_node> children) {
        expression_node out;
        out.what = what;
        out.text = by.text;
        out.at = by.at;
        for (const auto& child : children) out.depth = std::max(out.depth, child.depth + 1);
        if (out.depth > 500) fail("so long an expression", by.at);
        out.children = std::move(children);
        return out;
    }

    void go_deeper() {
        if (++depth_ > 50) fail("so deep an expression");
    }

    expression_node conditional() {
        go_deeper();
        expression_node condition = binary(0);
        if (sees("?")) {
            const expression_token sign = take();
            expression_node yes = binary(0);
            expect(":");
            expression_node no = conditional();
            condition = join(kind::conditional, sign, {std::move(condition), std::move(yes), std::move(no)});
        }
        --depth_;
        return condition;
    }

    expression_node binary(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels = {
            {"||"}, {"&&"}, {"<=", ">=", "<", ">", "==", "!=", "in"}, {"+", "-"}, {"*", "/", "%"}};
        if (level == levels.size()) return unary();
        expression_node left = binary(level + 1);
        for (bool again = true; again;) {
            again = false;
            for (const std::string_view sign : levels[level]) {
                if (!sees(sign)) continue;
                const expression_token by = take();
                expression_node right = binary(level + 1);
                left = join(kind::binary, by, {std::move(left), std::move(right)});
                again = true;
                break;
            }
        }
        return left;
    }

    expression_node prefixed(kind what, const expression_token& sign) {
        go_deeper();
        expression_node out = join(what, sign, {unary()});
        --depth_;
        return out;
    }

    expression_node unary() {
        if (sees("!")) return prefixed(kind::negation, take());
        if (sees("-")) {
            const expression_token sign = take();
            if (peek().text != least_digits || peek().what != expression_token::kind::number) {
                return prefixed(kind::minus, sign);
            }
            take();
            expression_node least;
            least.literal = std::numeric_limits<std::int64_t>::min();
            return least;
        }
        expression_node out = primary();
        while (problem.empty()) {
            if (accept(".")) {
                out = member(std::move(out));
            } else if (sees("[")) {
                const expression_token bracket = take();
                const bool optional = accept("?");
                expression_node index = conditional();
                expect("]");
                out = join(kind::index, bracket, {std::move(out), std::move(index)});
                out.is_optional = optional;
            } else if (sees("{")) {
                fail("messages of Protocol Buffers");
            } else {
                break;
            }
        }
        return out;
    }

    expression_node member(expression_node target) {
        const bool optional = accept("?");
        const expression_token name = take();
        if (name.what != expression_token::kind::name) fail("'" + name.text + "' after a dot", name.at);
        if (optional || !accept("(")) {
            expression_node out = join(kind::member, name, {std::move(target)});
            out.text = unescaped_name(name.text);
            out.is_optional = optional;
            if (std::string type = dotted_name(out); is_type_name(type)) {
                out = expression_node();
                out.what = kind::name;
                out.text = std::move(type);
                out.at = name.at;
            }
            return out;
        }
        std::vector<expression_node> children = arguments();
        // "sets.contains()" is a function whose name has a dot.
        if (target.what == kind::name && knows_function(target.text + "." + name.text)) {
            expression_token whole = name;
            whole.text = target.text + "." + name.text;
            return call(whole, false, std::move(children));
        }
        children.insert(children.begin(), std::move(target));
        return call(name, true, std::move(children));
    }

    expression_node call(const expression_token& by, bool is_method, std::vector<expression_node> children) {
        if (!problem.empty()) return {};
        const std::string& name = by.text;
        const std::size_t count = children.size() - (is_method ? 1 : 0);
        if (!knows_function(name)) {
            fail(name + "()", by.at);
        } else if (!knows_function(name, is_method, count)) {
            fail(
                name + "() as a " + (is_method ? "method" : "function") + " of " + std::to_string(count) + " arguments",
                by.at);
        }
        if (!problem.empty()) return {};
        if (name == "cel.bind") std::swap(children[0], children[1]);
        expression_node out = join(kind::call, by, std::move(children));
        out.is_method = is_method;
        for (std::size_t i = 1; i <= out.macro_variables(); ++i) {
            if (out.children[i].what == kind::name) continue;
            fail("the argument of " + name + "() that is no name", out.children[i].at);
        }
        if (name == "has" && (out.children[0].what != kind::member || out.children[0].is_optional)) {
            fail("has() of anything but a member", by.at);
        }
        check_zone(out);
        return out;
    }

    // getHours('Europe/Berlin'): there is no table of zones here.
    void check_zone(const expression_node& called) {
        if (!called.text.starts_with("get") || called.children.size() != 2 || !called.is_method) return;
        const auto* zone = called.children[1].literal.get<std::string>();
        if (zone != nullptr && !parse_offset(*zone))
            fail("the time zone '" + *zone + "', only offsets as '+02:00'", called.children[1].at);
    }

    std::vector<expression_node> arguments() {
        std::vector<expression_node> out;
        if (accept(")")) return out;
        do out.push_back(conditional());
        while (accept(","));
        expect(")");
        return out;
    }

    // An item of a list, or a key of a map.
    expression_node item() {
        if (!sees("?")) return conditional();
        const expression_token sign = take();
        return join(kind::optional_item, sign, {conditional()});
    }

    expression_node list(const expression_token& bracket) {
        std::vector<expression_node> items;
        while (problem.empty() && !accept("]")) {
            items.push_back(item());
            if (!accept(",") && !sees("]")) fail("'" + peek().text + "' in a list");
        }
        return join(kind::list, bracket, std::move(items));
    }

    expression_node map(const expression_token& bracket) {
        std::vector<expression_node> entries;
        while (problem.empty() && !accept("}")) {
            entries.push_back(item());
            expect(":");
            entries.push_back(conditional());
            if (!accept(",") && !sees("}")) fail("'" + peek().text + "' in a map");
        }
        return join(kind::map, bracket, std::move(entries));
    }

    expression_node primary() {
        const expression_token token = take();
        expression_node out;
        out.literal = token.held;
        out.at = token.at;
        if (token.what == expression_token::kind::number || token.what == expression_token::kind::text) {
            if (token.what == expression_token::kind::number && token.text == least_digits)
                fail("the number " + token.text, token.at);
            return out;
        }
        if (token.what == expression_token::kind::name) return named(token);
        if (token.text == "(") {
            out = conditional();
            expect(")");
            return out;
        }
        if (token.text == "[") return list(token);
        if (token.text == "{") return map(token);
        fail(token.what == expression_token::kind::end ? "the end of the expression" : "'" + token.text + "'",
             token.at);
        return out;
    }

    expression_node named(const expression_token& token) {
        const std::string& name = token.text;
        expression_node out;
        out.at = token.at;
        if (name == "true" || name == "false") {
            out.literal = name == "true";
            return out;
        }
        if (name == "null") return out;
        if (accept("(")) return call(token, false, arguments());
        out.what = kind::name;
        out.text = name;
        return out;
    }

    static constexpr std::string_view least_digits = "9223372036854775808";

    std::vector<expression_token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace detail

KCONTROL_DECL result<program> program::parse(std::string_view text) {
    const auto refuse = [text](std::size_t at, const std::string& what) {
        return detail::error_at(text, at, "kcontrol's CEL does not know " + what);
    };
    std::string problem;
    auto tokens = detail::tokens_of(text, problem);
    if (!problem.empty()) return refuse(tokens.back().at, problem);
    detail::expression_parser parser(std::move(tokens));
    detail::parsed_expression read{std::string(text), parser.parse()};
    if (!parser.problem.empty()) return refuse(parser.place, parser.problem);
    program out;
    out.parsed_ = std::make_shared<const detail::parsed_expression>(std::move(read));
    return out;
}

}  // namespace kcontrol::cel
