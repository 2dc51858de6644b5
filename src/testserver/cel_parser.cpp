#include "testserver/cel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

class cel_token {
public:
    enum class kind { end, name, whole, fraction, text, sign };

    kind what = kind::end;
    std::string text;
    json::value value;
};

bool begins_cel_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_cel_digit(char c) { return c >= '0' && c <= '9'; }

/// Cuts an expression into tokens; what it does not know it says in `problem`.
class cel_lexer {
public:
    explicit cel_lexer(std::string_view text) : rest_(text) {}

    std::vector<cel_token> all() {
        std::vector<cel_token> out;
        do out.push_back(next());
        while (problem.empty() && out.back().what != cel_token::kind::end);
        return out;
    }

    std::string problem;

private:
    cel_token next() {
        cel_token out;
        while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos) {
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return out;
        const char c = rest_.front();
        const bool raw = rest_.size() > 1 && (c == 'r' || c == 'R') && (rest_[1] == '"' || rest_[1] == '\'');
        if (c == '"' || c == '\'' || raw) return text_token(raw);
        if (rest_.size() > 1 && (c == 'b' || c == 'B') && (rest_[1] == '"' || rest_[1] == '\'')) {
            problem = "bytes";
            return out;
        }
        if (begins_cel_name(c)) {
            std::size_t end = 1;
            while (end < rest_.size() && (begins_cel_name(rest_[end]) || is_cel_digit(rest_[end]))) ++end;
            return token(cel_token::kind::name, end);
        }
        if (is_cel_digit(c)) return number_token();
        for (const std::string_view sign : {"&&", "||", "==", "!=", "<=", ">="}) {
            if (rest_.starts_with(sign)) return token(cel_token::kind::sign, 2);
        }
        if (std::string_view("<>+-*/%!?:.,()[]").find(c) == std::string_view::npos) {
            problem = std::string("'") + c + "'";
        }
        return token(cel_token::kind::sign, 1);
    }

    cel_token token(cel_token::kind what, std::size_t length) {
        cel_token out;
        out.what = what;
        out.text = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return out;
    }

    cel_token number_token() {
        std::size_t end = 0;
        while (end < rest_.size() && (is_cel_digit(rest_[end]) || rest_[end] == '.' || rest_[end] == 'e' ||
                                      ((rest_[end] == '-' || rest_[end] == '+') && rest_[end - 1] == 'e'))) {
            ++end;
        }
        if (end < rest_.size() && (rest_[end] == 'u' || rest_[end] == 'U' || rest_[end] == 'x')) {
            problem = "unsigned and hexadecimal numbers";
        }
        cel_token out = token(cel_token::kind::whole, end);
        const char* const last = out.text.data() + out.text.size();
        std::int64_t whole = 0;
        if (const auto read = std::from_chars(out.text.data(), last, whole);
            read.ptr == last && read.ec == std::errc()) {
            out.value = whole;
            return out;
        }
        out.what = cel_token::kind::fraction;
        double fraction = 0;
        if (const auto read = std::from_chars(out.text.data(), last, fraction); read.ptr != last) problem = out.text;
        out.value = fraction;
        return out;
    }

    cel_token text_token(bool raw) {
        if (raw) rest_.remove_prefix(1);
        const char quote = rest_.front();
        rest_.remove_prefix(1);
        cel_token out;
        out.what = cel_token::kind::text;
        if (rest_.starts_with(std::string(2, quote))) problem = "texts in three quotes";
        while (!rest_.empty() && rest_.front() != quote) {
            char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '\\' && !raw && !rest_.empty()) {
                constexpr std::string_view names = "nrt\\'\"`", meant = "\n\r\t\\'\"`";
                const std::size_t known = names.find(rest_.front());
                if (known == std::string_view::npos) problem = std::string("the escape \\") + rest_.front();
                c = known == std::string_view::npos ? ' ' : meant[known];
                rest_.remove_prefix(1);
            }
            out.text += c;
        }
        if (rest_.empty()) {
            problem = "a text without an end";
        } else {
            rest_.remove_prefix(1);
        }
        out.value = out.text;
        return out;
    }

    std::string_view rest_;
};

// "x__dash__y" is the member "x-y".
std::string unescaped_cel_name(std::string name) {
    for (const auto& [escaped, meant] : {std::pair("__underscores__", "__"), std::pair("__dot__", "."),
                                         std::pair("__dash__", "-"), std::pair("__slash__", "/")}) {
        for (auto at = name.find(escaped); at != std::string::npos; at = name.find(escaped)) {
            name.replace(at, std::string_view(escaped).size(), meant);
        }
    }
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) return name.substr(2, name.size() - 4);
    return name;
}

/// Recursive descent, by CEL's precedences.
class cel_parser {
public:
    explicit cel_parser(std::vector<cel_token> tokens) : tokens_(std::move(tokens)) {}

    cel_node parse() {
        cel_node root = conditional();
        if (peek().what != cel_token::kind::end) fail("'" + peek().text + "'");
        return root;
    }

    std::string problem;
    bool uses_old_self = false;

private:
    static constexpr std::array<std::string_view, 21> methods = {
        "contains", "startsWith", "endsWith",   "matches", "lowerAscii", "upperAscii", "trim",
        "split",    "indexOf",    "min",        "max",     "sum",        "isSorted",   "size",
        "all",      "exists",     "exists_one", "filter",  "map",        "has",        ""};
    static constexpr std::array<std::string_view, 5> functions = {"has", "size", "int", "double", "string"};

    const cel_token& peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }
    cel_token take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
    // A text in quotes is no operator, whatever it says.
    bool sees(std::string_view sign) const { return peek().what != cel_token::kind::text && peek().text == sign; }
    bool accept(std::string_view sign) {
        const bool fits = sees(sign);
        if (fits) ++at_;
        return fits;
    }
    void expect(std::string_view sign) {
        if (!accept(sign)) fail("'" + peek().text + "' where '" + std::string(sign) + "' should be");
    }
    void fail(std::string what) {
        if (problem.empty()) problem = std::move(what);
        at_ = tokens_.size() - 1;
    }

    // A chain ("a + a + …") needs no depth to be read, but one for each link to be walked.
    cel_node join(cel_node::kind what, std::string text, std::vector<cel_node> children) {
        cel_node out;
        out.what = what;
        out.text = std::move(text);
        for (const auto& child : children) out.depth = std::max(out.depth, child.depth + 1);
        if (out.depth > 500) fail("so long an expression");
        out.children = std::move(children);
        return out;
    }

    void go_deeper() {
        if (++depth_ > 50) fail("so deep an expression");
    }

    cel_node conditional() {
        go_deeper();
        cel_node condition = binary(0);
        if (accept("?")) {
            cel_node yes = binary(0);
            expect(":");
            cel_node no = conditional();
            condition = join(cel_node::kind::conditional, "?:", {std::move(condition), std::move(yes), std::move(no)});
        }
        --depth_;
        return condition;
    }

    cel_node binary(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels = {
            {"||"}, {"&&"}, {"<=", ">=", "<", ">", "==", "!=", "in"}, {"+", "-"}, {"*", "/", "%"}};
        if (level == levels.size()) return unary();
        cel_node left = binary(level + 1);
        for (bool again = true; again;) {
            again = false;
            for (const std::string_view sign : levels[level]) {
                if (!accept(sign)) continue;
                cel_node right = binary(level + 1);
                left = join(cel_node::kind::binary, std::string(sign), {std::move(left), std::move(right)});
                again = true;
                break;
            }
        }
        return left;
    }

    cel_node prefixed(cel_node::kind what, std::string sign) {
        go_deeper();
        cel_node out = join(what, std::move(sign), {unary()});
        --depth_;
        return out;
    }

    cel_node unary() {
        if (accept("!")) return prefixed(cel_node::kind::negation, "!");
        if (accept("-")) return prefixed(cel_node::kind::minus, "-");
        cel_node out = primary();
        while (problem.empty()) {
            if (accept(".")) {
                out = member(std::move(out));
            } else if (accept("[")) {
                if (sees("?")) fail("optionals");
                cel_node index = conditional();
                expect("]");
                out = join(cel_node::kind::index, "[]", {std::move(out), std::move(index)});
            } else {
                break;
            }
        }
        return out;
    }

    cel_node member(cel_node target) {
        if (sees("?")) fail("optionals");
        const cel_token name = take();
        if (name.what != cel_token::kind::name) fail("'" + name.text + "' after a dot");
        if (!accept("(")) return join(cel_node::kind::member, unescaped_cel_name(name.text), {std::move(target)});
        if (std::find(methods.begin(), methods.end(), name.text) == methods.end()) fail(name.text + "()");
        std::vector<cel_node> children = arguments();
        children.insert(children.begin(), std::move(target));
        cel_node call = join(cel_node::kind::call, name.text, std::move(children));
        call.is_method = true;
        return call;
    }

    std::vector<cel_node> arguments() {
        std::vector<cel_node> out;
        if (accept(")")) return out;
        do out.push_back(conditional());
        while (accept(","));
        expect(")");
        return out;
    }

    cel_node primary() {
        const cel_token token = take();
        cel_node out;
        out.literal = token.value;
        if (token.what == cel_token::kind::whole || token.what == cel_token::kind::fraction ||
            token.what == cel_token::kind::text) {
            return out;
        }
        if (token.what == cel_token::kind::name) return named(token.text);
        if (token.text == "(") {
            out = conditional();
            expect(")");
            return out;
        }
        if (token.text == "[") {
            std::vector<cel_node> items;
            while (problem.empty() && !accept("]")) {
                items.push_back(conditional());
                if (!accept(",") && !sees("]")) fail("'" + peek().text + "' in a list");
            }
            return join(cel_node::kind::list, "[]", std::move(items));
        }
        fail(token.what == cel_token::kind::end ? "the end of the expression" : "'" + token.text + "'");
        return out;
    }

    cel_node named(const std::string& name) {
        cel_node out;
        if (name == "true" || name == "false") {
            out.literal = name == "true";
            return out;
        }
        if (name == "null") return out;
        if (accept("(")) {
            if (std::find(functions.begin(), functions.end(), name) == functions.end()) fail(name + "()");
            return join(cel_node::kind::call, name, arguments());
        }
        if (name == "oldSelf") uses_old_self = true;
        out.what = cel_node::kind::name;
        out.text = name;
        return out;
    }

    std::vector<cel_token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace
}  // namespace detail

result<cel_expression> cel_expression::parse(std::string_view text) {
    const auto refuse = [](const std::string& what) {
        return error(errc::invalid_argument, "this server's CEL does not know " + what);
    };
    detail::cel_lexer lexer(text);
    auto tokens = lexer.all();
    if (!lexer.problem.empty()) return refuse(lexer.problem);
    detail::cel_parser parser(std::move(tokens));
    cel_expression out;
    out.root_ = parser.parse();
    if (!parser.problem.empty()) return refuse(parser.problem);
    out.uses_old_self_ = parser.uses_old_self;
    return out;
}

}  // namespace kcontrol::testing
